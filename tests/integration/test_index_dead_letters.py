"""Messages that cannot be done, and where they end, on a real broker."""

from __future__ import annotations

from collections import deque
from threading import Event
from uuid import uuid4

import pika
import pytest

from indexer_worker.jobs import DependencyDownError
from indexer_worker.replay import replay
from services.indexing import until
from services.queueing import announce, dead, publish, running, waiting
from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import encode, tender_changed

pytestmark = pytest.mark.rabbitmq


def test_poison_ends_in_the_dead_letters_with_its_reason_and_the_good_one_is_done(index, channel, consumer):
    bodies = [b"not json", b"{}", b'{"tender_id": 5}', b"\xff\xfe\x00", b"x" * 5_000_000]
    for body in bodies:
        publish(channel, body)
    publish(channel, encode(tender_changed(uuid4(), "hash", "ted")).replace(b".v1", b".v2"))
    announce(channel, uuid4())
    good = index.tender(event=False)
    announce(channel, good)
    consumer.run(Event(), once=True)
    assert index.status(good) == "ready"
    assert consumer.tally.counts == {"indexed": 1, "unchanged": 1, "retried": 0, "dead": 6}
    letters = dead(channel)
    assert [body for body, _ in letters][:5] == bodies
    assert [headers["x-tries"] for _, headers in letters] == [1] * 6
    assert "no JSON" in letters[0][1]["reason"]
    assert "required" in letters[1][1]["reason"]
    assert "bytes" in letters[4][1]["reason"]
    assert "event_type" in letters[5][1]["reason"]


def test_an_unknown_version_reaches_the_dead_letters_too(channel, consumer):
    channel.basic_publish(broker.EXCHANGE, "tender.changed.v9", b"{}")
    consumer.run(Event(), once=True)
    assert len(dead(channel)) == 1


def test_what_may_pass_is_tried_five_times_then_it_is_a_dead_letter(
    short_retry, index, channel, consumer, ollama_provider, ollama_server
):
    tender = index.tender(event=False)
    announce(channel, tender)
    embed, tried = ollama_provider.embed_documents, []

    def trouble(texts):
        tried.append(texts)
        ollama_server.faults = deque([500])
        return embed(texts)

    ollama_provider.embed_documents = trouble
    consumer.run(Event(), once=True)
    assert len(tried) == 5
    ((_, headers),) = dead(channel)
    assert headers["x-tries"] == 5
    assert "500" in headers["reason"]
    assert sum(death["count"] for death in headers["x-death"] if death["queue"] == broker.RETRY_QUEUE) == 4
    assert index.status(tender) == "pending"


def test_a_message_that_comes_with_its_tries_used_up_is_not_tried_again(index, channel, consumer, ollama_server):
    announce_with = pika.BasicProperties(headers={"x-tries": 5})
    publish(channel, encode(tender_changed(index.tender(event=False), "h", "ted")), announce_with)
    consumer.run(Event(), once=True)
    assert len(dead(channel)) == 1


def test_dead_letters_can_be_replayed(index, channel, consumer, amqp_url, database):
    tender = index.tender(event=False)
    body = encode(tender_changed(tender, "h", "ted"))
    headers = {"x-tries": 5, "reason": "earlier trouble"}
    channel.confirm_delivery()  # what is not confirmed may not be in the queue yet
    channel.basic_publish("", broker.DEAD_QUEUE, body, pika.BasicProperties(headers=headers))
    channel.basic_publish("", broker.DEAD_QUEUE, b"never good")
    assert replay(database, amqp_url) == "2 dead letters replayed"
    consumer.run(Event(), once=True)
    assert index.status(tender) == "ready"
    assert [body for body, _ in dead(channel)] == [b"never good"]


def test_a_permanent_error_marks_the_tender_failed_and_the_queue_goes_on(
    index, channel, consumer, ollama_provider, ollama_server
):
    bad, good = index.tender("Bad", event=False), index.tender("Good", event=False)
    embed = ollama_provider.embed_documents

    def trouble(texts):
        ollama_server.faults = deque(["nan"] if any("Bad" in text for text in texts) else [])
        return embed(texts)

    ollama_provider.embed_documents = trouble
    announce(channel, bad)
    announce(channel, good)
    consumer.run(Event(), once=True)
    assert (index.status(bad), index.status(good)) == ("failed", "ready")
    ((_, headers),) = dead(channel)
    assert "EmbeddingError" in headers["reason"]


def test_a_service_that_is_down_stops_consuming_and_burns_no_tries(index, channel, consumer, ollama_server):
    tender = index.tender(event=False)
    ollama_server.faults = deque([503] * 1000)
    announce(channel, tender)
    with running(consumer):
        until(lambda: len(ollama_server.requests) > 5)
        assert waiting(channel, broker.QUEUE) == 1
        assert channel.queue_declare(broker.QUEUE, passive=True).method.consumer_count == 0
        announce(channel, index.tender("Second", event=False))
        ollama_server.faults.clear()
        until(lambda: index.sql("SELECT DISTINCT index_status FROM tender") == [("ready",)])
    assert consumer.tally.counts == {"indexed": 2, "unchanged": 0, "retried": 0, "dead": 0}
    assert dead(channel) == []


def test_a_single_run_does_not_wait_for_a_service_that_is_down(index, channel, consumer, ollama_server):
    ollama_server.faults = deque([503] * 1000)
    announce(channel, index.tender(event=False))
    with pytest.raises(DependencyDownError):
        consumer.run(Event(), once=True)
    until(lambda: waiting(channel, broker.QUEUE) == 1)
