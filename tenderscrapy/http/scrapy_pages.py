"""Pages of one Chromium: few at a time, each with a time limit, every connection through the guarded proxy."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import shutil
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeoutError
from scrapy.exceptions import DownloadFailedError, DownloadTimeoutError
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler

from tenderscrapy.exceptions import AddressRefusedError, ConfigurationError, SourceRequestError
from tenderscrapy.http.browser_proxy import BrowserProxy
from tenderscrapy.http.url_guard import PORTS, PrivateHosts, check_url, host_name

if TYPE_CHECKING:
    from playwright.async_api import Page
    from playwright.async_api import Request as PlaywrightRequest
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)
# It logs whole addresses and tracebacks of what is reported to the spider anyway.
logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--no-first-run",
    # WebRTC would send datagrams past the proxy
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_CONTEXT = {"service_workers": "block", "accept_downloads": False}
_CLOSING = 10.0  # seconds
_SAID = 200  # refusals that one run says; the counter has them all
_NET_ERROR = re.compile(r"net::(ERR_\w+)")


class Pages(ScrapyPlaywrightDownloadHandler):
    """scrapy-playwright's handler, whose metas hold, with what a crawl of foreign pages needs on top.

    Headers are the browser's own and the product's User-Agent: Playwright would send a request's own headers on to
    the hosts that it is redirected to. ``playwright_include_page`` is refused (nobody would close the page in time),
    ``playwright_context_kwargs`` cannot open another way out.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        settings = crawler.settings
        self._allowed = PrivateHosts.parse(settings.get("ALLOW_PRIVATE_HOSTS"))
        self._proxy = BrowserProxy(self._allowed, self._note)
        self._executable = settings.get("CHROMIUM")
        self._places = asyncio.Semaphore(settings.getint("BROWSER_PAGES", 4))
        self._limit = settings.getfloat("BROWSER_PAGE_TIMEOUT", 60)
        self._redirects = settings.getint("REDIRECT_MAX_TIMES")
        self._user_agent = settings["USER_AGENT"]
        self._opened: dict[Request, list[Page]] = {}
        self._failed: dict[Page, str] = {}
        self._said: set[tuple[str, str]] = set()
        self.process_request_headers = None
        self.abort_request = self._refuses
        # Our own limit holds over all contexts, and its places come back even when a page crashes.
        self.config.max_pages_per_context = 1_000_000

    async def start(self) -> None:
        """Start the proxy and the browser. Raises ConfigurationError when there is no browser."""
        config = self.config
        if config.cdp_url or config.connect_url:
            raise ConfigurationError("PLAYWRIGHT_CDP_URL and PLAYWRIGHT_CONNECT_URL: only an own browser is guarded")
        await self._proxy.start()
        arguments = [*ARGUMENTS, f"--user-agent={self._user_agent}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium refuses to give root one
        config.startup_context_kwargs = {}
        config.launch_options = {
            "executable_path": self._executable or next(filter(None, map(shutil.which, CHROMIUMS)), None),
            "args": arguments,
            "proxy": {"server": self._proxy.url},
        }
        try:
            await self._launch()
            await self._ready()
        except BaseException:
            await self.close()
            raise

    async def _ready(self) -> None:
        """A browser runs, started again if it has died."""
        try:
            await self._maybe_launch_browser()
        except PlaywrightError as error:
            reason = error.message.strip().partition("\n")[0]
            raise ConfigurationError(
                f"this page needs a browser ({reason}): install chromium, or set CHROMIUM to its path"
            ) from None

    async def load(self, request: Request) -> Response:
        """The page as it stands after its scripts, and the PageMethods of the request, have run.

        The time limit is BROWSER_PAGE_TIMEOUT or the request's download_timeout; waiting for a place is not counted.
        Raises AddressRefusedError (the page itself, or where it leads to), SourceRequestError (too many redirects; a
        file in place of a page), and the download errors that are worth another try.
        """
        if request.meta.get("playwright_include_page"):
            raise ConfigurationError("playwright_include_page is not supported: give the request PageMethods")
        limit = min(self._limit, request.meta.get("download_timeout", self._limit))
        async with self._places:
            await self._ready()
            try:
                async with asyncio.timeout(limit):
                    response = await self._download_request(request)
            except (TimeoutError, PlaywrightTimeoutError):
                self.stats.inc_value("browser/timed_out")
                raise DownloadTimeoutError(f"the page was not done within {limit:g} seconds") from None
            except (PlaywrightError, RuntimeError) as error:
                raise self._reason(request, error) from None
            finally:
                await self._close_pages(request)
        self._check_end(request, response)
        return response

    def _check_end(self, request: Request, response: Response) -> None:
        """The browser followed redirects and scripts by itself."""
        named = getattr(self._crawler.spider, "allowed_hosts", None)
        check_url(response.url, self._allowed, hosts={host_name(host) for host in named} if named else None)
        if request.meta.get("redirect_times", 0) > self._redirects:
            raise SourceRequestError(f"{request.url.partition('?')[0]}: more than {self._redirects} redirects")

    def _reason(self, request: Request, error: Exception) -> Exception:
        """The error as the spider and the retry middleware know it."""
        failed = [url for page in self._opened.get(request, ()) if (url := self._failed.get(page))]
        for url in failed:
            parts = urlsplit(url)
            refusal = self._proxy.refusal(parts.hostname or "", parts.port or PORTS.get(parts.scheme, 0))
            if refusal is not None:
                return AddressRefusedError(refusal)
        if "download" in str(error).lower():
            return SourceRequestError(f"{request.url.partition('?')[0]} is a file: ask for it without the browser")
        if found := _NET_ERROR.search(str(error)):
            return DownloadFailedError(f"the browser says {found[1]}")
        return error

    # --- what scrapy-playwright calls -----------------------------------------------------------------------------

    async def _create_browser_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Spider | None = None
    ) -> Any:
        for opening in ("proxy", "user_data_dir", "ignore_https_errors"):
            if opening in (context_kwargs or {}):
                raise ConfigurationError(f"playwright_context_kwargs: {opening} would go around the guard")
        return await super()._create_browser_context(name, {**(context_kwargs or {}), **_CONTEXT}, spider)

    async def _create_page(self, request: Request, spider: Spider) -> Page:
        page = await super()._create_page(request, spider)
        self._opened.setdefault(request, []).append(page)

        def failed(asked: PlaywrightRequest) -> None:
            if asked.is_navigation_request() and asked.frame.parent_frame is None:
                self._failed[page] = asked.url

        page.on("requestfailed", failed)
        page.on("popup", lambda popup: popup.close())
        return page

    def _refuses(self, asked: PlaywrightRequest) -> bool:
        """The guard's look at the text of each address; the proxy sees hosts and ports only."""
        try:
            check_url(asked.url, self._allowed)
        except AddressRefusedError as error:
            self._note(urlsplit(asked.url).hostname or "", str(error))
            return True
        return False

    # --- ends -----------------------------------------------------------------------------------------------------

    def _note(self, host: str, rule: str) -> None:
        self.stats.inc_value("browser/refused")
        if (host, rule) not in self._said and len(self._said) < _SAID:
            self._said.add((host, rule))
            logger.info("a page asked for %s, refused: %s", host, rule)

    async def _close_pages(self, request: Request) -> None:
        for page in self._opened.pop(request, ()):
            self._failed.pop(page, None)
            if not page.is_closed():
                with contextlib.suppress(PlaywrightError, TimeoutError):
                    await asyncio.wait_for(page.close(), _CLOSING)

    async def close(self) -> None:
        """End pages, browser and proxy; within bounds, as a wedged browser must not hold up the end of a run."""
        try:
            with contextlib.suppress(PlaywrightError, TimeoutError):
                await asyncio.wait_for(super().close(), _CLOSING)
        finally:
            await self._proxy.close()
