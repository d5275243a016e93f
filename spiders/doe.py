"""The German publication service (Bekanntmachungsservice, oeffentlichevergabe.de) by its daily exports."""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from spiders.archives import ArchiveSpider, refused
from tenderscrapy.exceptions import SourceError
from tenderscrapy.formats import doe
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
        self._read: set[str] = set()
        self._newest: date | None = None

    def page_request(self, cursor: Any) -> Request:
        """The archive of a day; ``cursor`` is the day, or ``[day, form]`` for another form than eForms."""
        day, form = self._place(cursor)
        url = f"{self.settings['DOE_URL']}?{urlencode({'pubDay': day.isoformat(), 'format': f'{form}.zip'})}"
        return self.archive_request(url, day.isoformat() if form == FORMS[0] else f"{day} {form}")

    def _place(self, cursor: Any) -> tuple[date, str]:
        if cursor is None:
            first = self.run.walk.since if self.run.walk else self._yesterday()
            if first < FIRST_DAY:
                logger.warning("doe: the service began on %s; reading from there", FIRST_DAY)
            return max(first, FIRST_DAY), FORMS[0]
        day, form = (cursor, FORMS[0]) if isinstance(cursor, str) else cursor
        if form not in FORMS:
            raise SourceError(f"the service has no form {form!r}")
        return date.fromisoformat(day), form

    def parse_page(self, response: Response) -> SourcePage:
        """The notices of a day; 400 and 404 mean that a young day is not there yet."""
        day, form = self._place(response.meta["cursor"])
        if response.status in (400, 404):
            return self._absent(response, day, form)
        page = self.archive_page(response, lambda archive, page: self._notices(archive, page, form))
        if page.partial and not self.last_try(response):
            return page
        return self._placed(page, day, form)

    def _notices(self, archive: Archive, page: SourcePage, form: str) -> Iterator[Notice]:
        yield from self.read_members(archive.members, page, doe.from_eforms)

    def _placed(self, page: SourcePage, day: date, form: str) -> SourcePage:
        """The page with what follows it, and how far the walk has come with it."""
        following = day + timedelta(days=1)
        page.next_cursor = following.isoformat() if following <= self._last_day() else None
        self._newest = day
        page.watermark = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(self.zone)).isoformat()
        return page

    def _absent(self, response: Response, day: date, form: str) -> SourcePage:
        """No archive of that day: it is not made yet, or, of an older day, missing."""
        if form == FORMS[0] and (self._yesterday() - day).days < NOT_READY_DAYS:
            self.run.note(f"{day} is not published yet")
            return SourcePage((), streamed=True, watermark="")
        if response.status == 400:
            raise refused(response)
        page = SourcePage((), streamed=True, gap=f"there is no {form} archive of {day}")
        return self._placed(page, day, form)

    def _yesterday(self) -> date:
        return datetime.now(UTC).astimezone(ZoneInfo(self.zone)).date() - timedelta(days=1)

    def _last_day(self) -> date:
        until = self.arguments.until
        return min(until, self._yesterday()) if until else self._yesterday()
