"""Words of the query language, and the conditions that they stand for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Notice = dict[str, Any]
Predicate = Callable[[Notice], bool]

_TOKEN = re.compile(
    r"""\s*(?:(?P<today>today\(\s*[+-]?\d*\s*\))|(?P<text>"[^"]*"|'[^']*')|(?P<operator><>|>=|<=|!=|[=<>~])"""
    r"""|(?P<bracket>[()])|(?P<word>[^\s()=<>!~"',]+))"""
)


class QueryError(Exception):
    """A query that TED refuses; ``error`` is the ``error`` member of its answer."""

    def __init__(self, message: str, **error: Any) -> None:
        super().__init__(message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Token:
    """A word of the query; ``kind`` is a group of ``_TOKEN``, places count from 0."""

    kind: str
    text: str
    start: int
    end: int


def tokens(query: str) -> list[Token]:
    """The words of ``query``. Raises QueryError."""
    found_tokens, at = [], 0
    while query[at:].strip():
        found = _TOKEN.match(query, at)
        if found is None:
            at += len(query[at:]) - len(query[at:].lstrip())
            raise syntax_error(at, at + 1)
        kind = str(found.lastgroup)
        found_tokens.append(Token(kind, found[kind], found.start(kind), found.end(kind)))
        at = found.end()
    return found_tokens


def syntax_error(start: int, end: int) -> QueryError:
    return QueryError(
        f"Syntax error in expert query at line 1, col {start + 1}",
        type="QUERY_SYNTAX_ERROR",
        location={"beginLine": 1, "beginColumn": start + 1, "endLine": 1, "endColumn": end},
    )


def _values_of(notice: Notice, field: str) -> list[str]:
    value = notice.get(field, [])
    return [str(v) for v in value] if isinstance(value, list) else [str(value)]


def days(notice: Notice, field: str) -> list[str]:
    return [value[:10].replace("-", "") for value in _values_of(notice, field)]


def contains(field: str | None, values: list[str]) -> Predicate:
    needles = [value.strip("*").casefold() for value in values]

    def test(notice: Notice) -> bool:
        text = json.dumps(notice if field is None else notice.get(field, ""), ensure_ascii=False).casefold()
        return any(needle in text for needle in needles)

    return test


def is_one_of(field: str, values: list[str]) -> Predicate:
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
