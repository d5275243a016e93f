"""The simulated OCDS search of Contracts Finder: windows, cursors, ends, refusals."""

from __future__ import annotations

import base64
import json
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests

from portal_simulator import PortalSimulator, invented_contracts_finder_releases, planted_contacts


def get(url: str, **parameters: Any) -> dict[str, Any]:
    answer = requests.get(url, params=parameters, timeout=10)
    assert answer.status_code == 200, answer.text
    return answer.json()


def walk(simulator: PortalSimulator, **parameters: Any) -> list[dict[str, Any]]:
    pages = [get(simulator.contracts_finder_url, **parameters)]
    while following := (pages[-1].get("links") or {}).get("next"):
        pages.append(get(following))
    return pages


def ids(pages: list[dict[str, Any]]) -> list[str]:
    return [release["id"] for page in pages for release in page["releases"]]


def test_a_walk_reads_every_release_newest_first(simulator):
    pages = walk(simulator, limit=25)
    assert [len(page["releases"]) for page in pages] == [25, 25, 10]
    assert ids(pages) == [release["id"] for release in simulator.contracts_finder.releases]
    dates = [release["date"] for page in pages for release in page["releases"]]
    assert dates == sorted(dates, reverse=True)
    assert [page["publishedDate"] for page in pages] == [dates[0], dates[25], dates[50]]


def test_the_cursor_carries_the_filters(simulator):
    given = {"publishedFrom": "2026-01-01T00:00:00", "publishedTo": "2027-01-01T00:00:00", "limit": 20}
    following = get(simulator.contracts_finder_url, **given)["links"]["next"]
    parameters = parse_qs(urlsplit(following).query)
    assert parameters["publishedFrom"] == ["2026-01-01T00:00:00"]
    carried = base64.b64decode(parameters["cursor"][0]).decode()
    assert carried == "publishedFrom=2026-01-01T00:00:00|publishedTo=2027-01-01T00:00:00|limit=20|nextCursor=20"
    alone = get(simulator.contracts_finder_url, cursor=parameters["cursor"][0])
    assert ids([alone]) == ids([get(following)])


def test_a_cursor_is_refused_with_other_filters_or_made_up(simulator):
    following = get(simulator.contracts_finder_url, limit=20)["links"]["next"]
    assert requests.get(following.replace("limit=20", "limit=30"), timeout=10).status_code == 400
    for cursor in ("bm9uc2Vuc2U=", "a-b"):
        parameters = {"cursor": cursor}
        assert requests.get(simulator.contracts_finder_url, params=parameters, timeout=10).status_code == 400


def test_the_window_and_the_stages_filter(simulator):
    releases = simulator.contracts_finder.releases
    first, last = releases[40]["date"], releases[20]["date"]
    assert len(ids(walk(simulator, publishedFrom=first, publishedTo=last))) == 21
    tags = {tag for page in walk(simulator, stages="award,planning") for r in page["releases"] for tag in r["tag"]}
    assert tags == {"award", "planning"}
    simulator.contracts_finder.ignore_filters = True
    assert len(ids(walk(simulator, publishedFrom=first, publishedTo=last))) == 60


@pytest.mark.parametrize("wrong", [{"limit": 101}, {"limit": 0}, {"stages": "award,x"}, {"publishedFrom": "20.1.2026"}])
def test_parameters_are_checked(simulator, wrong):
    assert requests.get(simulator.contracts_finder_url, params=wrong, timeout=10).status_code == 400


@pytest.mark.parametrize(
    ("end", "last"),
    [
        ("absent", "absent"),
        ("empty", {}),
        ("null", {"next": None}),
        ("blank", {"next": ""}),
        ("empty_releases", "absent"),
    ],
)
def test_the_last_page_has_the_shape_asked_for(simulator, end, last):
    simulator.contracts_finder.end = end
    pages = walk(simulator, limit=30)
    assert [len(page["releases"]) for page in pages] == ([30, 30, 0] if end == "empty_releases" else [30, 30])
    assert pages[-1].get("links", "absent") == last


