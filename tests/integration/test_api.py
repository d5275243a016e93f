"""The HTTP API as its contract says it is."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from services.radar import LATER, tender_notice
from tenderscrapy.items import Attachment, Buyer, Link, Lot
from webapp import contract
from webapp.search.filters import FILTER_NAMES

ROADS = tender_notice(
    1,
    "Road works on the ring road",
    description="Milling and resurfacing.",
    buyers=[Buyer("Exampleton Borough Council", "GB-1")],
    cpv=["45233120"],
    value_amount=Decimal("125000.50"),
    value_currency="GBP",
    lots=[Lot("LOT-0001", title="North", value_amount=Decimal(5))],
    links=[Link("https://buyer.example.org/tender/1", "documents")],
    attachments=[Attachment("https://docs.example.org/plan.pdf", filename="Plan.pdf")],
)


def assert_follows(schema: str, instance) -> None:
    document = contract.document()
    reference = {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    assert [error.message for error in Draft202012Validator(reference).iter_errors(instance)] == []


def test_a_search_answers_as_the_contract_says(radar):
    [tender] = radar.publish(ROADS)

    answer = radar.search("road works")

    assert_follows("SearchAnswer", answer)
    [item] = answer["items"]
    assert (answer["mode"], answer["total"]) == ("hybrid", 1)
    assert 0.3 < item["score"] <= 1
    found = item["tender"]
    assert (found["id"], found["value_amount"], found["state"]) == (tender, 125000.5, "open")
    assert found["sources"] == [
        {"source_code": "ted", "notice_id": "1-2026", "url": "https://notices.example.org/1", "ocid": None}
    ]
    assert (found["days_left"], found["deadline_at"]) == (40, LATER.isoformat().replace("+00:00", "Z"))


def test_a_search_embeds_once(radar, monkeypatch):
    from tenderscrapy.ai.provider import provider

    radar.publish(ROADS)
    calls = []
    real = provider()
    counted = type("Counted", (), {"model": real.model, "dim": real.dim})()
    counted.embed_query = lambda text: calls.append(text) or real.embed_query(text)
    monkeypatch.setattr("webapp.search.search.provider", lambda: counted)

    radar.search("road works", limit=50)

    assert calls == ["road works"]


def test_the_limit_cuts_the_items_and_not_the_total(radar):
    radar.publish(*(tender_notice(n, f"Road works section {n}") for n in range(1, 13)))

    assert [len(radar.search("road works", limit)["items"]) for limit in (1, 12, 50)] == [1, 12, 12]
    assert len(radar.post({"query": "road works"}).json["items"]) == 10
    assert radar.search("road works", 1)["total"] == 12


REFUSED = [
    ({}, "body"),
    ([], "body"),
    ("road", "body"),
    ({"query": ""}, "query"),
    ({"query": "   "}, "query"),
    ({"query": "\x00"}, "query"),
    ({"query": "-!?"}, "query"),
    ({"query": ["road"]}, "query"),
    ({"query": "x" * 501}, "query"),
    ({"query": "road", "limit": 0}, "limit"),
    ({"query": "road", "limit": 51}, "limit"),
    ({"query": "road", "limit": "10"}, "limit"),
    ({"query": "road", "limit": 1.5}, "limit"),
    ({"query": "road", "limit": True}, "limit"),
    ({"query": "road", "offset": 3}, "body"),
    ({"query": "road", "filters": {"colour": ["red"]}}, "filters"),
    ({"query": "road", "filters": {"country": "DE"}}, "filters.country"),
    ({"query": "road", "filters": {"country": [1]}}, "filters.country.0"),
    ({"query": "road", "filters": {"status": ["done"]}}, "filters.status.0"),
    ({"query": "road", "filters": {"cpv": ["road"]}}, "filters.cpv"),
    ({"query": "road", "filters": {"cpv": ["7"]}}, "filters.cpv"),
    ({"query": "road", "filters": {"deadline_to": "tomorrow"}}, "filters.deadline_to"),
    ({"query": "road", "filters": {"deadline_to": "2026-02-30"}}, "filters.deadline_to"),
    ({"query": "road", "filters": {"deadline_from": "2026-07-15T12:00:00"}}, "filters.deadline_from"),
    ({"query": "road", "filters": {"deadline_from": "0001-01-01T00:00:00+14:00"}}, "filters.deadline_from"),
    ({"query": "road", "filters": {"value_min": "many"}}, "filters.value_min"),
    ({"query": "road", "filters": {"value_min": 1e300}}, "filters.value_min"),
    ({"query": "road", "filters": {"has_documents": "yes"}}, "filters.has_documents"),
    ({"query": "road", "filters": []}, "filters"),
    ({"query": "road", "filters": {"buyer": "x" * 300}}, "filters.buyer"),
]


def test_what_cannot_be_asked_is_named(radar):
    for body, field in REFUSED:
        answer = radar.post(body)

        assert (body, answer.status_code) == (body, 400)
        assert answer.content_type == "application/problem+json"
        assert_follows("Problem", answer.json)
        assert (body, answer.json["errors"][0]["field"]) == (body, field)


def test_characters_that_the_database_refuses_are_left_out_of_a_query(radar):
    radar.publish(ROADS)

    for query in ("road\x00works", "road \ud800 works", "road\u202e works"):
        assert radar.found(query) == [ROADS.title]
    assert radar.search("road works", buyer="Exampl\x00eton", country=["G\x00B"])["total"] == 1


@pytest.mark.parametrize(
    ("data", "content_type", "status"),
    [
        (b"{", "application/json", 400),
        (b"\xff\xfe", "application/json", 400),
        (b"null", "application/json", 400),
        (b'{"query": NaN}', "application/json", 400),
        (b"[" * 60_000, "application/json", 400),
        (b'{"query": "road"}', "text/plain", 415),
        (b'{"query": "' + b"x" * 70_000 + b'"}', "application/json", 413),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(radar, data, content_type, status):
    answer = radar.client.post("/api/v1/search", data=data, headers=radar.headers, content_type=content_type)

    assert (answer.status_code, answer.content_type) == (status, "application/problem+json")


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "search", 405), ("POST", "nothing", 404)])
def test_what_is_not_there_is_a_problem_too(radar, method, path, status):
    answer = radar.client.open(f"/api/v1/{path}", method=method, headers=radar.headers)

    assert (answer.status_code, answer.content_type) == (status, "application/problem+json")


def test_the_contract_names_every_filter_and_every_route(radar):
    document = radar.client.get("/api/v1/openapi.json").json
    routes = {
        rule.rule.replace("<tender_id>", "{id}")
        for rule in radar.app.url_map.iter_rules()
        if rule.rule.startswith(("/api/v1", "/healthz", "/readyz"))
    }

    assert set(document["paths"]) == routes
    assert tuple(document["components"]["schemas"]["Filters"]["properties"]) == FILTER_NAMES
    listed = {parameter["name"] for parameter in document["paths"]["/api/v1/tenders"]["get"]["parameters"]}
    assert listed == {"limit", "cursor", "order", *FILTER_NAMES}


def test_readiness_names_what_is_missing(radar, monkeypatch):
    from tenderscrapy.config import config

    assert radar.client.get("/readyz").json["checks"] == {"database": "ready", "queue": "ready", "model": "ready"}
    monkeypatch.setenv("AMQP_URL", "amqp://guest:guest@127.0.0.1:9/")
    config.cache_clear()

    answer = radar.client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json["checks"] == {"database": "ready", "queue": "unavailable", "model": "ready"}
    assert "guest" not in answer.text


def test_the_page_about_the_api_names_every_filter_and_route(radar):
    page = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")

    assert [name for name in FILTER_NAMES if f"`{name}`" not in page] == []
    assert [path for path in contract.document()["paths"] if path.removeprefix("/api/v1/") not in page] == []
