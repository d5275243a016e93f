"""The indexer with its work from a real broker."""

from __future__ import annotations

import json
import signal
import time
from collections import deque
from contextlib import contextmanager
from threading import Event, Thread
from uuid import uuid4

import pika
import pytest
from ollama_double import OllamaDouble

from indexer_worker import session
from indexer_worker.deliveries import BrokerConsumer
from indexer_worker.extraction import Extractor
from indexer_worker.jobs import DependencyDownError
from indexer_worker.replay import replay
from indexer_worker.worker import Indexer
from tenderscrapy.ai.ollama import OllamaProvider
from tenderscrapy.exceptions import BrokerUnavailableError
from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import encode, tender_changed

pytestmark = pytest.mark.rabbitmq


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(session, "RETRY_AFTER", 0.2)
    monkeypatch.setattr("tenderscrapy.ai.ollama.BUSY_WAITS", ())


@pytest.fixture
def short_retry(monkeypatch):
    """Wait a tenth of a second, not ten, in the retry queue; to be asked for before the queues are declared."""
    retry = broker.QUEUES[broker.RETRY_QUEUE] | {"x-message-ttl": 100}
    monkeypatch.setitem(broker.QUEUES, broker.RETRY_QUEUE, retry)


@pytest.fixture
def double():
    with OllamaDouble() as running:
        yield running


@pytest.fixture
def stub(double):
    provider = OllamaProvider(double.url, double.model)
    assert provider.dim == 64
    return provider


@pytest.fixture
def channel(amqp_url):
    with broker.connect(amqp_url, "test") as connection:
        made = connection.channel()
        broker.declare(made)
        yield made


@pytest.fixture
def consumer(index, amqp_url, stub):
    """A consumer in this process; ``run`` works until nothing is left."""
    indexer = Indexer(index.url, stub, Extractor(index.store))
    yield BrokerConsumer(amqp_url, indexer)
    indexer.close()


@contextmanager
def running(consumer):
    stopping = Event()
    thread = Thread(target=consumer.run, args=(stopping,), kwargs={"once": False})
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(60)
        assert not thread.is_alive()


def publish(channel, body, properties=None):
    channel.basic_publish(
        broker.EXCHANGE, "tender.changed.v1", body, properties or pika.BasicProperties(delivery_mode=2)
    )


def announce(channel, tender_id):
    publish(channel, encode(tender_changed(tender_id, "hash", "ted")))


def waiting(channel, queue):
    return channel.queue_declare(queue, passive=True).method.message_count


def until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


def dead(channel):
    found = []
    while True:
        _, properties, body = channel.basic_get(broker.DEAD_QUEUE, auto_ack=True)
        if body is None:
            return found
        found.append((body, properties.headers))


def test_messages_are_indexed_and_acked(index, channel, consumer):
    tenders = [index.tender(f"Tender {number}", event=False) for number in range(5)]
    for tender in tenders:
        announce(channel, tender)
    consumer.run(Event(), once=True)
    assert [index.status(tender) for tender in tenders] == ["ready"] * 5
    assert consumer.tally.counts == {"indexed": 5, "unchanged": 0, "retried": 0, "dead": 0}
    assert [waiting(channel, queue) for queue in broker.QUEUES] == [0, 0, 0]


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
    short_retry, index, channel, consumer, stub, double
):
    tender = index.tender(event=False)
    announce(channel, tender)
    embed, tried = stub.embed_documents, []

    def trouble(texts):
        tried.append(texts)
        double.faults = deque([500])
        return embed(texts)

    stub.embed_documents = trouble
    consumer.run(Event(), once=True)
    assert len(tried) == 5
    ((_, headers),) = dead(channel)
    assert headers["x-tries"] == 5
    assert "500" in headers["reason"]
    assert sum(death["count"] for death in headers["x-death"] if death["queue"] == broker.RETRY_QUEUE) == 4
    assert index.status(tender) == "pending"


def test_a_message_that_comes_with_its_tries_used_up_is_not_tried_again(index, channel, consumer, double):
    announce_with = pika.BasicProperties(headers={"x-tries": 5})
    publish(channel, encode(tender_changed(index.tender(event=False), "h", "ted")), announce_with)
    consumer.run(Event(), once=True)
    assert len(dead(channel)) == 1


def test_dead_letters_can_be_replayed(index, channel, consumer, amqp_url, database):
    tender = index.tender(event=False)
    body = encode(tender_changed(tender, "h", "ted"))
    headers = {"x-tries": 5, "reason": "earlier trouble"}
    channel.basic_publish("", broker.DEAD_QUEUE, body, pika.BasicProperties(headers=headers))
    channel.basic_publish("", broker.DEAD_QUEUE, b"never good")
    assert replay(database, amqp_url) == "2 dead letters replayed"
    consumer.run(Event(), once=True)
    assert index.status(tender) == "ready"
    assert [body for body, _ in dead(channel)] == [b"never good"]


def test_a_permanent_error_marks_the_tender_failed_and_the_queue_goes_on(index, channel, consumer, stub, double):
    bad, good = index.tender("Bad", event=False), index.tender("Good", event=False)
    embed = stub.embed_documents

    def trouble(texts):
        double.faults = deque(["nan"] if any("Bad" in text for text in texts) else [])
        return embed(texts)

    stub.embed_documents = trouble
    announce(channel, bad)
    announce(channel, good)
    consumer.run(Event(), once=True)
    assert (index.status(bad), index.status(good)) == ("failed", "ready")
    ((_, headers),) = dead(channel)
    assert "EmbeddingError" in headers["reason"]


