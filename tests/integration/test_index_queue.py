"""The indexer with its work from a real broker."""

from __future__ import annotations

import json
import signal
import time
from collections import deque
from threading import Event

import pytest

from indexer_worker.deliveries import BrokerConsumer
from indexer_worker.extraction import Extractor
from indexer_worker.worker import Indexer
from services.indexing import until
from services.queueing import announce, running, waiting
from tenderscrapy.exceptions import BrokerUnavailableError
from tenderscrapy.messaging import broker

pytestmark = pytest.mark.rabbitmq


def test_messages_are_indexed_and_acked(index, channel, consumer):
    tenders = [index.tender(f"Tender {number}", event=False) for number in range(5)]
    for tender in tenders:
        announce(channel, tender)
    consumer.run(Event(), once=True)
    assert [index.status(tender) for tender in tenders] == ["ready"] * 5
    assert consumer.tally.counts == {"indexed": 5, "unchanged": 0, "retried": 0, "dead": 0}
    assert [waiting(channel, queue) for queue in broker.QUEUES] == [0, 0, 0]


def test_work_longer_than_the_heartbeat_keeps_its_connection(index, amqp_url, channel, ollama_provider, ollama_server):
    tenders = [index.tender(f"Tender {number}", event=False) for number in range(3)]
    ollama_server.delay = 7
    indexer = Indexer(index.url, ollama_provider, Extractor(index.store))
    patient = BrokerConsumer(f"{amqp_url}?heartbeat=2", indexer)
    with running(patient):
        for tender in tenders:
            announce(channel, tender)
            time.sleep(0.3)
        until(lambda: [index.status(tender) for tender in tenders] == ["ready"] * 3)
    indexer.close()
    assert patient.tally.counts == {"indexed": 3, "unchanged": 0, "retried": 0, "dead": 0}
    assert sorted(t for t in ollama_server.texts if t.startswith("Tender")) == ["Tender 0", "Tender 1", "Tender 2"]
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


def test_no_broker_at_the_start_ends_a_single_run(index, ollama_provider):
    indexer = Indexer(index.url, ollama_provider, Extractor(index.store))
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


def test_a_broker_that_is_killed_and_comes_back_is_found_again(index, rabbitmq_node, ollama_provider):
    indexer = Indexer(index.url, ollama_provider, Extractor(index.store))
    with running(BrokerConsumer(rabbitmq_node.url, indexer)):
        first = index.tender("First", event=False)
        announced(rabbitmq_node.url, first)
        until(lambda: index.status(first) == "ready")
        rabbitmq_node.kill()
        rabbitmq_node.start()
        second = index.tender("Second", event=False)
        announced(rabbitmq_node.url, second)
        until(lambda: index.status(second) == "ready")
    indexer.close()


def test_a_worker_that_is_killed_leaves_its_message_to_the_next(index, amqp_url, channel, ollama_server):
    tender = index.tender(event=False)
    settings = ollama_server.settings | {"AMQP_URL": amqp_url}
    started = Event()
    ollama_server.faults = deque([lambda texts: None, lambda texts: (started.set(), time.sleep(5))])
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


def test_a_run_takes_over_what_a_killed_worker_held(index, amqp_url, channel, ollama_server):
    tender = index.tender(event=False)
    settings = ollama_server.settings | {"AMQP_URL": amqp_url}
    started, killed = Event(), Event()
    ollama_server.faults = deque([lambda texts: None, lambda texts: (started.set(), killed.wait(60))])
    worker = index.start(**settings)
    announce(channel, tender)
    assert started.wait(60)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    killed.set()
    assert index.status(tender) == "processing"
    run = index.run("--once", **settings)
    assert run.returncode == 0, run.stderr
    assert index.status(tender) == "ready"
    assert "1 indexed" in run.stdout
    assert "another worker" not in run.stdout


def test_a_run_says_what_a_living_worker_holds(index, amqp_url, channel, ollama_server):
    tender = index.tender(event=False)
    settings = ollama_server.settings | {"AMQP_URL": amqp_url}
    started, let_go = Event(), Event()
    ollama_server.faults = deque([lambda texts: None, lambda texts: (started.set(), let_go.wait(60))])
    worker = index.start(**settings)
    try:
        announce(channel, tender)
        assert started.wait(60)
        run = index.run("--once", **settings)
        assert run.returncode == 0, run.stderr
        assert "0 indexed" in run.stdout
        assert "; 1 still in the hands of another worker" in run.stdout
    finally:
        let_go.set()
    until(lambda: index.status(tender) == "ready")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0


def test_a_worker_that_is_told_to_stop_leaves_its_messages_to_others(index, amqp_url, channel, ollama_server):
    tenders = [index.tender(f"Tender {number}", event=False) for number in range(40)]
    settings = ollama_server.settings | {"AMQP_URL": amqp_url}
    ollama_server.delay = 1
    worker = index.start(EMBEDDING_BATCH_SIZE="1", **settings)
    for tender in tenders:
        announce(channel, tender)
    until(lambda: any(text.startswith("Tender") for text in ollama_server.texts))
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    statuses = [index.status(tender) for tender in tenders]
    assert set(statuses) <= {"pending", "ready"}
    until(lambda: waiting(channel, broker.QUEUE) == statuses.count("pending") > 0)
    ollama_server.delay = 0
    run = index.run("--once", **settings)
    assert run.returncode == 0, run.stderr
    assert {index.status(tender) for tender in tenders} == {"ready"}
    assert f"{statuses.count('pending')} indexed" in run.stdout


def announced(url, tender):
    with broker.connect(url, "test") as connection:
        channel = connection.channel()
        broker.declare(channel)
        channel.confirm_delivery()
        announce(channel, tender)
