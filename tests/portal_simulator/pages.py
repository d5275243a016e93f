"""TED notices as they are searched and written: an index, and pages that are rendered once."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from portal_simulator.notices import LANGUAGES, InventedNotices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal_simulator.ted_query import Query

Notice = dict[str, Any]

TED_SITE = "https://ted.europa.eu"
CACHE_BYTES = 256 * 1024 * 1024
URL_LANGUAGES = {
    "bul": "bg", "spa": "es", "ces": "cs", "dan": "da", "deu": "de", "est": "et", "ell": "el", "eng": "en",
    "fra": "fr", "gle": "ga", "hrv": "hr", "ita": "it", "lav": "lv", "lit": "lt", "hun": "hu", "mlt": "mt",
    "nld": "nl", "pol": "pl", "por": "pt", "ron": "ro", "slk": "sk", "slv": "sl", "fin": "fi", "swe": "sv",
}  # fmt: skip


class Pages:
    """One edition of the notices; never changed once made."""

    def __init__(self, notices: Sequence[Notice]) -> None:
        self.notices = notices
        self._rendered: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()
        self._numbers: dict[str, int] | None = None

    def notice(self, publication_number: str) -> Notice | None:
        """The notice of that number (digits, a hyphen, the year)."""
        if isinstance(self.notices, InventedNotices):
            return self.notices.numbered(publication_number)
        if self._numbers is None:
            self._numbers = {str(n.get("publication-number")): i for i, n in enumerate(self.notices)}
        index = self._numbers.get(publication_number)
        return None if index is None else self.notices[index]

    def search(self, query: Query, scope: str = "ALL", *, newest_versions: bool = False) -> list[int]:
        """The places of the notices that match, in the query's order; equal ones by publication number."""
        found = [
            (_sort_key(notice, query.sort_field), i) for i, notice in enumerate(self.notices) if query.matches(notice)
        ]
        if scope == "LATEST":
            newest = max((self._day(i) for _, i in found), default="")
            found = [(key, i) for key, i in found if self._day(i) == newest]
        elif scope == "ACTIVE":
            today = datetime.now(UTC).date().isoformat()
            found = [(key, i) for key, i in found if _last_day(self.notices[i]) >= today]
        if newest_versions:
            found = self._newest(found)
        return [i for _, i in sorted(found, reverse=query.descending)]

    def _day(self, index: int) -> str:
        return str(self.notices[index].get("publication-date", ""))[:10]

    def _newest(self, found: list[tuple[Any, int]]) -> list[tuple[Any, int]]:
        newest: dict[str, tuple[int, tuple[Any, int]]] = {}
        for key, i in found:
            notice = self.notices[i]
            name, version = notice.get("notice-identifier", str(i)), int(notice.get("notice-version", 1))
            if name not in newest or newest[name][0] < version:
                newest[name] = (version, (key, i))
        return [place for _, place in newest.values()]

    def rendered(self, chosen: list[int], fields: tuple[str, ...], files_base: str) -> bytes:
        """The JSON array of the chosen notices with the fields asked for and their links."""
        key = (tuple(chosen), fields, files_base)
        with self._lock:
            if key in self._rendered:
                self._rendered.move_to_end(key)
                return self._rendered[key]
        body = b"[" + b",".join(_written(self.notices[i], fields, files_base) for i in chosen) + b"]"
        with self._lock:
            if key not in self._rendered:
                self._rendered[key] = body
                self._size += len(body)
            while self._size > CACHE_BYTES:
                self._size -= len(self._rendered.popitem(last=False)[1])
        return body


def _sort_key(notice: Notice, field: str) -> tuple[str, int, int]:
    value = notice.get(field, "")
    number, _, year = str(notice.get("publication-number", "0-0")).partition("-")
    return (str(value[0] if isinstance(value, list) and value else value)[:10], int(year or 0), int(number))


def _last_day(notice: Notice) -> str:
    names = ("deadline-receipt-tender-date-lot", "deadline-receipt-request-date-lot", "deadline-receipt-request")
    return max((str(day)[:10] for name in names for day in notice.get(name, [])), default="")


def _written(notice: Notice, fields: tuple[str, ...], files_base: str) -> bytes:
    shown = {name: notice[name] for name in fields if name != "links" and notice.get(name) not in (None, "", [])}
    text = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
    if "links" in notice:
        links = json.dumps(notice["links"], ensure_ascii=False, separators=(",", ":")).replace(TED_SITE, files_base)
    else:
        official = tuple(notice.get("official-language", ("ENG",)))
        links = _links(official, files_base).replace("@", str(notice.get("publication-number")))
    comma = "," if shown else ""
    return f'{text[:-1]}{comma}"links":{links}}}'.encode()


@cache
def _links(official: tuple[str, ...], base: str) -> str:
    """The links of a notice whose publication number is ``@``."""
    codes = [(code.upper(), URL_LANGUAGES[code]) for code in LANGUAGES]
    links = {
        "xml": {"MUL": f"{base}/en/notice/@/xml"},
        "pdf": {code: f"{base}/{short}/notice/@/pdf" for code, short in codes},
        "pdfs": {code: f"{base}/{short}/notice/@/pdfs" for code, short in codes if code in official},
        "html": {code: f"{base}/{short}/notice/-/detail/@" for code, short in codes},
        "htmlDirect": {code: f"{base}/{short}/notice/@/html" for code, short in codes},
    }
    return json.dumps(links, separators=(",", ":"))