def test_a_service_that_is_down_stops_consuming_and_burns_no_tries(index, channel, consumer, double):
    tender = index.tender(event=False)
    double.faults = deque([503] * 1000)
    announce(channel, tender)
    with running(consumer):
        until(lambda: len(double.requests) > 5)
        assert waiting(channel, broker.QUEUE) == 1
        assert channel.queue_declare(broker.QUEUE, passive=True).method.consumer_count == 0
        announce(channel, index.tender("Second", event=False))
        double.faults.clear()
        until(lambda: index.sql("SELECT DISTINCT index_status FROM tender") == [("ready",)])
    assert consumer.tally.counts == {"indexed": 2, "unchanged": 0, "retried": 0, "dead": 0}
    assert dead(channel) == []


def test_a_single_run_does_not_wait_for_a_service_that_is_down(index, channel, consumer, double):
    double.faults = deque([503] * 1000)
    announce(channel, index.tender(event=False))
    with pytest.raises(DependencyDownError):
        consumer.run(Event(), once=True)
    until(lambda: waiting(channel, broker.QUEUE) == 1)


def test_work_longer_than_the_heartbeat_keeps_its_connection(index, amqp_url, channel, stub, double):
    tenders = [index.tender(f"Tender {number}", event=False) for number in range(3)]
    double.delay = 7
    indexer = Indexer(index.url, stub, Extractor(index.store))
    patient = BrokerConsumer(f"{amqp_url}?heartbeat=2", indexer)
    with running(patient):
        for tender in tenders:
            announce(channel, tender)
            time.sleep(0.3)
        until(lambda: [index.status(tender) for tender in tenders] == ["ready"] * 3)
    indexer.close()
    assert patient.tally.counts == {"indexed": 3, "unchanged": 0, "retried": 0, "dead": 0}
    assert sum("Title: Tender" in text for text in double.texts) == 3
    assert waiting(channel, broker.QUEUE) == 0


def test_a_channel_that_the_broker_closes_is_opened_again(index, channel, consumer):
    with running(consumer):
        until(lambda: channel.queue_declare(broker.QUEUE, passive=True).method.consumer_count == 1)
        channel.queue_delete(broker.QUEUE)
        time.sleep(0.5)
        broker.declare(channel)
        tender = index.tender(event=False)
        announce(channel, tender)
        until(lambda: index.status(tender) == "ready")


def test_no_broker_at_the_start_ends_a_single_run(index, stub):
    indexer = Indexer(index.url, stub, Extractor(index.store))
    with pytest.raises(BrokerUnavailableError, match="AMQP_URL"):
        BrokerConsumer("amqp://guest:guest@127.0.0.1:1/%2F", indexer).run(Event(), once=True)
    indexer.close()


def test_the_indexer_relays_the_outbox_itself(index, amqp_url):
    tender = index.tender()
    run = index.run("--once", AMQP_URL=amqp_url)
    assert run.returncode == 0, run.stderr
    assert "1 indexed" in run.stdout
    assert index.status(tender) == "ready"
    assert index.sql("SELECT count(*) FROM outbox WHERE published_at IS NULL") == [(0,)]


def test_republish_brings_back_what_is_not_indexed(index, amqp_url, channel, crawl_command):
    pending, failed = index.tender(event=False), index.tender(event=False, index_status="failed")
    index.tender("Ready", event=False, index_status="ready")
    run = crawl_command("republish", AMQP_URL=amqp_url)
    assert run.returncode == 0, run.stderr
    assert "2 event(s) written, 2 published, 0 left" in run.stdout
    bodies = [channel.basic_get(broker.QUEUE, auto_ack=True)[2] for _ in range(2)]
    assert {json.loads(body)["tender_id"] for body in bodies} == {pending, failed}


def test_a_broker_that_is_killed_and_comes_back_is_found_again(index, rabbitmq_node, stub):
    indexer = Indexer(index.url, stub, Extractor(index.store))
    with running(BrokerConsumer(rabbitmq_node.url, indexer)):
        first = index.tender("First", event=False)
        with broker.connect(rabbitmq_node.url, "test") as connection:
            announce_on(connection, first)
        until(lambda: index.status(first) == "ready")
        rabbitmq_node.kill()
        rabbitmq_node.start()
        second = index.tender("Second", event=False)
        with broker.connect(rabbitmq_node.url, "test") as connection:
            announce_on(connection, second)
        until(lambda: index.status(second) == "ready")
    indexer.close()


def announce_on(connection, tender):
    channel = connection.channel()
    broker.declare(channel)
    channel.confirm_delivery()
    announce(channel, tender)


def test_a_worker_that_is_killed_leaves_its_message_to_the_next(index, amqp_url, channel, double):
    tender = index.tender(event=False)
    settings = {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": double.model, "OLLAMA_HOST": double.url}
    settings["AMQP_URL"] = amqp_url
    started = Event()
    double.faults = deque([lambda texts: None, lambda texts: (started.set(), time.sleep(5))])
    worker = index.start(**settings)
    announce(channel, tender)
    assert started.wait(60)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    other = index.start(**settings)
    try:
        until(lambda: index.status(tender) == "ready")
    finally:
        other.send_signal(signal.SIGTERM)
        assert other.wait(60) == 0
