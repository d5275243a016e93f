r"""NUL and lone surrogates from raw answers (``\u0000``, ``\ud800``) and from files, into a real PostgreSQL."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from recorder import source_spider
from scrapy.http import Request, TextResponse

from indexer_worker.reading import Reading
from portal_simulator import invented_contracts_finder_releases, invented_ted_notices
from tenderscrapy.database.committing import commit
from tenderscrapy.database.pool import connect
from tenderscrapy.identity.keys import strong_keys

if TYPE_CHECKING:
    from collections.abc import Callable

BAD = "Stra\0ße \ud800am Deich"


def ted_answer() -> dict[str, Any]:
    notices = list(invented_ted_notices(3))
    notices[1]["title-proc"] = {"deu": BAD}
    return {"notices": notices, "totalNoticeCount": 3, "iterationNextToken": "next", "timedOut": False}


def package() -> dict[str, Any]:
    releases = list(invented_contracts_finder_releases(3))
    releases[1]["tender"]["title"] = BAD
    return {"releases": releases, "links": {}}


@pytest.mark.parametrize(("source", "answer"), [("ted", ted_answer()), ("contracts_finder", package())])
def test_raw_json_with_u0000_is_stored_without_it_and_so_is_the_rest_of_its_batch(
    database: str, ask: Callable[..., list[tuple[Any, ...]]], source: str, answer: dict[str, Any]
) -> None:
    body = json.dumps(answer).encode()
    assert b"Stra\\u0000\\u00dfe \\ud800am" in body
    request = Request("http://portal.example/x", meta={"cursor": None})
    page = source_spider(source).parse_page(TextResponse(request.url, body=body, encoding="utf-8", request=request))
    notices = list(page.notices)
    for notice in notices:
        notice.keys = strong_keys(notice)
    with closing(connect(database)) as connection:
        assert commit(connection, notices) == ["new"] * 3
    assert ask("SELECT snapshot ->> 'title' FROM tender_source WHERE notice_id = %s", notices[1].notice_id) == [
        ("Straße am Deich",)
    ]
    assert ask("SELECT count(*) FROM quarantine") == [(0,)]


def test_extracted_text_loses_nul_and_lone_surrogates() -> None:
    reading = Reading()
    reading.add(["a.pdf"], BAD)
    assert [text.text for text in reading.texts] == ["Straße am Deich"]
