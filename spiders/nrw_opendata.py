"""Vergabemarktplatz NRW by its open data: feeds that hold all current notices of a marketplace as eForms XML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

from spiders.archives import ArchiveSpider, documents_in, refused
from tenderscrapy.exceptions import ConfigurationError, SourceError
from tenderscrapy.formats.nrw_opendata import to_notice
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy.http import Request, Response
    from twisted.python.failure import Failure

    from tenderscrapy.formats.zip_archive import Archive
    from tenderscrapy.items import Notice


class NrwOpendataSpider(ArchiveSpider):
    """A page is a feed of NRW_OPENDATA_URL. Every feed is whole each time, so what is known comes back unchanged.

    ``since`` and ``until``, where given, leave out what was not published in those days.
    """

    name = "nrw_opendata"
    zone = "Europe/Berlin"

    def page_request(self, cursor: Any) -> Request:
        """A feed; ``cursor`` is its address, None the first one's."""
        feeds = self._feeds()
        url = feeds[0] if cursor is None else cursor
        if url not in feeds:
            raise SourceError("the feed is not in NRW_OPENDATA_URL any more")
        return self.archive_request(url, _mark(url))

    def parse_page(self, response: Response) -> SourcePage:
        """The notices of a feed."""
        feed = response.meta["cursor"] or self._feeds()[0]
        if response.status in (400, 404):
            page = SourcePage((), streamed=True, gap=str(refused(response)))
        else:
            page = self.archive_page(response, self._notices)
        if page.partial and not self.last_try(response):
            return page
        page.next_cursor = self._after(feed)
        return page

    def failed(self, failure: Failure) -> Iterable[Request]:
        """A feed that cannot be had holds the cursor; the others lie on other hosts."""
        yield from super().failed(failure)
        request: Request = failure.request  # type: ignore[attr-defined]  # Scrapy sets it
        number = request.meta["walk_page"]
        self.run.checkpoint.announce(number, 0, None)
        self.run.checkpoint.hold(number)
        if (following := self._after(request.meta["cursor"] or self._feeds()[0])) and self.crawler.engine.running:
            yield self._request(following, number + 1)

    def _after(self, feed: str) -> str | None:
        feeds = self._feeds()
        following = feeds.index(feed) + 1
        return feeds[following] if following < len(feeds) else None

    def _feeds(self) -> list[str]:
        feeds = [part.strip() for part in str(self.settings["NRW_OPENDATA_URL"]).split(",") if part.strip()]
        if not feeds:
            raise ConfigurationError("NRW_OPENDATA_URL names no feed")
        return list(dict.fromkeys(feeds))

    def _notices(self, archive: Archive, page: SourcePage) -> Iterator[Notice]:
        found = self.read(documents_in(archive, ".xml", lambda content: [to_notice(content)]), page)
        return (notice for notice in found if self._wanted(notice))

    def _wanted(self, notice: Notice) -> bool:
        if notice.published_at is None:
            return True
        day = notice.published_at.astimezone(ZoneInfo(self.zone)).date()
        since, until = self.arguments.since, self.arguments.until
        return (since is None or day >= since) and (until is None or day <= until)


def _mark(url: str) -> str:
    """``host id`` of a feed, short enough for a cursor."""
    parts = urlsplit(url)
    return f"{parts.hostname} {parse_qs(parts.query).get('id', [parts.path])[0]}"[:120]
