"""How far a source has been read: the arguments of a walk, its stored cursor, and what the next walk starts with."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

from tenderscrapy.exceptions import ConfigurationError


@dataclass(frozen=True, slots=True)
class WalkArguments:
    """What the user asked for: both dates inclusive, ``max_pages`` at least 1, ``query`` in the source's own words."""

    since: date | None = None
    until: date | None = None
    max_pages: int | None = None
    query: str | None = None

    @classmethod
    def parse(
        cls,
        since: str | None = None,
        until: str | None = None,
        max_pages: str | int | None = None,
        query: str | None = None,
    ) -> Self:
        """Read the arguments as given to ``scrapy crawl -a``.

        Raises ConfigurationError that names the argument and its value.
        """
        first, last = _date("since", since), _date("until", until)
        if first and last and first > last:
            raise ConfigurationError(f"since={since} lies after until={until}; no day is left to read")
        return cls(first, last, _positive("max_pages", max_pages), (query or "").strip() or None)


def _date(name: str, value: str | None) -> date | None:
    if not value:
        return None
    try:
        return datetime.strptime(value, "%Y-%m-%d").date()  # noqa: DTZ007 - a calendar day has no zone
    except ValueError:
        raise ConfigurationError(f"{name}={value!r} is not a date; write it as 2026-11-30") from None


def _positive(name: str, value: str | int | None) -> int | None:
    if value in (None, ""):
        return None
    try:
        number = int(str(value))
    except ValueError:
        number = 0
    if number < 1:
        raise ConfigurationError(f"{name}={value!r} is not a whole number above 0")
    return number


@dataclass(frozen=True, slots=True)
class Cursor:
    """The JSON in ``source.cursor``.

    ``position`` is the source's own cursor of the next page, None when no walk is under way; ``watermark`` the highest
    edition date committed by a complete walk (ISO 8601); ``walk`` the hash of what the walk under way asked for;
    ``fetched`` how many notices it has committed so far; ``left_out`` whether its pages lacked some, so that the
    next walk has to read them again; ``marks`` what pages wanted remembered (an ETag), by page.
    """

    position: Any = None
    watermark: str | None = None
    walk: str | None = None
    since: str | None = None
    until: str | None = None
    fetched: int = 0
    left_out: bool = False
    marks: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_stored(cls, stored: dict[str, Any] | None) -> Self:
        """The cursor as stored; names written by other versions are ignored."""
        known = {name: value for name, value in (stored or {}).items() if name in cls.__dataclass_fields__}
        return cls(**known)

    def to_stored(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Walk:
    """One walk over a source: its window, and the cursor that it goes on from."""

    since: date
    until: date | None
    query: str | None
    cursor: Cursor

    @property
    def position(self) -> Any:
        """Where to go on; None is the first page."""
        return self.cursor.position


def plan(
    arguments: WalkArguments,
    stored: Cursor,
    *,
    fields: tuple[str, ...] = (),
    zone: str = "UTC",
    first_days: int = 7,
    overlap: int = 0,
    today: date | None = None,
) -> Walk:
    """Decide what to walk: go on with a stopped walk of the same question, else begin at the watermark's day.

    ``zone`` is where the source's days begin; without watermark and ``since`` the last ``first_days`` days are read.
    ``overlap`` days before the watermark's are read again, as the source still changes them.
    """
    if stored.position is not None and stored.since:
        resumed_since = arguments.since or date.fromisoformat(stored.since)
        resumed_until = arguments.until or (date.fromisoformat(stored.until) if stored.until else None)
        if walk_hash(arguments.query, fields, resumed_since, resumed_until) == stored.walk:
            return Walk(resumed_since, resumed_until, arguments.query, stored)
    since = arguments.since or _first_day(stored, zone, first_days, today, overlap)
    if arguments.until and since > arguments.until:
        since = arguments.until
    cursor = replace(
        stored,
        position=None,
        walk=walk_hash(arguments.query, fields, since, arguments.until),
        since=since.isoformat(),
        until=arguments.until.isoformat() if arguments.until else None,
        fetched=0,
        left_out=False,
    )
    return Walk(since, arguments.until, arguments.query, cursor)


def _first_day(stored: Cursor, zone: str, first_days: int, today: date | None, overlap: int) -> date:
    if stored.watermark:
        day = datetime.fromisoformat(stored.watermark).astimezone(ZoneInfo(zone)).date()
        return day - timedelta(days=overlap)
    return (today or datetime.now(UTC).astimezone(ZoneInfo(zone)).date()) - timedelta(days=first_days)


def walk_hash(query: str | None, fields: tuple[str, ...], since: date, until: date | None) -> str:
    """Equal for two walks exactly when a position of one is a position of the other."""
    question = [query or "", sorted(fields), since.isoformat(), until.isoformat() if until else ""]
    return hashlib.sha256(json.dumps(question).encode()).hexdigest()[:32]
