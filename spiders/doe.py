"""The German publication service (Bekanntmachungsservice, oeffentlichevergabe.de) by its daily exports."""

from __future__ import annotations

import logging
import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from spiders.archives import ArchiveSpider, documents_in, refused
from tenderscrapy.exceptions import SourceError, UnreadableDocumentError
from tenderscrapy.formats import doe, doe_csv
from tenderscrapy.items import SourcePage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Request, Response

    from tenderscrapy.formats.zip_archive import Archive
    from tenderscrapy.items import Notice

logger = logging.getLogger(__name__)

#: The service's first day.
FIRST_DAY = date(2022, 12, 1)
#: In the order of what they hold; the later ones only where the earlier cannot be read.
FORMS = ("eforms", "ocds", "csv")
_NUMBERED = re.compile(r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{8})-\d+\.xml$", re.IGNORECASE)
#: A day that is not there yet is no fault for so long.
NOT_READY_DAYS = 3


class DoeSpider(ArchiveSpider):
    """A page is a completed day in Germany, from its eForms archive; today is never asked for.

    A day is still amended after it: the last three are asked for again, which costs nothing while their ETag stands.
    A day of which something cannot be read holds the cursor; what its OCDS and CSV forms have of it is taken from them.
    """

    name = "doe"
    zone = "Europe/Berlin"
    overlap = 2

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._read_to: date | None = None
        self._absent: date | None = None
        self._had: set[str] = set()
        self._broken: set[str] = set()

    def page_request(self, cursor: Any) -> Request:
        """The archive of a day; ``cursor`` is the day, or ``[day, form]`` for another form than eForms."""
        day, form = self._place(cursor)
        url = f"{self.settings['DOE_URL']}?{urlencode({'pubDay': day.isoformat(), 'format': f'{form}.zip'})}"
        return self.archive_request(url, day.isoformat() if form == FORMS[0] else f"{day} {form}")

    def _place(self, cursor: Any) -> tuple[date, str]:
        if cursor is None:
            return self._first_day(), FORMS[0]
        day, form = (cursor, FORMS[0]) if isinstance(cursor, str) else cursor
        if form not in FORMS:
            raise SourceError(f"the service has no form {form!r}")
        return date.fromisoformat(day), form

    def _first_day(self) -> date:
        """Where the walk begins; what is read again begins with a day that has been read before."""
        first = self.run.walk.since if self.run.walk else self._yesterday()
        if first < FIRST_DAY:
            logger.warning("doe: the service began on %s; reading from there", FIRST_DAY)
        if self.arguments.since is None:
            known = [day for day in map(_day, self.run.cursor.get("marks", {})) if day and day >= first]
            first = min(known, default=first)
        return max(first, FIRST_DAY)

    def parse_page(self, response: Response) -> SourcePage:
        """The notices of a day; 400 and 404 mean that a young day is not there yet."""
        day, form = self._place(response.meta["cursor"])
        if self._read_to is None and day > self._first_day():
            self._read_to = day - timedelta(days=1)  # by the run that this one goes on with
        if form == FORMS[0]:
            self._had, self._broken = set(), set()
        if response.status in (400, 404):
            return self._not_there(response, day, form)
        page = self.archive_page(response, lambda archive, page: self._notices(archive, page, form))
        if page.partial and not self.last_try(response):
            return page
        return self._placed(page, day, form)

    def _notices(self, archive: Archive, page: SourcePage, form: str) -> Iterator[Notice]:
        """The notices of an archive; of another form than eForms those that no earlier form of the day had."""
        first = form == FORMS[0]
        for notice in self._all(archive, page, form):
            if first or notice.notice_id not in self._had or notice.notice_id in self._broken:
                yield notice
            self._had.add(notice.notice_id)
            if not first:
                self._broken.discard(notice.notice_id)
        if not first and self._broken and not page.gap:
            page.gap = f"the {form} archive lacks {len(self._broken)} notice(s) that are broken in the eForms archive"

    def _all(self, archive: Archive, page: SourcePage, form: str) -> Iterator[Notice]:
        if form == "csv":
            return self._tables(archive, page)
        if form == "ocds":
            return self.read(documents_in(archive, ".json", doe.from_package), page)
        return self.read(documents_in(archive, ".xml", lambda content: [doe.from_eforms(content)]), page, self._lost)

    def _tables(self, archive: Archive, page: SourcePage) -> Iterator[Notice]:
        try:
            found = list(doe_csv.notices_of(archive.members))
        except UnreadableDocumentError as error:
            page.gap = f"the CSV archive cannot be read: {error}"
            return
        documents = (("a row of notice.csv", lambda rows=rows: [doe_csv.to_notice(rows)]) for rows in found)
        yield from self.read(documents, page)

    def _lost(self, name: str) -> None:
        """A broken member: its name says which notice to look for in the other forms."""
        if number := _NUMBERED.search(name):
            self._broken.add(number[1].lower())

    def _placed(self, page: SourcePage, day: date, form: str) -> SourcePage:
        """The page with what follows it, and how far the walk has come with it."""
        page.next_cursor = self._day_after(day)
        if form != FORMS[-1]:
            page.instead = [day.isoformat(), FORMS[FORMS.index(form) + 1]]
        if not page.gap and self._absent:
            self.run.break_off("incomplete", f"there is no archive of {self._absent}, although there is one of {day}")
        self._read_to = day
        page.watermark = self._midnight(day)
        return page

    def _day_after(self, day: date) -> str | None:
        following = day + timedelta(days=1)
        return following.isoformat() if following <= self._last_day() else None

    def _not_there(self, response: Response, day: date, form: str) -> SourcePage:
        """No archive of that day: it is not made yet, or, of an older day, missing."""
        if form == FORMS[0] and (self._yesterday() - day).days < NOT_READY_DAYS:
            self._absent = self._absent or day
            self.run.note(f"{day} is not published yet")
            watermark = self._midnight(self._read_to) if self._read_to else ""
            return SourcePage((), self._day_after(day), streamed=True, watermark=watermark)
        if response.status == 400:
            raise refused(response)
        page = SourcePage((), streamed=True, gap=f"there is no {form} archive of {day}")
        return self._placed(page, day, form)

    def _midnight(self, day: date) -> str:
        return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(self.zone)).isoformat()

    def _yesterday(self) -> date:
        return datetime.now(UTC).astimezone(ZoneInfo(self.zone)).date() - timedelta(days=1)

    def _last_day(self) -> date:
        until = self.arguments.until
        return min(until, self._yesterday()) if until else self._yesterday()


def _day(mark: str) -> date | None:
    """The day that a mark is of; None for that of another form's archive."""
    try:
        return date.fromisoformat(mark)
    except ValueError:
        return None
