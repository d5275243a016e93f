"""The lists of a cosinex marketplace: one after the other, page by page, in sessions of their own."""

from __future__ import annotations

import logging
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from parsel import Selector

from spiders.cosinex_session import ENTER, PAGE, Progress, Session
from spiders.portal_walk import PortalSpider
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import SourceError, SourceRequestError
from tenderscrapy.formats.cosinex_list import ListPage, entry_type, notice_id, read_categories, read_list, row_digest
from tenderscrapy.formats.cosinex_list import to_notice as notice_of
from tenderscrapy.formats.netserver_list import published
from tenderscrapy.formats.page_outcome import Outcome, title_of
from tenderscrapy.items import Notice, SourcePage
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from psycopg2.extensions import connection as Connection  # noqa: N812
    from scrapy.http import Request, Response
    from scrapy.settings import BaseSettings

    from tenderscrapy.formats.cosinex_rows import Row
    from tenderscrapy.sources.cosinex_schema import CosinexPortal

logger = logging.getLogger(__name__)

#: Lists end early only within this time after all were read to their ends: deadlines move without a new date.
WHOLE_WALK = timedelta(days=7)
_MARK = "whole_walk"
_CPV = re.compile(r"\d{8}-\d")


class CosinexLists(PortalSpider):
    """Walks one list after the other: that of each CPV division, or a satellite's own.

    A cursor is ``{cpv, page, then}``: the list (None for a satellite's), its page from 1 on, and the lists to come.
    What a session holds is Session's; lists that were read whole within a week end where all is known.
    """

    portal: CosinexPortal

    def prepare(self, settings: BaseSettings) -> None:
        super().prepare(settings)
        self.allowed_hosts = [self.portal.host, *self.portal.project_hosts]
        self.session = Session(self.portal)
        self._decided = False
        self._ended_early = False
        self._progress = Progress()
        self._kept: set[str] = set()

    def page_request(self, cursor: Any) -> Request:
        """The session's next step towards the page at ``cursor``. Raises SourceError for a foreign cursor."""
        place = self._place(cursor)
        if place is not None and self.session.turn_to(place["cpv"]):
            self._progress = Progress(whole=place["page"] == 1)
        step, url = self.session.next_step(place)
        return self.page(url, cookiejar=self.session.jar, step=step)

    def _place(self, cursor: Any) -> dict[str, Any] | None:
        """List and page of a cursor; of a walk without one the first list, None for the overview of lists."""
        if cursor is None:
            if self.portal.mode == "welcome":
                return {"cpv": None, "page": 1, "then": []}
            if self.portal.cpv == "all":
                return None
            return {"cpv": self.portal.cpv[0], "page": 1, "then": list(self.portal.cpv[1:])}
        lists = [cursor["cpv"], *cursor["then"]] if isinstance(cursor, dict) else []
        known = lists == [None] if self.portal.mode == "welcome" else all(_CPV.fullmatch(str(cpv)) for cpv in lists)
        if not lists or not known or not isinstance(cursor["page"], int) or cursor["page"] < 1:
            raise SourceError(f"the position {str(cursor)[:200]} lies on no list of {self.source_code}")
        return dict(cursor)

    async def parse(self, response: Response) -> AsyncIterator[Any]:
        """A step that is not there yet leads to the next; the page is read as every portal's."""
        if not self._decided:
            self._decided = True
            self.session.sorted_lists = await self._may_end_early()
        meta = response.meta
        place = self._place(meta["cursor"])
        self.session.done(meta["step"])
        if not self.session.is_there(meta["step"], place):
            for request in self._go_on(response):
                yield request
            return
        if self.session.sorted_lists and place is not None:
            await self._look_up(response)
        async for part in super().parse(response):
            yield part

    def _go_on(self, response: Response) -> Iterable[Request]:
        meta = response.meta
        if meta["step"] != ENTER and not (outcome := self._listed(response).outcome).clean:
            yield from self._recover(self._unexpected(response, outcome), meta["cursor"], meta["walk_page"])
        else:
            yield self._request(meta["cursor"], meta["walk_page"], meta["tries"])

    def _recover(self, error: SourceRequestError, cursor: Any, number: int) -> Iterable[Request]:
        """A session that has expired is begun anew where it was, once."""
        if error.kind == Outcome.SESSION_EXPIRED and self.session.renew():
            logger.info("%s: another session is begun", self.source_code)
            yield self._request(cursor, number)
        else:
            yield from super()._recover(error, cursor, number)

    def parse_page(self, response: Response) -> SourcePage:
        """The rows of a list as notices; raises SourceRequestError for a page that is no list."""
        place = self._place(response.meta["cursor"])
        if place is None:
            outcome, codes = read_categories(Selector(text=self.text_of(response)), response.url)
            listed = ListPage(outcome)
        else:
            listed = self._listed(response)
        if not listed.outcome.clean:
            raise self._unexpected(response, listed.outcome)
        self.met(listed.outcome, "")
        self.session.lives()
        if place is None:
            return SourcePage([], next_cursor=_first_of(codes), goes_on=True)
        return self._source_page(listed, place)

    def _listed(self, response: Response) -> ListPage:
        number = int(response.meta["step"].removeprefix(PAGE)) if response.meta["step"].startswith(PAGE) else 1
        page = Selector(text=self.text_of(response))
        return read_list(page, response.url, self.portal.base_url, number, self.portal.headers)

    def _unexpected(self, response: Response, outcome: Outcome) -> SourceRequestError:
        title = title_of(Selector(text=self.text_of(response))) or "none"
        what = f"{without_session(response.url)[:200]} (title: {title})"
        self.met(outcome, what)
        return SourceRequestError(f"{outcome}: {what}", kind=str(outcome))

    def text_of(self, response: Response) -> str:
        if self.portal.encoding:
            return response.body.decode(self.portal.encoding, "replace")
        return response.text

    def _source_page(self, listed: ListPage, place: dict[str, Any]) -> SourcePage:
        faults = [f"no_rows_matched: {fault}" for fault in listed.faults]
        wanted = [row for row in listed.rows if self._is_wanted(row) and self._id(row) not in self._kept]
        following = self._following_place(listed, place, faults)
        found, unreadable = self.map(wanted, lambda row: self._notice(row, place["cpv"]))
        notices = [notice for notice in found if self._in_window(notice)]
        self._kept.update(self._id(row) for row in wanted)
        whole = following is None and self._walk_is_whole()
        if whole and len(self._kept) < self.portal.minimum_rows:
            faults.append(f"{len(self._kept)} entries, and at least {self.portal.minimum_rows} are expected here")
        for fault in faults:
            logger.warning("%s: %s", self.source_code, fault)
        return SourcePage(
            notices,
            next_cursor=following,
            rejected=unreadable + len(listed.faults),
            shortfall="; ".join(faults[:3])[:300],
            goes_on=True,
            mark={_MARK: datetime.now(UTC).isoformat()} if whole else None,
        )

    def _following_place(self, listed: ListPage, place: dict[str, Any], faults: list[str]) -> dict[str, Any] | None:
        """The list's next page, or the next list's first; None after the last. What is amiss goes to ``faults``."""
        progress, number = self._progress, place["page"]
        rows = {(self._id(row), row.kind or "") for row in listed.rows}
        fresh = rows - progress.met
        progress.met |= rows
        progress.entries += max(0, listed.entries - len(rows) + len(fresh))
        progress.total = progress.total if listed.total is None else listed.total
        name = place["cpv"] or "the list"
        if self.session.sorted_lists and progress.known_in_a_row >= self.portal.stop_after_known:
            self._ended_early = True
        elif listed.more and number >= self.portal.max_pages:
            faults.append(f"{name} is longer than the {number} pages that max_pages allows")
        elif listed.more and not fresh:
            faults.append(f"{name} gives the same entries again on page {number}: it may be longer")
        elif listed.more:
            return {**place, "page": number + 1}
        elif progress.whole and progress.entries < (progress.total or 0):
            faults.append(f"{name} names {progress.total} entries and gave {progress.entries}")
        return _first_of(place["then"])

    def _id(self, row: Row) -> str:
        return notice_id(row, self.portal.base_url)

    def _is_wanted(self, row: Row) -> bool:
        """Entries of the types that are kept, and of those that are not known."""
        kind = entry_type(row.kind)
        return kind is None or kind in self.portal.publication_types

    def _notice(self, row: Row, cpv: str | None) -> Notice:
        return notice_of(row, self.source_code, self.portal.base_url, cpv, self.zone)

    def _in_window(self, notice: Notice) -> bool:
        since, until = self.arguments.since, self.arguments.until
        if notice.published_at is None:
            return True
        day = notice.published_at.astimezone(ZoneInfo(self.zone)).date()
        return (since is None or day >= since) and (until is None or day <= until)

    def _walk_is_whole(self) -> bool:
        """Whether this walk reads all lists from their beginnings to their ends."""
        walk, asked = self.run.walk, self.arguments
        asks_for_part = asked.since or asked.until or asked.max_pages
        return walk is not None and walk.position is None and not asks_for_part and not self._ended_early

    async def _may_end_early(self) -> bool:
        """Whether what is below known entries was read: the last run was complete, and a recent one whole."""
        written = self.run.cursor["marks"].get(_MARK)
        if not self.portal.stop_after_known or not written or self.run.database is None or not self._walk_is_whole():
            return False
        if datetime.now(UTC) - datetime.fromisoformat(written) > WHOLE_WALK:
            return False
        return await self.run.database.run(_last_was_complete, self.source_code)

    async def _look_up(self, response: Response) -> None:
        """Count the entries in a row that are stored as the list has them; a list in another order does not count."""
        rows = [row for row in self._listed(response).rows if self._is_wanted(row)]
        probes = [Notice(self.source_code, self._id(row)) for row in rows]
        moments = [published(probe, row.published, self.zone) for probe, row in zip(probes, rows, strict=True)]
        days = [moment.astimezone(ZoneInfo(self.zone)).date() for moment in moments if moment]
        if days != sorted(days, reverse=True):
            logger.info("%s: its lists are not sorted as asked, they are read to their ends", self.source_code)
            self.session.sorted_lists = False
        stored = await self._stored(probes)
        for probe, row in zip(probes, rows, strict=True):
            known = stored.get(probe.notice_id)
            same = known is not None and known[0].extra.get("list_row") == row_digest(row)
            self._progress.known_in_a_row = self._progress.known_in_a_row + 1 if same else 0


def _first_of(lists: list[str]) -> dict[str, Any] | None:
    """The cursor of the first page of the first of these lists."""
    return {"cpv": lists[0], "page": 1, "then": lists[1:]} if lists else None


def _last_was_complete(connection: Connection, code: str) -> bool:
    state = queries("portals").last_state(connection, code=code)
    connection.commit()
    return bool(state == "complete")
