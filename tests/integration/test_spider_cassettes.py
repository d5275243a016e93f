"""The spiders over recorded conversations: what they ask, and what they make of the answers."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

import pytest
from betamax.exceptions import BetamaxError
from recorder import CASSETTES, PORTAL, ask_page, conversation, read, small_pages, source_spider
from scrapy.http import JsonResponse, TextResponse

from tenderscrapy.exceptions import SourceError, SourceRequestError
from tenderscrapy.http.scrapy_retry import RetryMiddleware

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def pages_of_two() -> Iterator[None]:
    with small_pages():
        yield


def test_a_ted_walk_is_read_to_its_empty_page():
    spider = source_spider("ted")
    with conversation("ted_walk") as ask:
        pages = read(spider, ask)
    assert [page.count for page in pages] == [2, 2, 0]
    assert [page.announced for page in pages] == [4, 4, 4]
    numbers = [notice.notice_id for page in pages for notice in page.notices]
    assert numbers == ["100004-2026", "100003-2026", "100002-2026", "100001-2026"]
    assert pages[2].next_cursor
    assert not any(page.partial or page.rejected or page.shortfall for page in pages)


def test_a_ted_notice_of_the_walk_is_mapped():
    with conversation("ted_walk") as ask:
        newest, call = read(source_spider("ted"), ask, most=1)[0].notices
    assert (newest.notice_type, newest.status, newest.deadline_at) == ("pin-only", "planned", None)
    assert (call.source_code, call.notice_type, call.status) == ("ted", "cn-standard", "open")
    assert call.published_at == datetime(2026, 11, 17, 23, tzinfo=UTC)
    assert call.deadline_kind == "tender"
    assert call.url == "https://ted.europa.eu/en/notice/-/detail/100003-2026"
    assert [attachment.url.rpartition("/")[2] for attachment in call.attachments] == ["xml", "pdf"]


def test_a_page_that_timed_out_is_called_partial():
    spider = source_spider("ted")
    with conversation("ted_timed_out") as ask:
        first, second = (spider.parse_page(ask_page(spider, ask)) for _ in range(2))
    assert (first.partial, first.count) == (True, 1)
    assert (second.partial, second.count, second.announced) == (False, 2, 4)


def test_a_refused_field_is_an_error_for_good_and_its_text_is_short():
    spider = source_spider("ted")
    spider.fields = (*spider.fields, "deadline-receipt-tenders")
    with conversation("ted_unknown_field") as ask:
        answer = ask_page(spider, ask)
    assert len(answer.body) > 20_000
    with pytest.raises(SourceRequestError, match="UNSUPPORTED_VALUE") as caught:
        spider.parse_page(answer)
    error = caught.value
    assert (error.status, error.kind, error.permanent) == (400, "UNSUPPORTED_VALUE", True)
    assert len(str(error)) < 400
    assert not spider.restart_after(error)


def test_an_expired_token_makes_the_walk_begin_again():
    spider = source_spider("ted")
    with conversation("ted_expired_token") as ask:
        token = spider.parse_page(ask_page(spider, ask)).next_cursor
        with pytest.raises(SourceRequestError) as caught:
            spider.parse_page(ask_page(spider, ask, token))
    assert caught.value.kind == "EXPIRED_ITERATION_TOKEN"
    assert spider.restart_after(caught.value)


def test_a_contracts_finder_walk_is_read_to_the_page_without_a_next_one():
    spider = source_spider("contracts_finder")
    with conversation("contracts_finder_walk") as ask:
        pages = read(spider, ask)
    assert [page.count for page in pages] == [2, 2, 1]
    assert all(page.next_cursor.startswith(PORTAL + "/Published/Notices/OCDS/Search?") for page in pages[:2])
    assert pages[2].next_cursor is None
    notices = [notice for page in pages for notice in page.notices]
    assert [notice.status for notice in notices] == ["open", "open", "awarded", "open", "open"]
    assert {notice.source_code for notice in notices} == {"contracts_finder"}
    assert len({notice.notice_id for notice in notices}) == 5
    assert all(len(notice.notice_id) == 36 for notice in notices)


@pytest.mark.parametrize(("source", "status", "rest"), [("ted", 429, 0), ("contracts_finder", 403, 300)])
def test_a_rate_limit_is_tried_again_with_the_same_question(source, status, rest):
    """``rest`` is the least time in seconds that the host is left alone."""
    spider = source_spider(source)
    middleware = RetryMiddleware.from_crawler(spider.crawler)
    with conversation(f"{source}_rate_limit") as ask:
        answers = [ask_page(spider, ask) for _ in range(3)]
    assert [answer.status for answer in answers] == [status, status, 200]
    again = middleware.process_response(answers[0].request, answers[0])
    assert (again.url, again.body, again.dont_filter) == (answers[0].request.url, answers[0].request.body, True)
    assert middleware._cooldown.remaining("portal.example") > max(0, rest - 1)
    assert middleware.process_response(again, answers[2]) is answers[2]
    assert spider.parse_page(answers[2]).count == 2


@pytest.mark.parametrize("source", ["ted", "contracts_finder"])
def test_a_page_for_people_is_no_answer(source):
    spider = source_spider(source)
    with conversation(f"{source}_rate_limit") as ask:
        answer = ask_page(spider, ask)
    assert isinstance(answer, TextResponse)
    with pytest.raises(SourceError, match="not JSON"):
        spider.parse_page(answer.replace(status=200))


def test_a_recorded_answer_is_a_scrapy_response_of_its_kind():
    spider = source_spider("ted")
    with conversation("ted_walk") as ask:
        answer = ask_page(spider, ask)
    assert isinstance(answer, JsonResponse)
    assert answer.json()["totalNoticeCount"] == 4
    assert "Content-Length" not in answer.headers


def test_another_question_than_the_recorded_one_fails():
    spider = source_spider("ted", since=date(2025, 1, 1))
    with conversation("ted_walk") as ask, pytest.raises(BetamaxError):
        ask_page(spider, ask)


def test_cassettes_hold_no_address_of_the_recording_machine_and_only_invented_people():
    for path in CASSETTES.glob("*.json"):
        text = path.read_text()
        assert "127.0.0.1" not in text, path
        for exchange in json.loads(text)["http_interactions"]:
            body = exchange["response"]["body"]["string"]
            assert body.count("@") == body.count("@example.org"), path
