"""The part of TED's expert query language that a crawler uses, and the errors of the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from portal_simulator.ted_terms import Predicate, QueryError, contains, days, is_one_of, syntax_error, tokens

if TYPE_CHECKING:
    from collections.abc import Callable

ALIASES = {"PD": "publication-date", "ND": "publication-number", "TI": "notice-title", "CY": "buyer-country"}
DATE_PATTERN = r"[0-9]{8}|today([+-]?[0-9]*)"
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: which notices, by which field, and whether the greatest comes first."""

    matches: Predicate
    sort_field: str = "publication-date"
    descending: bool = False


def parse(query: str, fields: frozenset[str], today: date | None = None) -> Query:
    """The query; ``fields`` are the names that exist. Raises QueryError."""
    return _Parser(query, fields, today or datetime.now(UTC).date()).query()


class _Parser:
    def __init__(self, query: str, fields: frozenset[str], today: date) -> None:
        self._tokens = tokens(query)
        self._length = len(query)
        self._at = 0
        self._fields = fields
        self._today = today

    def query(self) -> Query:
        matches = self._either()
        if not self._is("SORT"):
            self._finish()
            return Query(matches)
        self._take("SORT")
        self._take("BY")
        field = self._field(self._word())
        descending = self._is("DESC")
        if descending:
            self._take("DESC")
        self._finish()
        return Query(matches, field, descending)

    def _finish(self) -> None:
        if self._at < len(self._tokens):
            raise self._unexpected()

    def _unexpected(self) -> QueryError:
        if self._at < len(self._tokens):
            return syntax_error(self._tokens[self._at].start, self._tokens[self._at].end)
        return syntax_error(self._length, self._length)

    def _is(self, *texts: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at].text in texts

    def _take(self, *texts: str) -> str:
        if texts and not self._is(*texts):
            raise self._unexpected()
        if self._at >= len(self._tokens):
            raise self._unexpected()
        self._at += 1
        return self._tokens[self._at - 1].text

    def _word(self) -> str:
        if self._at < len(self._tokens) and self._tokens[self._at].kind in ("word", "text", "today"):
            return self._take()
        raise self._unexpected()

    def _either(self) -> Predicate:
        options = [self._both()]
        while self._is("OR"):
            self._take("OR")
            options.append(self._both())
        return options[0] if len(options) == 1 else lambda notice: any(option(notice) for option in options)

    def _both(self) -> Predicate:
        conditions = [self._one()]
        while self._is("AND"):
            self._take("AND")
            conditions.append(self._one())
        return conditions[0] if len(conditions) == 1 else lambda notice: all(test(notice) for test in conditions)

    def _one(self) -> Predicate:
        if self._is("NOT"):
            self._take("NOT")
            negated = self._one()
            return lambda notice: not negated(notice)
        if self._is("("):
            self._take("(")
            inner = self._either()
            self._take(")")
            return inner
        name = self._word()
        if name == "FT":
            self._take("~", "=")
            return contains(None, self._values())
        field = self._field(name)
        if self._is("IN"):
            self._take("IN")
            return is_one_of(field, self._values())
        return self._comparison(field, self._take("=", ">=", "<=", ">", "<", "!=", "~"))

    def _field(self, name: str) -> str:
        field = ALIASES.get(name, name)
        if field not in self._fields:
            raise QueryError(f"Unknown field '{name}' in expert query", type="QUERY_UNKNOWN_FIELD", fieldName=name)
        return field

    def _values(self) -> list[str]:
        if not self._is("("):
            return [self._word().strip("\"'")]
        self._take("(")
        values = [self._word().strip("\"'")]
        while not self._is(")"):
            values.append(self._word().strip("\"'"))
        self._take(")")
        return values

    def _comparison(self, field: str, operator: str) -> Predicate:
        if field.endswith("-date") or "-date-" in field:
            return self._date_comparison(field, operator)
        values = self._values()
        if operator == "~":
            return contains(field, values)
        if operator not in ("=", "!="):
            message = f"Operation '{operator}' is not supported for field '{field}'"
            raise QueryError(message, type="QUERY_UNSUPPORTED_FIELD_OPERATION", operation=operator, fieldName=field)
        found = is_one_of(field, values)
        return found if operator == "=" else lambda notice: not found(notice)

    def _date_comparison(self, field: str, operator: str) -> Predicate:
        if operator == "=" and self._is("("):
            self._take("(")
            first = self._date(field)
            self._take("<>")
            last = self._date(field)
            self._take(")")
            return lambda notice: any(first <= day <= last for day in days(notice, field))
        if operator == "~":
            raise self._unexpected()
        bound, compare = self._date(field), _COMPARE[operator]
        return lambda notice: bool(bound) and any(compare(day, bound) for day in days(notice, field))

    def _date(self, field: str) -> str:
        """Eight digits; "" for eight digits that are no day, which TED takes and finds nothing for."""
        text = self._word()
        if relative := re.fullmatch(r"today(?:\(\s*([+-]?\d*)\s*\))?", text):
            shift = relative[1] or "0"
            return (self._today + timedelta(days=int(shift if shift.strip("+-") else "0"))).strftime("%Y%m%d")
        if not re.fullmatch(r"\d{8}", text):
            raise QueryError(
                f"Invalid value '{text}' for field '{field}'",
                type="QUERY_INVALID_FIELD_FORMAT",
                fieldName=field,
                allowedPattern=DATE_PATTERN,
            )
        try:
            day = datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
        except ValueError:
            return ""
        return text if day.year > 1900 else ""
