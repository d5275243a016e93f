"""What an answer says about how long its host wants to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from tenderscrapy.http.cooldown import Cooldown
from tenderscrapy.http.retry_policy import TRANSIENT_STATUSES, retry_after

if TYPE_CHECKING:
    from collections.abc import Collection

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_cooldowns: WeakKeyDictionary[Crawler, Cooldown] = WeakKeyDictionary()


def cooldown_of(crawler: Crawler) -> Cooldown:
    """The one Cooldown of a crawl, its hosts in lower case; the download handler waits for it."""
    return _cooldowns.setdefault(crawler, Cooldown())


def share_cooldown(crawler: Crawler, cooldown: Cooldown) -> None:
    """Let ``crawler`` use ``cooldown``, made with a clock of the caller's; before its first request."""
    _cooldowns[crawler] = cooldown


def is_robots(request: Request) -> bool:
    """Whether Scrapy asks for a host's robots.txt, to look up what it allows; where that is sent on to, too."""
    if not request.meta.get("dont_obey_robotstxt"):
        return False
    first = request.meta.get("redirect_urls", [request.url])[0]
    return urlsplit(first).path == "/robots.txt"


class RateLimits:
    """Which answers mean "not now", and until when.

    Beside the usual statuses those in ``retry_statuses`` of the request's meta, else of the spider: some servers say
    403 for "too many requests". Where such a server names no time, its host rests COOLDOWN_403 seconds, after 429 as
    well.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._cooldown_403 = crawler.settings.getfloat("COOLDOWN_403", 300)

    def passing(self, request: Request, status: int) -> bool:
        """Whether the same request may be answered otherwise later."""
        return not is_robots(request) and (status in TRANSIENT_STATUSES or status in self._extra(request))

    def asked(self, request: Request, response: Response) -> float | None:
        """Seconds that the host is to be left alone after this answer; None when it leaves that to us."""
        if not self.passing(request, response.status):
            return None
        headers, extra = response.headers, self._extra(request)
        seconds = retry_after(headers.get("Retry-After"), datetime.now(UTC), headers.get("Date"))
        if seconds is None and extra and (response.status == 429 or response.status in extra):
            return self._cooldown_403
        return seconds

    def _extra(self, request: Request) -> Collection[int]:
        if "retry_statuses" in request.meta:
            named: Collection[int] = request.meta["retry_statuses"]
            return named
        return getattr(self._crawler.spider, "retry_statuses", None) or ()
