"""Instants and deadlines from the spellings that procurement sources use. Every result is in UTC.

A written offset is honoured as it stands, even one that is wrong for the season: it is what the buyer signed. A local
time that happens twice (clocks set back) is taken as its first, earlier instant; one that never happens (clocks set
forward) is read with the offset that was valid before the change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_OFFSET = r"(?P<offset>[Zz]|[+-]\d{2}(?::?\d{2})?)"
_DATE = r"(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})"
_TIME = r"(?P<hour>\d{2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?)?"
_ISO_DATE = re.compile(rf"{_DATE}{_OFFSET}?", re.ASCII)
_ISO_TIME = re.compile(rf"{_TIME}\s*{_OFFSET}?", re.ASCII)
_ISO_INSTANT = re.compile(rf"{_DATE}[Tt ]\s*{_TIME}\s*{_OFFSET}?", re.ASCII)
_GERMAN = re.compile(
    r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4}|\d{2})"
    r"(?:,?\s*(?:um\s+)?(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2})(?::(?P<second>\d{2}))?(?:\s*Uhr)?|\s*Uhr))?",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_OFFSET = timedelta(hours=14)


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when something may be handed in.

    ``at`` is UTC. ``is_date``: the source gave a day only, ``at`` is its last second there. ``zone`` is an IANA name
    when the source's zone is known and agrees with the written offset at that instant, else the offset (``+02:00``).
    """

    at: datetime
    is_date: bool
    zone: str


def instant(text: str, zone: str | None = None) -> datetime:
    """The UTC instant of an ISO 8601 date and time; a date alone is the start of that day.

    A text without offset is read in the IANA ``zone``. Fractions are cut to microseconds. Raises ValueError on
    anything else, on impossible dates, and on a text without offset when ``zone`` is None.
    """
    text = text.strip()
    match = _ISO_INSTANT.fullmatch(text) or _ISO_DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"not a date and time: {text[:60]!r}")
    parts = match.groupdict()
    return _utc(_day(parts), _clock(parts), _written(parts) or _zone(zone))


def deadline(date: str, time: str | None = None, zone: str | None = None) -> Deadline:
    """The deadline of separate date and time texts, each with or without an offset (``2026-10-02+02:00``).

    The time's offset wins over the date's, a written one over ``zone`` (IANA). ``date`` may be a full date and time
    when ``time`` is None. Raises ValueError when unreadable, or when neither an offset nor ``zone`` is known.
    """
    day_text = date.strip()
    whole = _ISO_INSTANT.fullmatch(day_text)
    days = whole or _ISO_DATE.fullmatch(day_text)
    if days is None:
        raise ValueError(f"not a date: {day_text[:60]!r}")
    clocks = whole
    if time is not None and time.strip():
        clocks = _ISO_TIME.fullmatch(time.strip())
        if clocks is None:
            raise ValueError(f"not a time: {time.strip()[:60]!r}")
    clock_parts = clocks.groupdict() if clocks else {}
    written = _written(clock_parts) or _written(days.groupdict())
    clock = _clock(clock_parts) if clocks else None
    return _deadline(_day(days.groupdict()), clock, written, zone)


def german_deadline(text: str, zone: str = "Europe/Berlin") -> Deadline:
    """The deadline of ``15.07.2026``, ``15.07.26, 12:00 Uhr`` or ``15.07.2026 um 12:00 Uhr``, local to ``zone``.

    Two-digit years are of this century. Raises ValueError when unreadable.
    """
    match = _GERMAN.fullmatch(" ".join(text.split()))
    if match is None:
        raise ValueError(f"not a German date: {text.strip()[:60]!r}")
    parts = match.groupdict()
    clock = _clock(parts) if parts["hour"] is not None else None
    return _deadline(_day(parts), clock, None, zone)


def _deadline(day: date, clock: timedelta | None, written: tzinfo | None, zone: str | None) -> Deadline:
    offset = written or _zone(zone)
    if clock is None:
        # From the end backwards: right also where the day's last hour happens twice or its end is skipped.
        at = _utc(day, timedelta(days=1), offset) - timedelta(seconds=1)
    else:
        at = _utc(day, clock, offset)
    return Deadline(at, clock is None, _zone_name(at, written, zone))


def _zone_name(at: datetime, written: tzinfo | None, zone: str | None) -> str:
    """``zone`` when it has the ``written`` offset at that instant (or none was written), else the offset's text.

    An unknown zone name counts as None when an offset was written. Raises ValueError when both are missing.
    """
    if written is None:
        return str(_zone(zone))
    offset = at.astimezone(written).utcoffset()
    try:
        if zone and at.astimezone(_zone(zone)).utcoffset() == offset:
            return zone
    except (ValueError, OverflowError):
        pass
    return at.astimezone(written).isoformat()[-6:]


def _utc(day: date, clock: timedelta, zone: tzinfo) -> datetime:
    try:
        # Wall-clock arithmetic first, the zone after it: 24:00 is the next day's 00:00 there, however long the day.
        return (datetime.combine(day, time()) + clock).replace(tzinfo=zone).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"out of range: {day}") from error


def _day(parts: dict[str, str | None]) -> date:
    year = int(parts["year"] or "")
    return date(
        year + 2000 if len(parts["year"] or "") == 2 else year, int(parts["month"] or ""), int(parts["day"] or "")
    )


def _clock(parts: dict[str, str | None]) -> timedelta:
    hour, minute, second = (int(parts.get(name) or 0) for name in ("hour", "minute", "second"))
    fraction = int((parts.get("fraction") or "")[:6].ljust(6, "0"))
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second or fraction)):
        raise ValueError(f"no such time: {hour:02d}:{minute:02d}:{second:02d}")
    return timedelta(hours=hour, minutes=minute, seconds=second, microseconds=fraction)


def _written(parts: dict[str, str | None]) -> timezone | None:
    text = parts.get("offset")
    if not text:
        return None
    if text in "Zz":
        return UTC
    digits = text[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    if offset > _LONGEST_OFFSET or int(digits[2:]) > 59:
        raise ValueError(f"no such offset: {text}")
    return timezone(-offset if text[0] == "-" else offset)


def _zone(zone: str | None) -> tzinfo:
    if not zone:
        raise ValueError("neither an offset nor a time zone is known")
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise ValueError(f"no such time zone: {zone[:60]!r}") from error
