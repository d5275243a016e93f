"""The part of TED's expert query language that a crawler uses, and the errors of the rest."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

Notice = dict[str, Any]
Predicate = Callable[[Notice], bool]

ALIASES = {"PD": "publication-date", "ND": "publication-number", "TI": "notice-title", "CY": "buyer-country"}
DATE_PATTERN = r"[0-9]{8}|today([+-]?[0-9]*)"
_TOKEN = re.compile(
    r"""\s*(?:(?P<today>today\(\s*[+-]?\d*\s*\))|(?P<text>"[^"]*"|'[^']*')|(?P<operator><>|>=|<=|!=|[=<>~])"""
    r"""|(?P<bracket>[()])|(?P<word>[^\s()=<>!~"',]+))"""
)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class QueryError(Exception):
    """A query that TED refuses; ``error`` is the ``error`` member of its answer."""

    def __init__(self, message: str, **error: Any) -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query: which notices, by which field, and whether the greatest comes first."""

    matches: Predicate
    sort_field: str = "publication-date"
    descending: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def parse(query: str, fields: frozenset[str], today: date | None = None) -> Query:
    """The query; ``fields`` are the names that exist. Raises QueryError."""
    return _Parser(query, fields, today or datetime.now(UTC).date()).query()


def _tokens(query: str) -> list[_Token]:
    tokens, at = [], 0
    while query[at:].strip():
        found = _TOKEN.match(query, at)
        if found is None:
            at += len(query[at:]) - len(query[at:].lstrip())
            raise _syntax_error(at, at + 1)
        kind = str(found.lastgroup)
        tokens.append(_Token(kind, found[kind], found.start(kind), found.end(kind)))
        at = found.end()
    return tokens


def _syntax_error(start: int, end: int) -> QueryError:
    return QueryError(
        f"Syntax error in expert query at line 1, col {start + 1}",
        type="QUERY_SYNTAX_ERROR",
        location={"beginLine": 1, "beginColumn": start + 1, "endLine": 1, "endColumn": end},
    )


class _Parser:
    def __init__(self, query: str, fields: frozenset[str], today: date) -> None:
        self._tokens = _tokens(query)
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
            return _syntax_error(self._tokens[self._at].start, self._tokens[self._at].end)
        return _syntax_error(self._length, self._length)

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
            return _contains(None, self._values())
        field = self._field(name)
        if self._is("IN"):
            self._take("IN")
            return _is_one_of(field, self._values())
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
            return _contains(field, values)
        if operator not in ("=", "!="):
            message = f"Operation '{operator}' is not supported for field '{field}'"
            raise QueryError(message, type="QUERY_UNSUPPORTED_FIELD_OPERATION", operation=operator, fieldName=field)
        found = _is_one_of(field, values)
        return found if operator == "=" else lambda notice: not found(notice)

    def _date_comparison(self, field: str, operator: str) -> Predicate:
        if operator == "=" and self._is("("):
            self._take("(")
            first = self._date(field)
            self._take("<>")
            last = self._date(field)
            self._take(")")
            return lambda notice: any(first <= day <= last for day in _days(notice, field))
        if operator == "~":
            raise self._unexpected()
        bound, compare = self._date(field), _COMPARE[operator]
        return lambda notice: bool(bound) and any(compare(day, bound) for day in _days(notice, field))

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


def _values_of(notice: Notice, field: str) -> list[str]:
    value = notice.get(field, [])
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def _days(notice: Notice, field: str) -> list[str]:
    return [value[:10].replace("-", "") for value in _values_of(notice, field)]


def _contains(field: str | None, values: list[str]) -> Predicate:
    needles = [value.strip("*").casefold() for value in values]

    def test(notice: Notice) -> bool:
        text = json.dumps(notice if field is None else notice.get(field, ""), ensure_ascii=False).casefold()
        return any(needle in text for needle in needles)

    return test


def _is_one_of(field: str, values: list[str]) -> Predicate:
    beginnings = tuple(_beginning(field, value) for value in values)
    return lambda notice: any(
        (has.startswith(text) if open_end else has == text)
        for has in _values_of(notice, field)
        for text, open_end in beginnings
    )


def _beginning(field: str, value: str) -> tuple[str, bool]:
    """The text to compare with, and whether it is only a beginning."""
    if value.endswith("*"):
        return value[:-1], True
    whole = {"classification-cpv": r"\d{8}", "buyer-country": r"[A-Z]{3}"}.get(field)
    if whole and not re.fullmatch(whole, value):
        raise QueryError(
            f"Value '{value}' is not supported for field '{field}'",
            type="QUERY_UNSUPPORTED_FIELD_VALUE",
            fieldName=field,
            fieldValue=value,
        )
    if field == "classification-cpv":
        return value[:2] + value[2:].rstrip("0"), True
    return value, False
