"""Published events stay in the outbox for 30 days: no query of relay, republish or upkeep reads them one by one."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg2
import pytest

from tenderscrapy.database.queries import queries
from tenderscrapy.messaging.contract import TENDER_CHANGED
from tenderscrapy.messaging.events import KEEP_DAYS, forget_published, put_missing_events

PUBLISHED = 100_000
QUERIES: dict[str, dict[str, Any]] = {
    "claim_waiting": {"topic": TENDER_CHANGED, "lease": 30, "count": 200, "holder": None},
    "settle": {"ids": [1, 2, 3]},
    "put_off": {"ids": [1, 2, 3], "wait": 2, "error": "x"},
    "waiting": {"topic": TENDER_CHANGED},
    "next_wait": {"topic": TENDER_CHANGED},
    "dead": {"topic": TENDER_CHANGED},
    "unindexed": {},
    "not_ready": {},
    "sweep_published": {"days": KEEP_DAYS},
}


@pytest.fixture
def connection(database):
    """A database whose outbox has been used for a long time."""
    with closing(psycopg2.connect(database)) as opened, opened.cursor() as cursor:
        cursor.execute(
            """INSERT INTO outbox (topic, key, payload, published_at)
               SELECT %s, gen_random_uuid()::text, '{}', now() - make_interval(secs => n)
               FROM generate_series(1, %s) n""",
            (TENDER_CHANGED, PUBLISHED),
        )
        cursor.execute("ANALYZE outbox")
        yield opened


@pytest.mark.parametrize("name", QUERIES)
def test_no_query_reads_what_is_published(connection, name):
    sql = getattr(queries("outbox"), name).sql
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN {sql}", QUERIES[name])
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan on outbox" not in plan, plan


def test_what_was_published_long_ago_goes_and_dead_letters_stay(connection):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE outbox SET published_at = now() - interval '31 days' WHERE id <= 50")
        cursor.execute("UPDATE outbox SET error = 'dead' WHERE id <= 3")
        forget_published(connection)
        assert put_missing_events(connection) == 0
        cursor.execute("SELECT count(*), count(error) FROM outbox")
        assert cursor.fetchall() == [(PUBLISHED - 47, 3)]
