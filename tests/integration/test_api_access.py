"""Who may use the API, how often, and what a refusal says."""

from __future__ import annotations

import hashlib
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.radar import tender_notice

SEARCH = {"query": "road works"}


@pytest.mark.parametrize(
    "value",
    [None, "", " ", "\xfc", "\xfc" * 40, "wrong", "k" * 100_000, "tsk_x,tsk_x", "a\tb", "' OR 1=1 --"],
    ids=["missing", "empty", "blank", "byte 0xFC", "bytes 0xFC", "wrong", "long", "joined", "tab", "sql"],
)
def test_what_is_no_valid_key_is_refused(radar, value):
    radar.key()
    headers = {} if value is None else {"X-API-Key": value}

    for answer in (
        radar.client.post("/api/v1/search", json=SEARCH, headers=headers),
        radar.client.get("/api/v1/tenders", headers=headers),
        radar.client.get("/api/v1/nothing", headers=headers),
    ):
        assert answer.status_code == 401
        assert answer.content_type == "application/problem+json"
        assert answer.json["title"] == "Unauthorized"


def test_a_key_given_twice_is_refused(radar):
    key = radar.key()

    answer = radar.client.post("/api/v1/search", json=SEARCH, headers=[("X-API-Key", key), ("X-API-Key", key)])

    assert answer.status_code == 401


def test_the_digest_of_an_empty_key_in_the_table_opens_nothing(radar):
    radar.select(
        "INSERT INTO api_key (key_sha256, name) VALUES (%s, 'empty'), (%s, 'zeros')",
        hashlib.sha256(b"").hexdigest(),
        "0" * 64,
    )

    assert radar.client.post("/api/v1/search", json=SEARCH, headers={"X-API-Key": ""}).status_code == 401
    assert radar.client.post("/api/v1/search", json=SEARCH, headers={"X-API-Key": "\xfc"}).status_code == 401
    assert radar.client.post("/api/v1/search", json=SEARCH).status_code == 401


def test_without_any_key_in_the_table_the_api_is_closed(radar):
    assert radar.client.get("/api/v1/tenders", headers={"X-API-Key": "anything"}).status_code == 401


def test_a_valid_key_opens_and_only_its_digest_is_stored(radar):
    key = radar.key("bid office")

    answer = radar.client.get("/api/v1/tenders", headers={"X-API-Key": key})

    assert (answer.status_code, answer.json) == (200, {"items": [], "next_cursor": None})
    [row] = radar.select("SELECT * FROM api_key")
    assert row["key_sha256"] == hashlib.sha256(key.encode()).hexdigest()
    assert key not in json.dumps(row, default=str)


def test_a_revoked_key_is_refused_and_a_second_revocation_says_so(radar):
    key = radar.key("bid office")
    runner = radar.app.test_cli_runner()

    first, second = (runner.invoke(args=["keys", "revoke", "bid office"]) for _ in range(2))

    assert (first.exit_code, second.exit_code) == (0, 1)
    assert "bid office" in second.output
    assert radar.client.get("/api/v1/tenders", headers={"X-API-Key": key}).status_code == 401
    assert "revoked" in runner.invoke(args=["keys", "list"]).output


@pytest.mark.parametrize("arguments", [["keys", "create", " "], ["keys", "create", "x", "--limit", "0"]])
def test_a_key_without_name_or_with_no_requests_is_not_made(radar, arguments):
    assert radar.app.test_cli_runner().invoke(args=arguments).exit_code == 2
    assert radar.select("SELECT * FROM api_key") == []


def test_the_window_of_a_key_is_counted_down_and_then_closed(radar):
    headers = {"X-API-Key": radar.key(limit=2)}

    answers = [radar.client.get("/api/v1/tenders", headers=headers) for _ in range(4)]

    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["1", "0", "0", "0"]
    assert {answer.headers["X-RateLimit-Limit"] for answer in answers} == {"2"}
    refused = answers[-1]
    assert refused.content_type == "application/problem+json"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert refused.headers["Retry-After"] == refused.headers["X-RateLimit-Reset"]


def test_a_new_window_opens_after_a_minute(radar):
    headers = {"X-API-Key": radar.key(limit=1)}
    for expected in (200, 429):
        assert radar.client.get("/api/v1/tenders", headers=headers).status_code == expected

    radar.select("UPDATE rate_window SET window_start = window_start - interval '61 seconds'")

    assert radar.client.get("/api/v1/tenders", headers=headers).status_code == 200


def test_a_request_that_is_refused_for_its_content_counts_and_shows_the_window(radar):
    headers = {"X-API-Key": radar.key(limit=5)}

    answer = radar.client.post("/api/v1/search", json={"query": 3}, headers=headers)

    assert (answer.status_code, answer.headers["X-RateLimit-Remaining"]) == (400, "4")


def test_requests_at_the_same_time_never_exceed_the_window(radar):
    headers = {"X-API-Key": radar.key(limit=5)}
    with ThreadPoolExecutor(8) as pool:
        statuses = list(
            pool.map(lambda _: radar.app.test_client().get("/api/v1/tenders", headers=headers).status_code, range(20))
        )

    assert (statuses.count(200), statuses.count(429)) == (5, 15)


def test_each_key_has_a_window_of_its_own(radar):
    first, second = radar.key("a", limit=1), radar.key("b", limit=1)

    assert [radar.client.get("/api/v1/tenders", headers={"X-API-Key": k}).status_code for k in (first, second)] == [
        200,
        200,
    ]


def test_health_and_contract_need_no_key(radar):
    for path in ("/healthz", "/readyz", "/api/v1/openapi.json"):
        assert radar.client.get(path).status_code == 200


def test_a_request_id_is_kept_when_it_is_one_and_made_when_not(radar):
    kept = radar.client.get("/healthz", headers={"X-Request-ID": "bid-7.a"})
    made = [radar.client.get("/healthz", headers={"X-Request-ID": bad}) for bad in ("", "a b", "x" * 200)]

    assert kept.headers["X-Request-ID"] == "bid-7.a"
    assert all(re.fullmatch(r"[0-9a-f]{32}", answer.headers["X-Request-ID"]) for answer in made)


def test_the_request_id_is_logged_and_the_key_is_not(radar, caplog):
    caplog.set_level("INFO")
    key = radar.key()

    radar.client.get("/api/v1/tenders", headers={"X-API-Key": key, "X-Request-ID": "trace-42"})

    assert "trace-42" in caplog.text
    assert key not in caplog.text


def test_an_error_inside_shows_nothing_of_the_inside(radar, monkeypatch):
    def broken(*_):
        raise RuntimeError("secret detail")

    monkeypatch.setattr("webapp.api.tenders", broken)
    radar.publish(tender_notice(1, "Road works"))

    answer = radar.get("tenders")

    assert (answer.status_code, answer.content_type) == (500, "application/problem+json")
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
