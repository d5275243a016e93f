"""What a reader may narrow tenders by: parsed once, and shared by search, lists, pages and links."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from psycopg2 import sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

STATES = ("planned", "open", "closed", "awarded", "cancelled")


class FilterError(ValueError):
    """A filter is unknown or its value cannot be read; ``field`` names it."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Every part narrows; the values of one part are alternatives.

    ``nuts`` and ``cpv`` are prefixes (a CPV code stands for its whole branch). ``status`` is what
    ``tender_state`` says, so ``closed`` is an open tender whose deadline has passed. The value range is compared
    with the amount as published; without ``value_currency`` no currency is converted or left out.
    ``has_documents`` means files that can be downloaded here.
    """

    country: tuple[str, ...] = ()
    nuts: tuple[str, ...] = ()
    cpv: tuple[str, ...] = ()
    buyer: str | None = None
    source: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    procedure_type: tuple[str, ...] = ()
    notice_type: tuple[str, ...] = ()
    deadline_from: datetime | None = None
    deadline_to: datetime | None = None
    published_from: datetime | None = None
    published_to: datetime | None = None
    value_min: Decimal | None = None
    value_max: Decimal | None = None
    value_currency: str | None = None
    has_documents: bool | None = None

    @classmethod
    def parse(cls, values: Mapping[str, Any]) -> Filters:
        """The filters of JSON or query-string values; absent, null and empty values do not narrow.

        Raises FilterError for a name that is no filter and for a value that cannot be read.
        """
        parsed: dict[str, Any] = {}
        for name, value in values.items():
            reader = _READERS.get(name)
            if reader is None:
                raise FilterError(name, f"unknown filter; known are {', '.join(FILTER_NAMES)}")
            if value is None or value in ("", [], ()):
                continue
            try:
                parsed[name] = reader(value)
            except (ValueError, TypeError, ArithmeticError) as error:
                raise FilterError(name, str(error)) from error
        return cls(**parsed)

    def __bool__(self) -> bool:
        return any(value not in (None, ()) for _, value in self.items())

    def items(self) -> Iterator[tuple[str, Any]]:
        """Every filter's name and parsed value, the empty ones too."""
        return ((f.name, getattr(self, f.name)) for f in fields(self))

    def condition(self, now: datetime) -> tuple[sql.Composable, dict[str, Any]]:
        """The SQL condition on ``tender t`` and its parameters; ``TRUE`` when nothing narrows."""
        chosen = [name for name, value in self.items() if value not in (None, ())]
        parameters = {name: _parameter(name, getattr(self, name)) for name in chosen if name != "has_documents"}
        conditions: list[sql.Composable] = [_CONDITIONS[name] for name in chosen if name != "has_documents"]
        if self.has_documents is not None:
            conditions.append(_HAS_DOCUMENTS if self.has_documents else sql.SQL("NOT ") + _HAS_DOCUMENTS)
        if self.status:
            parameters["now"] = now
        return (sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("TRUE")), parameters


FILTER_NAMES = tuple(f.name for f in fields(Filters))

_CONDITIONS = {
    "country": sql.SQL("t.country = ANY(%(country)s)"),
    "nuts": sql.SQL("code_branches(t.nuts) && %(nuts)s"),
    "cpv": sql.SQL("code_branches(t.cpv) && %(cpv)s"),
    "buyer": sql.SQL("unaccent(t.buyer_name) ILIKE unaccent(%(buyer)s)"),
    "source": sql.SQL(
        "EXISTS (SELECT FROM tender_source s WHERE s.tender_id = t.id AND s.source_code = ANY(%(source)s))"
    ),
    "status": sql.SQL("tender_state(t.status, t.deadline_at, %(now)s) = ANY(%(status)s)"),
    "procedure_type": sql.SQL("t.procedure_type = ANY(%(procedure_type)s)"),
    "notice_type": sql.SQL("t.notice_type = ANY(%(notice_type)s)"),
    "deadline_from": sql.SQL("t.deadline_at >= %(deadline_from)s"),
    "deadline_to": sql.SQL("t.deadline_at <= %(deadline_to)s"),
    "published_from": sql.SQL("t.published_at >= %(published_from)s"),
    "published_to": sql.SQL("t.published_at <= %(published_to)s"),
    "value_min": sql.SQL("coalesce(t.value_amount, t.value_min_amount) >= %(value_min)s"),
    "value_max": sql.SQL("coalesce(t.value_amount, t.value_min_amount) <= %(value_max)s"),
    "value_currency": sql.SQL("t.value_currency = %(value_currency)s"),
}
_HAS_DOCUMENTS = sql.SQL("EXISTS (SELECT FROM attachment f WHERE f.tender_id = t.id AND f.status = 'ready')")