def test_a_full_page_may_name_no_next_one_although_more_exists(simulator):
    simulator.contracts_finder.truncate_at = 2
    pages = walk(simulator, limit=20)
    assert [len(page["releases"]) for page in pages] == [20, 20]
    assert "links" not in pages[-1]


def test_a_page_may_point_to_itself(simulator):
    simulator.contracts_finder.repeat_cursor_at = 2
    second = get(get(simulator.contracts_finder_url, limit=20)["links"]["next"])
    assert get(second["links"]["next"])["links"]["next"] == second["links"]["next"]


def test_the_rate_limit_is_a_403_in_html_that_calls_itself_text(simulator):
    simulator.contracts_finder.rate_limit(times=2)
    answers = [requests.get(simulator.contracts_finder_url, timeout=10) for _ in range(3)]
    assert [a.status_code for a in answers] == [403, 403, 200]
    assert answers[0].headers["Content-Type"] == "text/plain"
    assert answers[0].text.startswith("<html>")
    assert "Retry-After" not in answers[0].headers


@pytest.mark.parametrize("wait", [7, "date:7"])
def test_the_rate_limit_may_name_a_time(simulator, wait):
    simulator.contracts_finder.rate_limit(times=None, status=429, wait=wait)
    for _ in range(3):
        answer = requests.get(simulator.contracts_finder_url, timeout=10)
        assert answer.status_code == 429
    if wait == 7:
        assert answer.headers["Retry-After"] == "7"
    else:
        moment, now = (parsedate_to_datetime(answer.headers[name]) for name in ("Retry-After", "Date"))
        assert 5 <= (moment - now).total_seconds() <= 8


def test_links_lead_to_the_simulator_or_to_the_true_site(simulator):
    assert f"{simulator.url}/Notice/Attachment/" in json.dumps(get(simulator.contracts_finder_url))
    simulator.contracts_finder.files_base = "https://www.contractsfinder.service.gov.uk"
    text = json.dumps(get(simulator.contracts_finder_url, limit=99)["releases"])
    assert "https://www.contractsfinder.service.gov.uk/Notice/Attachment/" in text
    assert simulator.url not in text


def test_invented_releases_are_the_same_for_the_same_arguments():
    releases = invented_contracts_finder_releases(30, 5, last_day=date(2026, 11, 20))
    assert releases == invented_contracts_finder_releases(30, 5, last_day=date(2026, 11, 20))
    assert releases[0]["date"] == "2026-11-20T17:00:00Z"
    assert len({release["id"] for release in releases}) == 30
    assert len({release["ocid"] for release in releases}) == 28
    assert {tag for release in releases for tag in release["tag"]} == {"tender", "award", "planning", "tenderAmendment"}


def test_an_amendment_is_the_same_notice_as_the_call_before_it():
    releases = invented_contracts_finder_releases(30, last_day=date(2026, 11, 20))[::-1]
    call, amendment = releases[9], releases[10]
    assert amendment["tag"] == ["tenderAmendment"]
    assert (amendment["ocid"], amendment["id"][:36]) == (call["ocid"], call["id"][:36])
    assert amendment["id"] != call["id"]
    assert amendment["date"] > call["date"]
    assert amendment["tender"]["title"] == call["tender"]["title"]


def test_every_release_names_a_person_to_be_removed():
    for release in invented_contracts_finder_releases(20):
        name, address, number = planted_contacts(release)
        assert name.startswith("Robin Planted-")
        assert address.endswith("@example.org")
        assert number.startswith("+44 1632 96")


@pytest.mark.corpus
def test_a_recorded_page_is_served_as_it_is(simulator, corpus):
    recorded = json.loads((corpus / "ocds/contracts_finder/search_page_2025-01-23.json").read_text())
    simulator.contracts_finder.releases = recorded["releases"]
    simulator.contracts_finder.files_base = "https://www.contractsfinder.service.gov.uk"
    page = get(simulator.contracts_finder_url)
    assert page["releases"] == recorded["releases"]
    assert page.keys() | {"links"} == recorded.keys()
    assert page["publishedDate"] == recorded["publishedDate"]
