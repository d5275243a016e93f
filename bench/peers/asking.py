"""How every contender asks: the same question, page by page."""

from __future__ import annotations

from typing import Any

from tenderscrapy.formats.ted_json import FIELDS

#: Seconds between two requests of any contender: above 0, since Scrapy's limits do not hold without a delay.
DELAY = 0.001
LIMIT = 250


def question(since: str, token: str | None) -> dict[str, Any]:
    """The body of a search, as TED's iteration wants it."""
    body: dict[str, Any] = {
        "query": f"publication-date>={since.replace('-', '')} SORT BY publication-date DESC",
        "fields": list(FIELDS),
        "limit": LIMIT,
        "scope": "ALL",
        "paginationMode": "ITERATION",
        "onlyLatestVersions": False,
        "checkQuerySyntax": False,
    }
    if token is not None:
        body["iterationNextToken"] = token
    return body
