"""The guard's first look at a request, before robots.txt is asked for its host."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from tenderscrapy.http.scrapy_cooldown import is_robots
from tenderscrapy.http.url_guard import PrivateHosts, check_url, host_name

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


_ROBOTS_TIMEOUT = 20.0


def _one_line(record: logging.LogRecord) -> bool:
    if record.exc_info:
        record.exc_info = None
        record.msg = "no robots.txt for %(request)s: %(f_exception)s"
    return True


# It logs a traceback for each host that cannot be reached.
logging.getLogger("scrapy.downloadermiddlewares.robotstxt").addFilter(_one_line)


class UrlGuardMiddleware:
    """Refuses addresses by their text; the download handler does so again, and checks what they resolve to.

    A spider's attribute ``allowed_hosts`` limits its pages to hosts of its source; files may lie elsewhere.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._allowed = PrivateHosts.parse(crawler.settings.get("ALLOW_PRIVATE_HOSTS"))

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Raises AddressRefusedError."""
        if is_robots(request):
            # every other request to the host waits for it
            request.meta.setdefault("download_timeout", _ROBOTS_TIMEOUT)
        if request.url.startswith(("data:", "sample:")):
            return  # carries its answer with it, or names a bundled file: connects to nothing
        hosts = None
        if "stream_to" not in request.meta:
            named = getattr(self._crawler.spider, "allowed_hosts", None)
            hosts = {host_name(host) for host in named} if named else None
        check_url(request.url, self._allowed, hosts=hosts)
