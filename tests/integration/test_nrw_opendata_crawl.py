"""`scrapy crawl nrw_opendata` against feeds like those of the marketplaces of North Rhine-Westphalia."""

from __future__ import annotations

from datetime import timedelta

import pytest

from portal_simulator.doe import FEEDS_PATH, members_of, today
from portal_simulator.doe_notices import invented_german_notices

NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}
DAY = today() - timedelta(days=5)


@pytest.fixture
def feeds(simulator):
    """Two feeds of four notices each; the notices, and the setting that names the feeds."""
    found = {name: invented_german_notices(4, seed, day=DAY) for seed, name in enumerate(("feed-1", "feed-2"))}
    urls = [simulator.nrw.publish(name, notices) for name, notices in found.items()]
    return found, {"NRW_OPENDATA_URL": ",".join(urls), **NO_FILES}


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched, new, unchanged FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


def stored(ask) -> set[str]:
    return {row[0] for row in ask("SELECT notice_id FROM tender_source WHERE source_code = 'nrw_opendata'")}


def ids(*lists) -> set[str]:
    return {notice.id for notices in lists for notice in notices}


def test_every_feed_is_read_and_a_notice_leads_to_its_page(crawl, ask, feeds):
    notices, settings = feeds
    run = crawl("nrw_opendata", **settings)
    assert run.returncode == 0, run.stderr
    assert last_run(ask) == ("complete", "", 2, 8, 8, 0)
    assert stored(ask) == ids(*notices.values())
    first = notices["feed-1"][0]
    assert ask("SELECT url FROM tender_source WHERE notice_id = %s", first.id) == [
        (first.documents.removesuffix("/documents"),)
    ]


def test_a_feed_that_has_not_changed_is_not_sent_again_and_one_that_has_brings_its_news(simulator, crawl, ask, feeds):
    notices, settings = feeds
    assert crawl("nrw_opendata", **settings).returncode == 0
    news = invented_german_notices(5, 9, day=DAY)
    simulator.nrw.publish("feed-2", [*notices["feed-2"], *news])
    assert crawl("nrw_opendata", **settings).returncode == 0
    assert last_run(ask) == ("complete", "", 2, 9, 5, 4)
    assert [r.headers.get("if-none-match") for r in simulator.requests_to(FEEDS_PATH)][2:] == ['"version-1"'] * 2


def test_a_feed_that_cannot_be_had_costs_only_itself(simulator, crawl, ask, feeds):
    notices, settings = feeds
    simulator.fault(lambda request: "feed-1" in request.target, times=None, status=404)
    assert crawl("nrw_opendata", **settings).returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, "feed-1 answered 404" in reason) == ("incomplete", True)
    assert stored(ask) == ids(notices["feed-2"])


def test_a_feed_whose_server_is_down_does_not_keep_the_others_from_being_read(simulator, crawl, ask, feeds):
    notices, settings = feeds
    simulator.fault(lambda request: "feed-1" in request.target, times=None, status=503)
    assert crawl("nrw_opendata", RETRY_TIMES=1, **settings).returncode == 1
    assert last_run(ask)[0] == "incomplete"
    assert stored(ask) == ids(notices["feed-2"])
    assert ask("SELECT cursor ->> 'watermark' FROM source WHERE code = 'nrw_opendata'") == [(None,)]

    simulator.clear_faults()
    assert crawl("nrw_opendata", **settings).returncode == 0
    assert stored(ask) == ids(*notices.values())


def test_a_broken_member_costs_only_itself(simulator, crawl, ask, feeds):
    notices, settings = feeds
    members = members_of(notices["feed-1"])
    simulator.nrw.publish_members("feed-1", [(members[0][0], members[0][1][:-100]), *members[1:]])
    assert crawl("nrw_opendata", **settings).returncode == 1
    assert stored(ask) == ids(*notices.values()) - {notices["feed-1"][0].id}


def test_since_leaves_out_what_was_published_before(simulator, crawl, ask, feeds):
    _, settings = feeds
    later = invented_german_notices(3, 7, day=DAY + timedelta(days=3))
    simulator.nrw.publish("feed-3", later)
    settings["NRW_OPENDATA_URL"] += "," + simulator.nrw.feed_url("feed-3")
    assert crawl("nrw_opendata", since=DAY, **settings).returncode == 0
    assert stored(ask) == ids(later)


def test_a_notice_that_the_national_service_shows_too_is_one_tender(simulator, crawl, ask, feeds):
    notices, settings = feeds
    both = [notice for notice in notices["feed-1"] if "-" in notice.id]
    day = today() - timedelta(days=1)
    simulator.doe.publish(day, both)
    assert crawl("nrw_opendata", **settings).returncode == 0
    assert crawl("doe", since=day, **NO_FILES).returncode == 0
    joined = ask(
        "SELECT array_agg(source_code ORDER BY source_code) FROM tender_source GROUP BY tender_id HAVING count(*) > 1"
    )
    assert joined == [(["doe", "nrw_opendata"],)] * len(both)


def test_no_feed_at_all_fails_in_words(crawl, ask):
    run = crawl("nrw_opendata", NRW_OPENDATA_URL=" , ")
    assert (run.returncode, "NRW_OPENDATA_URL" in run.stderr, "Traceback" in run.stderr) == (1, True, False)
