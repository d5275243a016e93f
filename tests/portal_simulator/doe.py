"""The German publication service's daily exports, and the feeds of Vergabemarktplatz NRW: archives of notices."""

from __future__ import annotations

import io
import threading
import zipfile
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from portal_simulator.doe_notices import GermanNotice, written
from portal_simulator.exchange import Answer, RecordedRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

EXPORTS_PATH = "/api/notice-exports"
FEEDS_PATH = "/VMPSatellite/opendata"
ZIP = "application/zip"
FIRST_DAY = date(2022, 12, 1)
NOT_PAST = "The specified pubDay exceeds the allowed range. It must lie in the past."
FORMS = ("eforms", "ocds", "csv")


def today() -> date:
    """The day in Germany."""
    return datetime.now(UTC).astimezone(ZoneInfo("Europe/Berlin")).date()


def packed(members: Iterable[tuple[str, bytes]]) -> bytes:
    """A ZIP of these members, in their order; names may repeat."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def members_of(notices: Sequence[GermanNotice]) -> list[tuple[str, bytes]]:
    return [(notice.member, written(notice)) for notice in notices]


class _Shelf:
    """Archives by name, each with an ETag that changes with every publication."""

    def __init__(self) -> None:
        self._archives: dict[str, tuple[bytes, int]] = {}
        self._lock = threading.Lock()

    def put(self, name: str, body: bytes) -> None:
        with self._lock:
            self._archives[name] = (body, self._archives.get(name, (b"", 0))[1] + 1)

    def take(self, name: str) -> None:
        with self._lock:
            self._archives.pop(name, None)

    def answer(self, request: RecordedRequest, name: str) -> Answer | None:
        with self._lock:
            found = self._archives.get(name)
        if found is None:
            return None
        tag = f'"version-{found[1]}"'
        if request.headers.get("if-none-match") == tag:
            return Answer(304, b"", None, [("ETag", tag)])
        return Answer(200, found[0], ZIP, [("ETag", tag)])


class DoePortal:
    """``publish`` gives a day its notices; a day without is a 404, today and days before the first a 400."""

    def __init__(self, url: str) -> None:
        self.url = url + EXPORTS_PATH
        self._shelf = _Shelf()

    def publish(self, day: date, notices: Sequence[GermanNotice]) -> None:
        self.publish_members(day, members_of(notices))

    def publish_members(self, day: date, members: Iterable[tuple[str, bytes]], form: str = "eforms") -> None:
        self.publish_body(day, packed(members), form)

    def publish_body(self, day: date, body: bytes, form: str = "eforms") -> None:
        """Whatever is to be sent as that day's archive."""
        self._shelf.put(f"{day} {form}", body)

    def withdraw(self, day: date, form: str = "eforms") -> None:
        self._shelf.take(f"{day} {form}")

    def answer(self, request: RecordedRequest) -> Answer:
        asked = request.parameters
        form = asked.get("format", "").removesuffix(".zip")
        try:
            day = date.fromisoformat(asked.get("pubDay", ""))
        except ValueError:
            return Answer.of_json({"message": "pubDay is not a date."}, 400)
        if day >= today() or day < FIRST_DAY:
            return Answer.of_json({"message": NOT_PAST}, 400)
        if form not in FORMS:
            return Answer(200, b"not acceptable", "text/plain")
        return self._shelf.answer(request, f"{day} {form}") or Answer.of_json({"message": "Not found"}, 404)


class NrwPortal:
    """Feeds by their ids; a feed holds all that is current."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._shelf = _Shelf()

    def feed_url(self, name: str) -> str:
        return f"{self._url}{FEEDS_PATH}?id={name}"

    def publish(self, name: str, notices: Sequence[GermanNotice]) -> str:
        return self.publish_members(name, members_of(notices))

    def publish_members(self, name: str, members: Iterable[tuple[str, bytes]]) -> str:
        """The feed's address."""
        self._shelf.put(name, packed(members))
        return self.feed_url(name)

    def answer(self, request: RecordedRequest) -> Answer:
        found = self._shelf.answer(request, request.parameters.get("id", ""))
        return found or Answer.of_html("<html><body>Es ist ein Fehler (404) aufgetreten!</body></html>", 404)
