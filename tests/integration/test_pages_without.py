"""Pages when there is little to show: nothing yet, a crawl on its way, a database that is away."""

from __future__ import annotations

import re

import pytest

from services.radar import tender_notice

HOSTILE = '"><script>alert(1)</script>'


def titles(page: str) -> list[str]:
    return re.findall(r"<h2[^>]*><a[^>]*>(.*?)</a></h2>", page)


def test_an_empty_database_says_how_to_fill_it(radar):
    page = radar.page("/")

    assert "scrapy crawl" in page
    assert 'http-equiv="refresh"' not in page


def test_a_running_crawl_is_shown_with_its_counts_and_a_dead_one_is_not(radar):
    radar.select(
        "INSERT INTO crawl_run (source_code, spider, state, announced, fetched, new, seen_alive_at) VALUES"
        " ('ted', 'ted', 'running', 5000, 1200, 340, now()),"
        " ('doe', 'doe', 'running', 5000, 77, 7, now() - interval '1 hour')"
    )

    page = radar.page("/")

    assert re.search(r"1,200\s+of 5,000 notices read, 340 new", page)
    assert ">doe</strong>" not in page
    assert 'http-equiv="refresh"' in page


def test_tenders_that_wait_for_the_index_are_counted(radar):
    radar.store(tender_notice(1, "School meals"))

    assert "1 tender waits for the search index" in radar.page("/")


def test_a_filter_that_cannot_be_read_is_named_and_left_out(radar):
    radar.store(tender_notice(1, "School meals"))

    answer = radar.client.get("/?deadline_to=tomorrow&country=GB")

    assert answer.status_code == 400
    assert "Deadline until: " in answer.text
    assert titles(answer.text) == ["School meals"]
    assert radar.client.get("/?cursor=nonsense").status_code == 400


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("/?q=meals&page=x", "page"),
        ("/?q=meals&page=0", "page"),
        ("/?q=meals&page=-1", "page"),
        ("/?q=meals&page=99999999999999999999", "page"),
        ("/?q=meals&order=best", "order"),
        ("/runs?before=garbage", "before"),
        ("/runs?before=99999999999999999999", "before"),
    ],
)
def test_a_place_that_cannot_be_read_is_named(radar, address, name):
    answer = radar.client.get(address)

    assert answer.status_code == 400
    assert f"{name}: &#39;{address.rpartition('=')[2]}&#39; is no" in answer.text


def test_empty_fields_of_the_form_do_not_stay_in_the_address(radar):
    answer = radar.client.get("/?q=meals&country=&cpv=&status=any&deadline_to=")

    assert (answer.status_code, answer.location) == (302, "/?q=meals&status=any")


def test_sources_and_runs_have_pages(radar):
    radar.select("INSERT INTO source (code, platform, name, note) VALUES ('ted', 'ted', 'TED', %s)", HOSTILE)
    radar.select(
        "INSERT INTO crawl_run (source_code, spider, state, reason, announced, fetched)"
        " VALUES ('ted', 'ted', 'incomplete', 'the next page was missing', 300, 30)"
    )

    assert "the next page was missing" in radar.page("/sources")
    assert re.search(r"30<span class=\"of\"> of 300", radar.page("/runs"))
    assert "<script" not in radar.page("/sources")


def test_a_database_that_is_away_is_said_with_what_to_do(radar):
    radar.app.extensions["database"].close()
    radar.app.extensions["database"]._url = "postgresql://nobody@127.0.0.1:9/nothing"

    page, api = radar.client.get("/?q=meals"), radar.client.get("/api/v1/tenders", headers={"X-API-Key": "x"})

    assert (page.status_code, page.mimetype) == (503, "text/html")
    assert "scrapy doctor" in page.text
    assert "127.0.0.1:9" not in page.text
    assert (api.status_code, api.content_type) == (503, "application/problem+json")
    assert (page.headers["Retry-After"], api.headers["Retry-After"]) == ("10", "10")
    assert radar.client.get("/healthz").status_code == 200
    assert radar.client.get("/readyz").status_code == 503


def test_a_database_that_comes_back_is_used_again(radar):
    radar.store(tender_notice(1, "School meals"))
    assert titles(radar.page("/")) == ["School meals"]

    radar.select("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tenderscrapy web'")

    assert [radar.client.get("/").status_code for _ in range(2)][-1] == 200


def test_an_unknown_country_is_named_and_an_unreadable_number_leaves_its_field_empty(radar):
    radar.store(tender_notice(1, "School meals"))

    answer = radar.client.get("/?country=QQ&value_min=abc")

    assert answer.status_code == 400
    assert "Country: &#39;QQ&#39; is no country&#39;s code" in answer.text
    assert "Value from: &#39;abc&#39; is no number" in answer.text
    assert 'value="abc"' not in answer.text
    assert titles(answer.text) == ["School meals"]
    assert "No open tender passes these filters" in radar.page("/?country=MT")
