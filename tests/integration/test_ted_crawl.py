"""`scrapy crawl ted` against a server that speaks and misbehaves like the real one."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from portal_simulator import invented_ted_notices

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}


def searches(simulator) -> list[dict]:
    return [json.loads(request.body) for request in simulator.requests_to("/v3/notices/search", "POST")]


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, announced, pages, fetched, new FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


def cursor(ask) -> dict:
    return ask("SELECT cursor FROM source WHERE code = 'ted'")[0][0]


def test_a_walk_reads_every_notice_and_moves_the_watermark(simulator, crawl, ask):
    simulator.ted.notices = invented_ted_notices(620)
    run = crawl("ted", since=SINCE, **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask) == ("complete", "", 620, 4, 620, 620)
    assert ask("SELECT count(*) FROM tender_source WHERE source_code = 'ted'") == [(620,)]
    newest = ask("SELECT max(revised_at) FROM tender_source")[0][0]
    assert (cursor(ask)["position"], datetime.fromisoformat(cursor(ask)["watermark"])) == (None, newest)


def test_the_body_stays_the_same_but_for_the_token_and_the_page_is_as_large_as_the_server_allows(simulator, crawl):
    simulator.ted.notices = invented_ted_notices(620)
    crawl("ted", since=SINCE, **NO_FILES)

    bodies = searches(simulator)
    tokens = [body.pop("iterationNextToken", None) for body in bodies]
    assert len({json.dumps(body) for body in bodies}) == 1
    assert tokens[0] is None
    assert len(set(tokens)) == 4
    assert bodies[0]["limit"] * (len(bodies[0]["fields"]) + 1) <= 10_000
    assert bodies[0]["query"] == f"publication-date>={SINCE.replace('-', '')} SORT BY publication-date DESC"


def test_the_next_walk_begins_at_the_watermark_and_finds_nothing_new(simulator, crawl, ask):
    crawl("ted", since=SINCE, **NO_FILES)
    simulator.forget_requests()

    assert crawl("ted", **NO_FILES).returncode == 0

    newest = ask("SELECT max((snapshot ->> 'published_at')::timestamptz) FROM tender_source")[0][0]
    day = (newest + timedelta(hours=2)).date()
    assert searches(simulator)[0]["query"].startswith(f"publication-date>={day:%Y%m%d} ")
    assert ask("SELECT new, changed FROM crawl_run ORDER BY id DESC LIMIT 1") == [(0, 0)]


def test_a_walk_cut_by_max_pages_is_complete_as_asked_and_goes_on_next_time(simulator, crawl, ask):
    simulator.ted.notices = invented_ted_notices(620)
    assert crawl("ted", since=SINCE, max_pages=1, **NO_FILES).returncode == 0
    assert last_run(ask)[:2] == ("complete", "ended after 1 page(s) as asked")
    assert cursor(ask)["position"] is not None
    assert cursor(ask)["watermark"] is None

    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 0

    assert ask("SELECT count(*) FROM tender_source") == [(620,)]
    assert ask("SELECT fetched FROM crawl_run ORDER BY id") == [(250,), (370,)]


def test_a_refused_field_fails_loudly_with_a_short_line(simulator, crawl, ask):
    simulator.fault("/v3/notices/search", times=None, kind="status", status=400, body=_refusal())
    run = crawl("ted", since=SINCE, **NO_FILES)

    assert run.returncode == 1
    state, reason, *_ = last_run(ask)
    assert state == "failed"
    assert "UNSUPPORTED_VALUE" in reason
    assert max(len(line) for line in run.stderr.splitlines()) < 600
    assert len(searches(simulator)) == 1


def _refusal() -> bytes:
    names = ", ".join(f"field-{n}" for n in range(1830))
    message = f"Parameter 'fields' contains unsupported value (nonsense). Supported: {names}"
    error = {"type": "UNSUPPORTED_VALUE", "parameterName": "fields", "unsupportedValue": "nonsense"}
    return json.dumps({"message": message, "error": error}).encode()


@pytest.mark.parametrize("kind", ["EXPIRED_ITERATION_TOKEN", "INVALID_ITERATION_TOKEN"])
def test_a_lost_token_restarts_the_walk_once_from_its_first_page(simulator, crawl, ask, kind):
    simulator.ted.notices = invented_ted_notices(620)
    body = json.dumps({"message": "gone", "error": {"type": kind}}).encode()
    simulator.fault(_with_token, times=1, kind="status", status=400, body=body)

    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 0

    assert ask("SELECT count(*) FROM tender_source") == [(620,)]
    tokens = [body.get("iterationNextToken") for body in searches(simulator)]
    assert [token is None for token in tokens] == [True, False, True, False, False, False]
    assert last_run(ask)[0] == "complete"


def _with_token(request) -> bool:
    return request.path.startswith("/v3/") and b"iterationNextToken" in request.body


def test_a_token_lost_again_and_again_ends_the_run_and_keeps_the_cursor(simulator, crawl, ask):
    simulator.ted.notices = invented_ted_notices(620)
    body = json.dumps({"message": "gone", "error": {"type": "EXPIRED_ITERATION_TOKEN"}}).encode()
    simulator.fault(_with_token, times=None, kind="status", status=400, body=body)

    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 1

    assert last_run(ask)[0] == "failed"
    assert cursor(ask)["watermark"] is None
    assert len(searches(simulator)) == 4


def test_a_repeated_500_with_a_token_restarts_the_walk(simulator, crawl, ask):
    simulator.ted.notices = invented_ted_notices(620)
    assert crawl("ted", since=SINCE, max_pages=1, **NO_FILES).returncode == 0
    stored = cursor(ask)["position"].encode()
    simulator.fault(lambda request: stored in request.body, times=None, kind="status", status=500)
    simulator.forget_requests()

    run = crawl("ted", since=SINCE, RETRY_TIMES=1, **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert ask("SELECT count(*) FROM tender_source") == [(620,)]
    tokens = [body.get("iterationNextToken") for body in searches(simulator)]
    assert [token is None for token in tokens] == [False, False, True, False, False, False]
    assert last_run(ask)[:2] == ("complete", "")


def test_an_answer_cut_by_time_is_asked_for_again(simulator, crawl, ask):
    simulator.ted.time_out(2)
    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 0
    assert last_run(ask) == ("complete", "", 60, 2, 60, 60)


def test_an_answer_that_stays_cut_is_kept_but_never_moves_the_watermark(simulator, crawl, ask):
    simulator.ted.time_out(1000)
    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 1
    state, reason, _, pages, fetched, new = last_run(ask)
    assert (state, reason, pages) == ("incomplete", "page 1 was answered in part 4 times", 1)
    assert fetched == new == 30
    assert ask("SELECT cursor FROM source WHERE code = 'ted' AND cursor IS NOT NULL") == []


def answers(simulator, *pages: dict) -> None:
    """These pages in their order, the last one for ever, whatever is asked."""
    for page in pages[:-1]:
        simulator.fault("/v3/notices/search", times=1, kind="status", status=200, **_json(page))
    simulator.fault("/v3/notices/search", times=None, kind="status", status=200, **_json(pages[-1]))


def _json(page: dict) -> dict:
    return {"body": json.dumps(page), "media_type": "application/json"}


def page(*numbers: str, token: str | None = "t", total: int = 3) -> dict:
    notices = [
        {"publication-number": number, "title-proc": {"eng": "Bus shelters"}, "publication-date": "2026-11-02+01:00"}
        for number in numbers
    ]
    return {"notices": notices, "totalNoticeCount": total, "iterationNextToken": token, "timedOut": False}


def test_a_repeated_cursor_fails_the_run_and_keeps_the_cursor(simulator, crawl, ask):
    answers(simulator, page("1-2026"), page("2-2026"))
    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, reason) == ("failed", "page 2 names a cursor that was followed before; the walk would never end")
    assert (cursor(ask)["position"], cursor(ask)["watermark"]) == ("t", None)


def test_a_walk_that_ends_before_its_total_is_incomplete_and_the_watermark_stays(simulator, crawl, ask):
    answers(simulator, page("1-2026", "2-2026"), page(token="u"))
    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 1
    assert last_run(ask)[:2] == ("incomplete", "the source announced 3 notices and gave 2")
    assert (cursor(ask)["position"], cursor(ask)["watermark"]) == (None, None)


def test_a_notice_without_number_or_title_is_left_out_alone(simulator, crawl, ask):
    broken = page("1-2026", "2-2026", token="t")
    broken["notices"][0] = {"title-proc": {"eng": "No number"}}
    broken["notices"].append({"publication-number": "3-2026"})
    answers(simulator, broken, page(token="u"))
    run = crawl("ted", since=SINCE, **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert ask("SELECT notice_id FROM tender_source") == [("2-2026",)]
    assert ask("SELECT fetched, new, rejected FROM crawl_run") == [(3, 1, 2)]
    assert cursor(ask)["watermark"] == "2026-11-01T23:00:00+00:00"


def test_something_that_is_no_page_fails_the_run(simulator, crawl, ask):
    answers(simulator, {"message": "maintenance"})
    assert crawl("ted", since=SINCE, **NO_FILES).returncode == 1
    assert last_run(ask)[:2] == ("failed", "TED answered without a list of notices")


def test_no_notices_in_the_window_is_complete(simulator, crawl, ask):
    assert crawl("ted", since="2016-01-01", until="2016-01-02", **NO_FILES).returncode == 0
    assert last_run(ask) == ("complete", "", 0, 1, 0, 0)


def test_a_bad_date_is_named_and_ends_at_once(simulator, crawl):
    run = crawl("ted", since="01.02.2026")
    assert (run.returncode, run.stderr.splitlines()[-1]) == (
        2,
        "scrapy crawl: since='01.02.2026' is not a date; write it as 2026-11-30",
    )


def test_the_database_away_is_said_and_the_status_is_not_0(simulator, crawl, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    run = crawl("ted", since=SINCE)
    assert run.returncode == 1
    assert "PostgreSQL at 127.0.0.1:1/none cannot be used" in run.stderr


@pytest.mark.parametrize(
    ("spider", "arguments", "words"),
    [
        ("ted", {"max_page": "1"}, "ted has no argument max_page"),
        ("contracts_finder", {"query": "x"}, "contracts_finder has no argument query"),
        ("sample", {"anchor": "x"}, "anchor='x' is not a date"),
        ("nothere", {}, "there is no spider 'nothere'"),
        ("ted", {"ALLOW_PRIVATE_HOSTS": "foo"}, "ALLOW_PRIVATE_HOSTS: 'foo' is not host:port"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(crawl, spider, arguments, words):
    run = crawl(spider, **arguments)
    assert run.returncode == 2
    assert words in run.stderr.splitlines()[-1]
    assert "Traceback" not in run.stderr


def test_a_bad_environment_is_said_in_one_line(crawl, monkeypatch):
    monkeypatch.setenv("RETRY_AFTER_MAX", "x")
    run = crawl("ted")
    assert run.returncode == 2
    assert "RETRY_AFTER_MAX='x'" in run.stderr
    assert "Traceback" not in run.stderr
