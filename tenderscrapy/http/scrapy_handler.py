"""The download handler that every request of a crawl leaves through: pages, redirects, robots.txt, files."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import CannotResolveHostError, DownloadCancelledError, DownloadTimeoutError
from scrapy.utils.asyncio import sleep
from scrapy.utils.httpobj import urlparse_cached

from tenderscrapy.exceptions import AddressRefusedError, ConfigurationError, SourceRequestError
from tenderscrapy.http.scrapy_cooldown import RateLimits, cooldown_of
from tenderscrapy.http.scrapy_resolver import GuardedResolver
from tenderscrapy.http.scrapy_stream import Streamer, StreamTarget
from tenderscrapy.http.url_guard import PORTS, PrivateHosts, check_url

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

# How long a waiting request may take to see that the run is stopping.
_GLANCE = 0.5
# Fewer bytes than this in an idle time are a connection kept open, not a transfer.
_TRICKLE = 1024


class GuardedHandler(HTTP11DownloadHandler):
    """Checks the address, waits while its host rests, and ends the transfer when the run stops.

    The check stands here because everything passes here. The wait holds the request's own slot and nothing else; a
    rest longer than RETRY_AFTER_MAX is not waited for but raises SourceRequestError.
    A request with ``meta["stream_to"]`` (a StreamTarget) has its body written to a file.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor

        resolver = getattr(reactor, "nameResolver", None)
        if not isinstance(resolver, GuardedResolver):
            raise ConfigurationError("TWISTED_DNS_RESOLVER must be tenderscrapy.http.scrapy_resolver.GuardedResolver")
        self._resolver = resolver
        self._allowed = PrivateHosts.parse(crawler.settings.get("ALLOW_PRIVATE_HOSTS"))
        self._cooldown = cooldown_of(crawler)
        self._limits = RateLimits(crawler)
        self._longest_rest = crawler.settings.getfloat("RETRY_AFTER_MAX", 900)
        self._streamer = Streamer(self._contextFactory, self._pool)

    async def download_request(self, request: Request) -> Response:
        check_url(request.url, self._allowed)
        if request.meta.get("proxy"):
            raise AddressRefusedError("a proxy would connect to an address that was not checked")
        parts = urlparse_cached(request)
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        target = request.meta.get("stream_to")
        await self._rest(host, target)
        try:
            response = await self._watched(self._transfer(request, target), target)
        except CannotResolveHostError:
            refusal = self._resolver.refusal(host, port)
            if refusal is None:
                raise
            raise AddressRefusedError(refusal) from None
        if asked := self._limits.asked(request, response):
            # here and not in a middleware: the slot's next request is under way before those are asked
            self._cooldown.extend(host, asked)
        return response

    def _transfer(self, request: Request, target: StreamTarget | None) -> Coroutine[Any, Any, Response]:
        return super().download_request(request) if target is None else self._streamer.fetch(request, target)

    async def _rest(self, host: str, target: StreamTarget | None) -> None:
        while (left := self._cooldown.remaining(host)) > 0:
            self._check_running(target)
            if left > self._longest_rest:
                raise SourceRequestError(f"{host} wants to be left alone for {left:.0f} seconds", retry_after=left)
            await sleep(min(left, _GLANCE))

    async def _watched(self, transfer: Coroutine[Any, Any, Response], target: StreamTarget | None) -> Response:
        """The transfer's outcome, unless the run stops, or a stream falls silent, before it."""
        task = asyncio.ensure_future(transfer)
        clock = asyncio.get_running_loop().time
        received, since = 0, clock()
        try:
            while not (await asyncio.wait({task}, timeout=_GLANCE))[0]:
                self._check_running(target)
                if target is None or not target.received:
                    since = clock()
                elif target.received - received >= _TRICKLE:
                    received, since = target.received, clock()
                elif clock() - since > target.idle_timeout:
                    raise DownloadTimeoutError(f"hardly a byte came in {target.idle_timeout:.0f} seconds")
            return await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    def _check_running(self, target: StreamTarget | None) -> None:
        if not self._crawler.engine.running or (target is not None and target.stopped()):
            raise DownloadCancelledError("the run is stopping")
