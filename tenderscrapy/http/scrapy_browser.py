"""Requests that only a browser can answer, behind the same guard as all others."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.http.scrapy_handler import GuardedHandler

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from typing import Any

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from tenderscrapy.http.scrapy_pages import Pages
    from tenderscrapy.http.scrapy_stream import StreamTarget


class BrowserHandler(GuardedHandler):
    """GuardedHandler; a request with ``meta["playwright"]`` true is loaded by Chromium, after the same checks.

    Neither Playwright nor Chromium is loaded before the first such request. Without them that request fails with
    ConfigurationError, and the others go on.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._browser = _browser_of(crawler)

    def _transfer(self, request: Request, target: StreamTarget | None) -> Coroutine[Any, Any, Response]:
        if request.meta.get("playwright"):
            return self._browser.load(request)
        return super()._transfer(request, target)

    async def close(self) -> None:
        await super().close()
        await self._browser.close()


class Browser:
    """The one browser of a crawl; http and https have a handler each."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._lock = asyncio.Lock()
        self._pages: Pages | None = None
        self._missing: ConfigurationError | None = None

    async def load(self, request: Request) -> Response:
        """Raises what ``Pages.load`` raises, and ConfigurationError when there is no browser."""
        async with self._lock:
            if self._missing is not None:
                raise self._missing
            if self._pages is None:
                try:
                    self._pages = await self._start()
                except ConfigurationError as error:
                    self._missing = error
                    raise
        return await self._pages.load(request)

    async def _start(self) -> Pages:
        try:
            from tenderscrapy.http.scrapy_pages import Pages
        except ImportError as error:
            raise ConfigurationError(f"this page needs a browser: pip install scrapy-playwright ({error})") from error
        pages = Pages(self._crawler)
        await pages.start()
        return pages

    async def close(self) -> None:
        if self._pages is not None:
            pages, self._pages = self._pages, None
            await pages.close()


_browsers: WeakKeyDictionary[Crawler, Browser] = WeakKeyDictionary()


def _browser_of(crawler: Crawler) -> Browser:
    return _browsers.setdefault(crawler, Browser(crawler))
