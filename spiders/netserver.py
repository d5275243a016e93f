"""Portals that run AI Vergabemanager ("NetServer"), each described in a file: ``-a portal=ID``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from parsel import Selector

from spiders.portal_walk import PortalSpider
from tenderscrapy.exceptions import SourceError, SourceRequestError
from tenderscrapy.formats.netserver_detail import read_detail
from tenderscrapy.formats.netserver_documents import read_documents
from tenderscrapy.formats.netserver_list import ListPage, absolute, read_list, to_notice
from tenderscrapy.formats.page_outcome import Outcome, title_of
from tenderscrapy.items import Notice, SourcePage
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings

    from tenderscrapy.formats.netserver_rows import Row
    from tenderscrapy.sources.portal_schema import NetserverPortal

logger = logging.getLogger(__name__)

#: The page sizes that the search form offers.
SIZES = frozenset({10, 25, 50, 100})


class NetserverSpider(PortalSpider):
    """Walks the lists of the portal's categories, one after the other.

    A cursor is ``{category, url, start}``: the page without session, and the row it begins with. Links are followed as
    given, csrt included, as long as the session lives.
    """

    name = "netserver"
    portal: NetserverPortal

    def prepare(self, settings: BaseSettings) -> None:
        super().prepare(settings)
        self.layout = self.portal.layout()
        self._entered = not self.portal.entry_url
        self._given: dict[str, str] = {}
        self._oids: set[str] = set()
        self._announced = 0
        self._left_out = 0

    def refresh_hours(self) -> float:
        return self.portal.detail.refresh_hours

    def page_request(self, cursor: Any) -> Request:
        """A page of the list, the entry page of a session before the first."""
        if not self._entered:
            return self.page(self.portal.url(self.portal.entry_url or ""), entry=True)
        place = cursor or self._first_place(self.portal.categories[0])
        if (
            not isinstance(place, dict)
            or urlsplit(str(place.get("url"))).netloc != urlsplit(self.portal.base_url).netloc
        ):
            raise SourceError(f"the position {str(place)[:200]} lies on no page of {self.source_code}")
        url = str(place["url"])
        return self.page(self._given.get(url, url))

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """The entry page leads to the list; all others as for every portal."""
        if response.meta.get("entry"):
            self._entered = True
            yield self._request(response.meta["cursor"], response.meta["walk_page"], response.meta["tries"])
            return
        async for part in super().parse(response):
            yield part

    def parse_page(self, response: Response) -> SourcePage:
        """The rows of a list as notices; raises SourceRequestError for a page that is no list."""
        place = response.meta["cursor"] or self._first_place(self.portal.categories[0])
        page = Selector(text=self._text(response))
        listed = read_list(page, response.url, self.layout)
        self.met(listed.outcome, f"{without_session(response.url)} (title: {title_of(page) or 'none'})")
        if not listed.outcome.clean:
            self._entered = self._entered and not (listed.outcome is Outcome.SESSION_EXPIRED and self.portal.entry_url)
            raise SourceRequestError(
                f"{listed.outcome}: {without_session(response.url)[:200]} (title: {title_of(page) or 'none'})",
                kind=str(listed.outcome),
            )
        return self._source_page(listed, page, place, response)

    def _source_page(self, listed: ListPage, page: Selector, place: dict[str, Any], response: Response) -> SourcePage:
        new = [row for row in listed.rows if row.oid not in self._oids]
        self._oids.update(row.oid for row in listed.rows)
        self._announced += (listed.announced or 0) if place["start"] == 0 else 0
        faults = [f"no_rows_matched: {fault}" for fault in listed.faults]
        following = self._next_place(listed, page, place, response.url) if new else self._next_category(place)
        if listed.rows and not new and place["start"] and len(self._oids) != self._announced:
            faults.append("the list gives the same rows again when it is asked for the next ones: it may be longer")
        if following is None:
            faults += self._below_minimum()
        elif response.meta["walk_page"] + 1 >= self.portal.max_pages:
            faults.append(f"the list goes on after {self.portal.max_pages} pages; raise max_pages of the portal")
            following = None
        kept, unreadable = self.map(self._wanted(new, place["category"]), lambda row: self._notice(row, place))
        notices = [notice for notice in kept if self._in_window(notice)]
        self._left_out += len(new) - len(notices) - unreadable
        for fault in faults:
            logger.warning("%s: %s", self.source_code, fault)
        return SourcePage(
            notices,
            next_cursor=following,
            announced=max(0, self._announced - self._left_out) if self._announced and self._from_the_start() else None,
            rejected=unreadable + len(listed.faults),
            shortfall="; ".join(faults[:3])[:300],
            goes_on=True,
        )

    def _from_the_start(self) -> bool:
        return self.run.walk is not None and self.run.walk.position is None

    def _text(self, response: Response) -> str:
        if self.portal.encoding:
            return response.body.decode(self.portal.encoding, "replace")
        return response.text

    def _wanted(self, rows: list[Row], category: str) -> list[Row]:
        """Rows of the categories that are walked: a list of tenders shows awards too."""
        return [row for row in rows if (row.category or category) in self.portal.categories]

    def _notice(self, row: Row, place: dict[str, Any]) -> Notice:
        return to_notice(row, self.source_code, self.portal.base_url, place["category"], self.zone)

    def _in_window(self, notice: Notice) -> bool:
        since, until = self.arguments.since, self.arguments.until
        if notice.published_at is None:
            return True
        day = notice.published_at.astimezone(ZoneInfo(self.zone)).date()
        return (since is None or day >= since) and (until is None or day <= until)

    def _first_place(self, category: str) -> dict[str, Any]:
        return {"category": category, "url": self.portal.list_page(category, 0), "start": 0}

    def _next_place(self, listed: ListPage, page: Selector, place: dict[str, Any], url: str) -> dict[str, Any] | None:
        """Where the list goes on: its own link, else the next rows while pages are full, else the next category."""
        start = place["start"] + len(listed.rows)
        if given := self._next_link(page, url):
            bare = without_session(given)
            self._given[bare] = given
            return {"category": place["category"], "url": bare, "start": start}
        # a server that does not heed Max gives one of the sizes of its form
        full = len(listed.rows) >= self.portal.page_size or len(listed.rows) in SIZES
        if full and "{start}" in self.portal.list_url:
            return {
                "category": place["category"],
                "url": self.portal.list_page(place["category"], start),
                "start": start,
            }
        return self._next_category(place)

    def _next_link(self, page: Selector, url: str) -> str | None:
        """The page's own link to the next one; on the last page some skins let it lead nowhere."""
        href = page.css(self.portal.paging.next).get() if self.portal.paging.mode == "next_link" else None
        given = absolute(url, href) if href and not href.strip().startswith("#") else None
        return given if given and without_session(given) != without_session(url) else None

    def _next_category(self, place: dict[str, Any]) -> dict[str, Any] | None:
        categories = self.portal.categories
        number = categories.index(place["category"]) + 1
        return self._first_place(categories[number]) if number < len(categories) else None

    def _below_minimum(self) -> list[str]:
        whole = self._from_the_start() and not self.arguments.max_pages
        if whole and len(self._oids) < self.portal.minimum_rows:
            return [f"{len(self._oids)} rows, and at least {self.portal.minimum_rows} are expected here"]
        return []

    def restart_after(self, error: SourceRequestError) -> bool:
        """A session that has expired is begun again, once, and the list with it."""
        expired = error.kind == Outcome.SESSION_EXPIRED
        if expired:
            self._oids.clear()
            self._announced = self._left_out = 0
        return expired

    def first_step(self, notice: Notice) -> Request | None:
        return self.page(notice.url or "", step="detail") if self.portal.detail.fetch else None

    def read_step(self, notice: Notice, response: Response) -> Request | None:
        page = Selector(text=self._text(response))
        if response.meta["step"] == "detail":
            documents = read_detail(notice, page, response.url, self.portal.base_url, self.zone)
            if documents and self.portal.detail.documents:
                return self.page(documents, step="documents")
        else:
            read_documents(notice, page, response.url, self.portal.base_url)
        return None
