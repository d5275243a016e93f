"""A page of a source with broken records on it: none of the good ones is lost, or the page is refused in one way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chaos.report import full
from fuzz.breaking import Kind, broken, changed_json
from fuzz.formats import FORMATS
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st
from recorder import source_spider
from scrapy.http import Request, TextResponse

from tenderscrapy.exceptions import SourceError
from tenderscrapy.items import SourcePage, to_json

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = 5_000 if full() else 100
KINDS = {one.name: one.kind for one in FORMATS}
TED = KINDS["TED JSON"].documents
RELEASES = KINDS["OCDS"].documents


def ted_answer(records: list[Any]) -> dict[str, Any]:
    return {"notices": records, "totalNoticeCount": len(records), "iterationNextToken": "next", "timedOut": False}


def package(records: list[Any]) -> dict[str, Any]:
    return {"releases": records, "links": {"next": "http://portal.example/Published/Notices/OCDS/Search?cursor=x"}}


SOURCES: list[tuple[str, Callable[[list[Any]], dict[str, Any]], Kind]] = [
    ("ted", ted_answer, KINDS["TED JSON"]),
    ("contracts_finder", package, KINDS["OCDS"]),
]
EVERY = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def parsed(source: str, answer: Any) -> SourcePage | None:
    """The page, None when the spider refused it as it may."""
    spider = source_spider(source)
    request = Request("http://portal.example/x", meta={"cursor": None})
    body = json.dumps(answer).encode()
    response = TextResponse(request.url, body=body, encoding="utf-8", request=request)
    try:
        return spider.parse_page(response)
    except SourceError:
        return None


@pytest.mark.chaos
@pytest.mark.timeout(3600 if full() else 300)
@pytest.mark.parametrize(("source", "answer", "kind"), SOURCES, ids=[source for source, *_ in SOURCES])
def test_a_broken_record_costs_itself_alone(
    source: str, answer: Callable[[list[Any]], dict[str, Any]], kind: Kind
) -> None:
    good = list(kind.documents[:2])
    alone = parsed(source, answer(good))
    assert alone is not None
    expected = [to_json(notice) for notice in alone.notices]
    assert len(expected) == len(good)

    @seed(7)
    @EVERY
    @given(st.lists(broken(kind), min_size=1, max_size=3))
    def every(bad: list[Any]) -> None:
        page = parsed(source, answer([good[0], *bad, good[1]]))
        assert page is not None
        assert page.count == len(bad) + 2
        assert page.rejected <= len(bad)
        found = [to_json(notice) for notice in page.notices]
        assert (found[0], found[-1]) == (expected[0], expected[1])

    every()


@pytest.mark.chaos
@pytest.mark.timeout(3600 if full() else 300)
@pytest.mark.parametrize(("source", "answer", "kind"), SOURCES, ids=[source for source, *_ in SOURCES])
def test_a_broken_page_is_a_page_or_a_source_error(
    source: str, answer: Callable[[list[Any]], dict[str, Any]], kind: Kind
) -> None:
    whole = Kind("page", (answer(list(kind.documents[:2])),), changed_json)

    @seed(7)
    @EVERY
    @given(broken(whole))
    def every(page: Any) -> None:
        found = parsed(source, page)
        assert found is None or found.count == len(found.notices) + found.rejected

    every()