def _parameter(name: str, value: Any) -> Any:
    if name == "buyer":
        return f"%{like_pattern(value)}%"
    return list(value) if isinstance(value, tuple) else value


def like_pattern(text: str) -> str:
    """``text`` as a LIKE pattern that means itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def cpv_prefix(code: str) -> str:
    """The part of a CPV code that names its branch: ``72260000-5`` -> ``7226``, never less than the division."""
    digits = code.split("-", maxsplit=1)[0].strip()
    if not (digits.isascii() and digits.isdigit() and 2 <= len(digits) <= 8):
        raise ValueError(f"{code[:40]!r} is no CPV code: two to eight digits")
    return max(digits.rstrip("0"), digits[:2], key=len)


def _words(value: Any, convert: Callable[[str], str] = str) -> tuple[str, ...]:
    values: Sequence[Any] = [value] if isinstance(value, str) else value
    if len(values) > 100:
        raise ValueError("more than 100 values")
    return tuple(dict.fromkeys(convert(_word(v)) for v in values if v != ""))


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{str(value)[:40]!r} is no text")
    text = "".join(c for c in value if c.isprintable()).strip()
    if not text or len(text) > 200:
        raise ValueError("a value is empty or longer than 200 characters")
    return text


def _upper(value: str) -> str:
    return value.upper()


def _state(value: str) -> str:
    if value not in STATES:
        raise ValueError(f"{value[:40]!r} is none of {', '.join(STATES)}")
    return value


def _amount(value: Any) -> Decimal:
    try:
        amount = Decimal(str(value))
    except InvalidOperation as error:
        raise ValueError(f"{str(value)[:40]!r} is no number") from error
    if isinstance(value, bool) or not amount.is_finite() or abs(amount) > Decimal("1e18"):
        raise ValueError(f"{str(value)[:40]!r} is no usable amount")
    return amount


def _yes_or_no(value: Any) -> bool:
    known = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}
    if not isinstance(value, bool | str) or value not in known:
        raise ValueError(f"{str(value)[:40]!r} is neither true nor false")
    return known[value]


def _instant(value: Any, *, end: bool) -> datetime:
    text = _word(value)
    try:
        if len(text) == 10:
            day = datetime.combine(date.fromisoformat(text), time.min, UTC)
            return day + timedelta(days=1, microseconds=-1) if end else day
        instant = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text[:40]!r} is neither a date (2026-07-15) nor an instant with its offset") from error
    if instant.tzinfo is None:
        raise ValueError(f"{text[:40]!r} lacks its offset (2026-07-15T12:00:00+02:00)")
    return instant.astimezone(UTC)


_READERS: dict[str, Callable[[Any], Any]] = {
    "country": lambda value: _words(value, _upper),
    "nuts": lambda value: _words(value, _upper),
    "cpv": lambda value: _words(value, cpv_prefix),
    "buyer": _word,
    "source": _words,
    "status": lambda value: _words(value, _state),
    "procedure_type": _words,
    "notice_type": _words,
    "deadline_from": lambda value: _instant(value, end=False),
    "deadline_to": lambda value: _instant(value, end=True),
    "published_from": lambda value: _instant(value, end=False),
    "published_to": lambda value: _instant(value, end=True),
    "value_min": _amount,
    "value_max": _amount,
    "value_currency": lambda value: _word(value).upper(),
    "has_documents": _yes_or_no,
}
