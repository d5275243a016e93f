"""The bundled sample: documents in the shapes of three portals, and files, all of them invented.

Dates in the documents are tokens, days counted from an anchor, so that the sample looks alive whenever it is read:
``{{+35 10:00 Europe/Berlin}}`` is an instant, with `` time`` at its end only its clock time; without a clock it is a
day, without a zone a day without offset. Days that fall on a weekend are moved back to the Friday before.

The anchor is the first of the current month. Counted from today, every run would find every notice changed; counted
from a fixed day, everything would be closed within weeks. So within a month nothing changes, at its turn all dates
move on together, and what is due later than day 31 is open all the month.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

#: Where the documents say that their files lie; nothing is ever fetched from there.
FILES_HOST = "files.sample.example"

_TOKEN = re.compile(r"\{\{([+-]\d+)(?: (\d\d):(\d\d))?(?: ([A-Z]\w+/\w+))?( time)?\}\}", re.ASCII)
_PAGE_SIZE = 25
_SAFE_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


def anchor_of(today: date | None = None) -> date:
    """The day that all dates of the sample are counted from."""
    return (today or datetime.now(UTC).date()).replace(day=1)


def pages() -> list[tuple[str, list[str]]]:
    """Of every page the imitated source (``ted``, ``contracts_finder``, ``doe``) and the names of its documents."""
    found = []
    for source in ("ted", "contracts_finder", "doe"):
        names = sorted(entry.name for entry in _folder(source).iterdir() if entry.name.endswith((".json", ".xml")))
        if source == "doe":
            chunks = [names[start : start + _PAGE_SIZE] for start in range(0, len(names), _PAGE_SIZE)]
        else:
            chunks = [[name] for name in names]
        found += [(source, [f"{source}/{name}" for name in chunk]) for chunk in chunks]
    return found


def documents(number: int, anchor: date) -> tuple[str, list[Any]]:
    """The imitated source of page ``number`` (from 0) and its documents: dicts, of eForms the XML bytes.

    Raises IndexError behind the last page.
    """
    source, names = pages()[number]
    texts = [dated(_folder().joinpath(name).read_text(encoding="utf-8"), anchor) for name in names]
    if source == "doe":
        return source, [text.encode() for text in texts]
    answer = json.loads(texts[0])
    return source, answer["notices" if source == "ted" else "releases"]


@cache
def total() -> int:
    """How many documents all pages have together."""
    return sum(len(documents(number, anchor_of())[1]) for number in range(len(pages())))


def dated(text: str, anchor: date) -> str:
    """``text`` with a date in place of every token."""
    return _TOKEN.sub(lambda match: _written(match, anchor), text)


def _written(match: re.Match[str], anchor: date) -> str:
    days, hour, minute, zone, time_only = match.groups()
    day = anchor + timedelta(days=int(days))
    day -= timedelta(days=max(0, day.weekday() - 4))
    if zone is None:
        return day.isoformat()
    at = datetime(day.year, day.month, day.day, int(hour or 0), int(minute or 0), tzinfo=ZoneInfo(zone))
    written = at.isoformat()
    offset = "Z" if written.endswith("+00:00") else written[-6:]
    if hour is None:
        return written[:10] + offset
    return (written[11:19] if time_only else written[:19]) + offset


def file(name: str) -> bytes:
    """The content of a bundled file.

    Raises FileNotFoundError for a name that is not bundled.
    """
    entry = _folder("files").joinpath(name) if _SAFE_NAME.fullmatch(name) else None
    if entry is None or not entry.is_file():
        raise FileNotFoundError(f"the sample has no file {name[:100]!r}")
    return entry.read_bytes()


def _folder(name: str = "") -> Traversable:
    root = resources.files("spiders").joinpath("sample_data")
    return root.joinpath(name) if name else root
