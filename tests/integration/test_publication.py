"""A crawl and its events, with a broker, with a broker that is away, and without one."""

from __future__ import annotations

import json

import psycopg2
import pytest

from tenderscrapy.messaging import broker


def outbox(database):
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FILTER (WHERE published_at IS NULL), count(*) FROM outbox")
        waiting = cursor.fetchone()
    connection.close()
    return waiting


@pytest.mark.rabbitmq
def test_every_event_of_a_crawl_reaches_the_queue(crawl, database, amqp_url):
    run = crawl("sample", AMQP_URL=amqp_url, ATTACHMENTS_BUDGET=1)
    assert run.returncode == 0, run.stderr[-2000:]
    waiting, written = outbox(database)
    assert waiting == 0
    assert written > 0
    with broker.connect(amqp_url, "test") as connection:
        channel = connection.channel()
        bodies = [channel.basic_get(broker.QUEUE, auto_ack=True)[2] for _ in range(written)]
        assert channel.basic_get(broker.QUEUE)[2] is None
    with psycopg2.connect(database) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT id::text FROM tender")
        assert {json.loads(body)["tender_id"] for body in bodies} == {row[0] for row in cursor.fetchall()}
    connection.close()


def test_a_broker_that_is_away_neither_stops_nor_fails_a_crawl(crawl, database):
    run = crawl("sample", AMQP_URL="amqp://guest:guest@127.0.0.1:1/%2F", ATTACHMENTS_BUDGET=1)
    assert run.returncode == 0, run.stderr[-2000:]
    assert "wait in the outbox for RabbitMQ" in run.stderr
    waiting, written = outbox(database)
    assert waiting == written > 0


def test_without_a_broker_the_events_wait_for_the_indexer(crawl, database, index):
    assert crawl("sample", ATTACHMENTS_BUDGET=20).returncode == 0
    run = index.run("--once")
    assert run.returncode == 0, run.stderr[-2000:]
    assert index.sql("SELECT DISTINCT index_status FROM tender") == [("ready",)]
    assert outbox(database)[0] == 0
