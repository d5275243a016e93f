"""The relay from the outbox to a real broker."""

from __future__ import annotations

import json
import time
from contextlib import closing
from uuid import uuid4

import psycopg2
import pytest

from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import TENDER_CHANGED, tender_changed
from tenderscrapy.messaging.events import put_events
from tenderscrapy.messaging.outbox import OutboxRelay
from tenderscrapy.messaging.publisher import ConfirmedPublisher, Message

pytestmark = pytest.mark.rabbitmq


def fill(database, count):
    ids = [str(uuid4()) for _ in range(count)]
    with closing(psycopg2.connect(database)) as connection:
        put_events(connection, [(tender_id, "hash", "ted") for tender_id in ids])
        connection.commit()
    return ids


def rows(database, statement):
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


def received(url, queue=broker.QUEUE):
    found = []
    with broker.connect(url, "test") as connection:
        channel = connection.channel()
        while True:
            _method, properties, body = channel.basic_get(queue, auto_ack=True)
            if body is None:
                return found
            found.append((json.loads(body), properties))


@pytest.fixture
def relay(database, amqp_url):
    made = OutboxRelay(database, amqp_url)
    made.start()
    yield made
    made.close()


def test_a_row_leaves_the_outbox_after_its_message_was_confirmed(database, amqp_url, relay):
    (tender_id,) = fill(database, 1)
    assert relay.drain(30) == 0
    ((event, properties),) = received(amqp_url)
    assert event["tender_id"] == tender_id
    assert properties.delivery_mode == 2
    assert rows(database, "SELECT count(*) FROM outbox WHERE published_at IS NULL OR error IS NOT NULL") == [(0,)]


def test_more_rows_than_a_window_all_arrive_once(database, amqp_url, relay):
    ids = fill(database, 1_000)
    assert relay.drain(60) == 0
    assert sorted(event["tender_id"] for event, _ in received(amqp_url)) == sorted(ids)
    assert relay.published == 1_000


def test_two_relays_share_the_rows(database, amqp_url, relay):
    other = OutboxRelay(database, amqp_url)
    other.start()
    try:
        ids = fill(database, 2_000)
        assert relay.drain(60) == 0
    finally:
        other.close()
    assert sorted(event["tender_id"] for event, _ in received(amqp_url)) == sorted(ids)


def test_a_row_that_breaks_the_contract_is_a_dead_letter_and_the_others_go_on(database, amqp_url, relay):
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute("INSERT INTO outbox (topic, key, payload) VALUES (%s, 'x', '{}')", (TENDER_CHANGED,))
        connection.commit()
    (good,) = fill(database, 1)
    assert relay.drain(30) == 0
    assert [event["tender_id"] for event, _ in received(amqp_url)] == [good]
    ((error,),) = rows(database, "SELECT error FROM outbox WHERE key = 'x'")
    assert "required" in error


def test_a_message_that_no_queue_takes_is_not_counted_as_published(amqp_url):
    publisher = ConfirmedPublisher(amqp_url, "test")
    publisher.start()
    assert publisher.wait_ready(30)
    try:
        lost = Message("1", "another.topic", b"{}")
        kept = Message("2", TENDER_CHANGED, json.dumps(tender_changed(uuid4(), "h", "ted")).encode())
        publisher.publish([lost, kept])
        assert "no queue" in str(lost.confirmed.exception(30))
        assert kept.confirmed.result(30) is None
    finally:
        publisher.close()


def test_declaring_the_topology_twice_changes_nothing(amqp_url):
    with broker.connect(amqp_url, "test") as connection:
        channel = connection.channel()
        broker.declare(channel)
        channel.basic_publish(broker.EXCHANGE, TENDER_CHANGED, b"1")
        broker.declare(channel)
        broker.declare(connection.channel())
        assert channel.queue_declare(broker.QUEUE, passive=True).method.message_count == 1


def test_without_a_broker_rows_wait_and_closing_is_quick(database):
    relay = OutboxRelay(database, "amqp://guest:guest@127.0.0.1:1/%2F")
    relay.start()
    fill(database, 3)
    assert relay.drain(0.5) == 3
    relay.close()
    assert rows(database, "SELECT count(*) FROM outbox WHERE published_at IS NULL") == [(3,)]


def test_a_broker_killed_while_publishing_loses_nothing(database, rabbitmq_node):
    ids = set(fill(database, 6_000))
    relay = OutboxRelay(database, rabbitmq_node.url)
    relay.start()
    try:
        for target in (500, 1_500):
            while relay.published < target:
                time.sleep(0.002)
            rabbitmq_node.kill()
            left = rows(database, "SELECT count(*) FROM outbox WHERE published_at IS NULL")
            assert left[0][0] > 0
            rabbitmq_node.start()
        assert relay.drain(120) == 0
    finally:
        relay.close()
    arrived = [event["tender_id"] for event, _ in received(rabbitmq_node.url)]
    assert set(arrived) == ids
    assert len(arrived) >= relay.published == len(ids)
