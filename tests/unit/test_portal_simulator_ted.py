"""The simulated TED search API: walks, windows, refusals."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from portal_simulator import PortalSimulator, invented_ted_notices
from tenderscrapy.formats.ted_json import FIELDS

NEWEST_FIRST = "publication-date>=20200101 SORT BY publication-date DESC"


def ask(simulator: PortalSimulator, status: int = 200, **changes: Any) -> dict[str, Any]:
    body = {"query": NEWEST_FIRST, "fields": ["publication-number", "publication-date"], "limit": 4} | changes
    answer = requests.post(simulator.ted_url, json=body, timeout=10)
    assert answer.status_code == status, answer.text[:300]
    return answer.json()


def numbers(answer: dict[str, Any]) -> list[str]:
    return [notice["publication-number"] for notice in answer["notices"]]


def walk(simulator: PortalSimulator, **changes: Any) -> list[dict[str, Any]]:
    pages = [ask(simulator, paginationMode="ITERATION", **changes)]
    while pages[-1]["notices"]:
        token = pages[-1]["iterationNextToken"]
        pages.append(ask(simulator, paginationMode="ITERATION", iterationNextToken=token, **changes))
    return pages


def days(*texts: str) -> list[dict[str, Any]]:
    """A notice for each day, numbered from 1."""
    return [
        {"publication-number": f"{i}-2026", "publication-date": f"{text}+01:00", "buyer-country": [country]}
        for i, (text, country) in enumerate(zip(texts, ("DEU", "FRA", "DEU", "POL"), strict=False), 1)
    ]


def test_a_walk_ends_with_an_empty_page_that_still_carries_a_token(simulator):
    simulator.ted.notices = invented_ted_notices(10)
    pages = walk(simulator)
    assert [len(page["notices"]) for page in pages] == [4, 4, 2, 0]
    assert {page["totalNoticeCount"] for page in pages} == {10}
    assert all(page["iterationNextToken"] for page in pages)
    assert len({n for page in pages for n in numbers(page)}) == 10


def test_a_walk_does_not_see_what_is_published_meanwhile(simulator):
    simulator.ted.notices = days("2026-11-02", "2026-11-03", "2026-11-04")
    first = ask(simulator, paginationMode="ITERATION", limit=2)
    simulator.ted.notices = days("2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05")
    second = ask(simulator, paginationMode="ITERATION", limit=2, iterationNextToken=first["iterationNextToken"])
    assert numbers(first) + numbers(second) == ["3-2026", "2-2026", "1-2026"]
    assert numbers(ask(simulator)) == ["4-2026", "3-2026", "2-2026", "1-2026"]


def test_the_same_token_gives_the_same_page_again(simulator):
    token = ask(simulator, paginationMode="ITERATION")["iterationNextToken"]
    again = [ask(simulator, paginationMode="ITERATION", iterationNextToken=token) for _ in range(2)]
    assert again[0] == again[1]


@pytest.mark.parametrize("change", [{"limit": 5}, {"fields": ["publication-number"]}, {"query": "PD>=20200101"}])
def test_a_token_is_refused_for_another_question(simulator, change):
    token = ask(simulator, paginationMode="ITERATION")["iterationNextToken"]
    answer = ask(simulator, 400, paginationMode="ITERATION", iterationNextToken=token, **change)
    assert answer["error"] == {"type": "INVALID_ITERATION_TOKEN"}


def test_a_made_up_token_is_a_500_or_a_400_as_the_test_wants_it(simulator):
    ask(simulator, 500, paginationMode="ITERATION", iterationNextToken="bm90IGEgdG9rZW4=")
    simulator.ted.made_up_token_status = 400
    answer = ask(simulator, 400, paginationMode="ITERATION", iterationNextToken="bm90IGEgdG9rZW4=")
    assert answer["error"]["type"] == "INVALID_ITERATION_TOKEN"


def test_tokens_expire(simulator):
    token = ask(simulator, paginationMode="ITERATION")["iterationNextToken"]
    simulator.ted.expire_tokens()
    answer = ask(simulator, 400, paginationMode="ITERATION", iterationNextToken=token)
    assert answer["error"]["type"] == "EXPIRED_ITERATION_TOKEN"


def test_a_page_that_timed_out_has_fewer_notices_and_the_next_asking_has_all(simulator):
    simulator.ted.time_out()
    partial, whole = ask(simulator), ask(simulator)
    assert (partial["timedOut"], len(partial["notices"]), partial["totalNoticeCount"]) == (True, 2, 2)
    assert (whole["timedOut"], len(whole["notices"]), whole["totalNoticeCount"]) == (False, 4, 60)


def test_pages_by_number_have_no_token_and_end_at_the_window(simulator):
    assert numbers(ask(simulator, page=2)) == numbers(ask(simulator, limit=8))[4:]
    assert ask(simulator)["iterationNextToken"] is None
    assert "15000" in ask(simulator, 400, page=3751)["message"]


def test_a_notice_has_the_fields_asked_for_and_its_links_and_nothing_empty(simulator):
    simulator.ted.notices = [
        {"publication-number": "1-2026", "publication-date": "2026-11-02Z", "buyer-city": {}, "winner-name": None,
         "official-language": ["POL"], "title-proc": {"pol": "Dach"}}
    ]  # fmt: skip
    fields = ["publication-number", "buyer-city", "winner-name", "deadline-receipt-request"]
    (notice,) = ask(simulator, fields=fields)["notices"]
    assert notice.keys() == {"publication-number", "buyer-city", "links"}
    assert notice["buyer-city"] == {}
    links = notice["links"]
    assert links["xml"] == {"MUL": f"{simulator.url}/en/notice/1-2026/xml"}
    assert links["pdfs"] == {"POL": f"{simulator.url}/pl/notice/1-2026/pdfs"}
    assert [len(links[form]) for form in ("pdf", "html", "htmlDirect")] == [24, 24, 24]
    assert links["pdf"]["ELL"] == f"{simulator.url}/el/notice/1-2026/pdf"


def test_links_can_lead_to_the_true_site(simulator):
    simulator.ted.files_base = "https://ted.europa.eu"
    (notice,) = ask(simulator, limit=1)["notices"]
    number = notice["publication-number"]
    assert notice["links"]["xml"]["MUL"] == f"https://ted.europa.eu/en/notice/{number}/xml"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("publication-date>=20261103", ["2-2026", "3-2026", "4-2026"]),
        ("PD>20261103 SORT BY publication-date DESC", ["4-2026", "3-2026"]),
        ("PD=(20261102 <> 20261103)", ["1-2026", "2-2026"]),
        ("publication-date>=20261102 AND publication-date<=20261103", ["1-2026", "2-2026"]),
        ("buyer-country=DEU", ["1-2026", "3-2026"]),
        ("buyer-country IN (FRA POL) SORT BY publication-number DESC", ["4-2026", "2-2026"]),
        ("(CY=FRA OR CY=POL) AND PD<=20261103", ["2-2026"]),
        ("NOT buyer-country=DEU", ["2-2026", "4-2026"]),
        ("buyer-country!=DEU", ["2-2026", "4-2026"]),
        ('FT ~ "3-2026"', ["3-2026"]),
        ("publication-date>=03112026", []),
        ("publication-date>=today(+1)", []),
    ],
)
def test_queries_find(simulator, query, found):
    simulator.ted.notices = days("2026-11-02", "2026-11-03", "2026-11-04", "2026-11-05")
    assert numbers(ask(simulator, query=query)) == found


def test_a_cpv_code_includes_those_below_it(simulator):
    codes = ("45000000", "45260000", "09310000", "72000000")
    simulator.ted.notices = [
        {"publication-number": f"{i}-2026", "classification-cpv": [code]} for i, code in enumerate(codes, 1)
    ]
    assert numbers(ask(simulator, query="classification-cpv=45000000")) == ["1-2026", "2-2026"]
    assert numbers(ask(simulator, query="classification-cpv=72*")) == ["4-2026"]


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("publication-date>=2026-11-03", "QUERY_INVALID_FIELD_FORMAT"),
        ("publication-date>=20261103 SORT BY publication-date ASC", "QUERY_SYNTAX_ERROR"),
        ("publication-date>=", "QUERY_SYNTAX_ERROR"),
        ("buyer-country IN (FRA, POL)", "QUERY_SYNTAX_ERROR"),
        ("country=DEU", "QUERY_UNKNOWN_FIELD"),
        ("buyer-country=DE", "QUERY_UNSUPPORTED_FIELD_VALUE"),
        ("classification-cpv=72", "QUERY_UNSUPPORTED_FIELD_VALUE"),
        ("buyer-country>DEU", "QUERY_UNSUPPORTED_FIELD_OPERATION"),
    ],
)
def test_queries_are_refused(simulator, query, kind):
    assert ask(simulator, 400, query=query)["error"]["type"] == kind
    assert ask(simulator, 400, query=query, checkQuerySyntax=True)["error"]["type"] == kind


def test_a_check_of_the_syntax_searches_nothing(simulator):
    expected = {"notices": [], "totalNoticeCount": None, "iterationNextToken": None, "timedOut": False}
    assert ask(simulator, checkQuerySyntax=True) == expected


def test_an_unknown_field_is_refused_at_length(simulator):
    answer = ask(simulator, 400, fields=["publication-number", "deadline-receipt-tenders"])
    assert answer["error"] == {
        "type": "UNSUPPORTED_VALUE", "parameterName": "fields", "unsupportedValue": "deadline-receipt-tenders",
    }  # fmt: skip
    assert answer["message"].count(",") == 1_829


def test_the_fields_of_the_spider_are_known(simulator):
    assert len(ask(simulator, fields=list(FIELDS), limit=10_000 // (len(FIELDS) + 1))["notices"]) == 60


@pytest.mark.parametrize("change", [{"fields": []}, {"query": " "}, {"limit": -1}, {"page": 0}])
def test_bean_validation_answers_with_a_list(simulator, change):
    (problem,) = ask(simulator, 400, **change)["error"]
    assert problem["objectName"] == "publicExpertSearchRequestV1"
    assert problem["field"] == next(iter(change))


def test_sizes_are_limited_and_the_links_count_as_a_field(simulator):
    assert "250" in ask(simulator, 400, limit=251)["message"]
    assert "10150" in ask(simulator, 400, limit=175, fields=[f"BT-{i}-Lot" for i in range(1, 58)])["message"]
    assert len(ask(simulator, limit=175, fields=[f"BT-{i}-Lot" for i in range(1, 57)])["notices"]) == 60


def test_unknown_members_other_methods_and_other_types_are_refused(simulator):
    assert "sortOrder" in ask(simulator, 400, sortOrder="ASC")["message"]
    answer = requests.get(simulator.ted_url, timeout=10)
    assert (answer.status_code, answer.json()) == (405, {"message": "Request method 'GET' is not supported"})
    assert requests.post(simulator.ted_url, data=b"{}", timeout=10).status_code == 415
    headers = {"Content-Type": "application/json"}
    assert requests.post(simulator.ted_url, data=b"{", headers=headers, timeout=10).status_code == 400


def test_too_many_requests_are_answered_in_html_without_a_time(simulator):
    simulator.ted.rate_limit(times=1)
    answer = requests.post(simulator.ted_url, json={}, timeout=10)
    assert (answer.status_code, answer.headers["Content-Type"]) == (429, "text/html")
    assert "Retry-After" not in answer.headers
    assert "nginx" in answer.text
    ask(simulator)
