"""Failed requests are tried again, politely: the host rests, nobody else waits."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
)
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import ConnectError, ConnectionDone, ConnectionLost

from tenderscrapy.exceptions import SourceRequestError
from tenderscrapy.http.retry_policy import RetryPolicy
from tenderscrapy.http.scrapy_cooldown import RateLimits, cooldown_of, is_robots

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

#: What may pass by itself. A refused address and a stopping run are not among them.
NETWORK_ERRORS = (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    ResponseDataLossError,
    ConnectError,
    ConnectionDone,
    ConnectionLost,
)


class RetryMiddleware:
    """Timeouts, network errors, 429 and 5xx, and what ``retry_statuses`` of the spider or the request adds.

    The wait is a rest of the whole host (Cooldown). Retry-After is never undercut; one longer than RETRY_AFTER_MAX, and
    the last attempt's failure, raise SourceRequestError: its ``retry_after`` tells how long the source wants to be left
    alone. ``dont_retry`` in the meta leaves answer and error as they are, and a robots.txt is asked for once.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._cooldown = cooldown_of(crawler)
        self._limits = RateLimits(crawler)
        self._policy = RetryPolicy(
            attempts=crawler.settings.getint("RETRY_TIMES") + 1,
            longest_retry_after=crawler.settings.getfloat("RETRY_AFTER_MAX", 900),
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if request.meta.get("dont_retry"):
            return response
        status, asked = response.status, self._limits.asked(request, response)
        if not self._limits.passing(request, status):
            return response
        if asked is not None and asked > self._policy.longest_retry_after:
            raise SourceRequestError(
                f"{_place(request)}: status {status}, and the source asks to be left alone for {asked:.0f} seconds",
                status=status,
                retry_after=asked,
            )
        return self._again(request, f"status {status}", status, asked)

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        if request.meta.get("dont_retry") or is_robots(request) or not isinstance(exception, NETWORK_ERRORS):
            return None
        return self._again(request, type(exception).__name__)

    def _again(self, request: Request, reason: str, status: int | None = None, asked: float | None = None) -> Request:
        attempt = request.meta.get("retry_times", 0) + 1
        wait = self._policy.wait(attempt, asked)
        spider: Any = self._crawler.spider
        again = get_retry_request(request, spider=spider, reason=reason, max_retry_times=self._policy.attempts - 1)
        if wait is None or again is None:
            raise SourceRequestError(
                f"{_place(request)}: {reason} after {attempt} attempts", status=status, retry_after=asked
            )
        host = urlparse_cached(request).hostname or ""
        logger.info("%s: %s; %s rests for %.1f seconds", _place(request), reason, host, wait)
        self._cooldown.extend(host, wait)
        return again


def _place(request: Request) -> str:
    """The address without its query, which may hold a cursor or a token."""
    return request.url.partition("?")[0][:200]
