"""`scrapy crawl contracts_finder` against a server that speaks and misbehaves like the real one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from portal_simulator import invented_contracts_finder_releases

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}
SEARCH = "/Published/Notices/OCDS/Search"


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


def cursor(ask) -> dict | None:
    found = ask("SELECT cursor FROM source WHERE code = 'contracts_finder'")
    return found[0][0] if found else None


def test_the_next_link_is_followed_to_the_letter(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(250)
    run = crawl("contracts_finder", since=SINCE, **NO_FILES)

    assert run.returncode == 0, run.stderr
    asked = simulator.requests_to(SEARCH)
    assert [request.parameters.get("cursor") is None for request in asked] == [True, False, False]
    assert all(request.parameters["publishedFrom"] == f"{SINCE}T00:00:00" for request in asked)
    assert last_run(ask) == ("complete", "", 3, 250)
    assert ask("SELECT count(DISTINCT notice_id) > 200 FROM tender_source") == [(True,)]


@pytest.mark.parametrize("end", ["absent", "empty", "null", "blank", "empty_releases"])
def test_every_shape_of_a_last_page_ends_the_walk(simulator, crawl, ask, end):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(130)
    simulator.contracts_finder.end = end
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0
    assert last_run(ask)[0] == "complete"
    assert last_run(ask)[3] == 130
    assert cursor(ask)["position"] is None
    assert datetime.fromisoformat(cursor(ask)["watermark"]) == ask("SELECT max(revised_at) FROM tender_source")[0][0]


def test_a_truncated_walk_is_found_out_and_goes_on(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(250)
    simulator.contracts_finder.truncate_at = 1
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0
    numbers = {release["id"][:36] for release in simulator.contracts_finder.releases}
    assert {row[0] for row in ask("SELECT notice_id FROM tender_source")} == numbers


def test_what_was_published_in_the_second_of_the_cut_is_not_lost(simulator, crawl, ask):
    releases = invented_contracts_finder_releases(110)
    releases.sort(key=lambda release: datetime.fromisoformat(release["date"]), reverse=True)
    for release in releases[97:104]:
        release["date"] = releases[97]["date"]
    simulator.contracts_finder.releases = releases
    simulator.contracts_finder.truncate_at = 1
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0
    numbers = {release["id"][:36] for release in releases}
    assert {row[0] for row in ask("SELECT notice_id FROM tender_source")} == numbers
    assert last_run(ask)[3] == 110


def test_a_full_last_page_that_really_is_the_last_is_complete(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(100)
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0
    assert last_run(ask)[0] == "complete"
    assert len(simulator.requests_to(SEARCH)) == 2


def test_a_probe_whose_filter_is_ignored_makes_the_run_incomplete(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(250)
    simulator.contracts_finder.truncate_at = 1
    simulator.contracts_finder.ignore_filters = True
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, "ignored the date" in reason) == ("incomplete", True)
    assert cursor(ask)["watermark"] is None


def test_a_probe_that_fails_makes_the_run_incomplete(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(100)
    simulator.fault(lambda request: "publishedTo" in request.parameters, times=None, kind="status", status=502)
    assert crawl("contracts_finder", since=SINCE, RETRY_TIMES=1, **NO_FILES).returncode == 1
    assert last_run(ask)[0] == "incomplete"
    assert cursor(ask)["watermark"] is None


def test_a_rate_limit_is_waited_out_and_nothing_is_lost_or_doubled(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(250)
    simulator.fault(
        lambda request: "cursor" in request.parameters,
        times=3,
        kind="status",
        status=403,
        body="<html>slow down</html>",
    )
    run = crawl("contracts_finder", since=SINCE, COOLDOWN_403="0.3", **NO_FILES)

    assert run.returncode == 0, run.stderr
    asked = [request.path + "?" + str(request.parameters.get("cursor")) for request in simulator.requests_to(SEARCH)]
    assert (len(asked), len(set(asked))) == (6, 3)
    assert last_run(ask)[3] == 250


def test_a_rate_limit_for_ever_ends_the_run_and_keeps_the_position(simulator, crawl, ask):
    simulator.contracts_finder.releases = invented_contracts_finder_releases(250)
    simulator.fault(lambda request: "cursor" in request.parameters, times=None, kind="status", status=403)

    assert crawl("contracts_finder", since=SINCE, COOLDOWN_403="0.1", **NO_FILES).returncode == 1

    assert last_run(ask)[0] == "incomplete"
    assert "403" in last_run(ask)[1]
    assert "cursor=" in cursor(ask)["position"]
    simulator.clear_faults()
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0
    assert last_run(ask)[3] == 150
    assert ask("SELECT count(*) FROM tender_source")[0][0] == len(
        {release["id"][:36] for release in simulator.contracts_finder.releases}
    )


def test_a_next_page_on_another_host_is_refused(simulator, crawl, ask):
    package = {
        "releases": invented_contracts_finder_releases(1),
        "links": {"next": "http://elsewhere.example/?cursor=x"},
    }
    simulator.fault(SEARCH, times=1, kind="status", status=200, body=json.dumps(package), media_type="application/json")
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 1
    assert last_run(ask)[0] == "failed"
    assert "another host" in last_run(ask)[1]


def test_no_contact_person_reaches_the_database(simulator, crawl, ask):
    simulator.contracts_finder.releases = releases = invented_contracts_finder_releases(30)
    points = [party["contactPoint"] for release in releases for party in release["parties"] if "contactPoint" in party]
    planted = {
        str(value) for point in points for name, value in point.items() if name in ("name", "email", "telephone")
    }
    assert len(planted) > 10

    crawl("contracts_finder", since=SINCE, **NO_FILES)

    stored = " ".join(
        str(row) for row in ask("SELECT snapshot::text, t::text FROM tender_source s JOIN tender t ON true")
    )
    assert [person for person in planted if person in stored] == []


def answer(simulator, *, count: int = 1, seed: int = 1, **package) -> None:
    body = json.dumps({"releases": invented_contracts_finder_releases(count, seed)} | package)
    simulator.fault(SEARCH, times=1, kind="status", status=200, body=body, media_type="application/json")


def test_a_next_page_that_cannot_be_asked_for_costs_neither_the_page_nor_the_next_run(simulator, crawl, ask):
    for bad in ("http://169.254.169.254/x", {"before": "x", "seen": 5}, ["x"]):
        answer(simulator, links={"next": bad})
        assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 1
        assert last_run(ask)[0] == "failed"
        assert (cursor(ask) or {}).get("position") is None
    assert ask("SELECT count(*) FROM tender_source") == [(1,)]

    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0


def test_a_stored_position_that_cannot_be_used_is_left_behind(simulator, crawl, ask):
    assert crawl("contracts_finder", since=SINCE, max_pages=1, **NO_FILES).returncode == 0
    ask("UPDATE source SET cursor = jsonb_set(cursor, '{position}', '{\"x\": 1}') RETURNING code")
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 0


def test_a_chain_that_brings_the_same_for_ever_is_ended(simulator, crawl, ask):
    for number in range(30):
        answer(simulator, count=3, links={"next": f"{simulator.contracts_finder_url}?cursor={number}"})
    assert crawl("contracts_finder", since=SINCE, **NO_FILES).returncode == 1
    state, reason, pages, _ = last_run(ask)
    assert (state, reason) == ("failed", "5 pages in a row brought nothing new to this walk; it would never end")
    assert pages == 5
