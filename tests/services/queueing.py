"""The index's queues on a real broker, and a consumer in this process."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pika
import pytest

from indexer_worker import session
from indexer_worker.deliveries import BrokerConsumer
from indexer_worker.extraction import Extractor
from indexer_worker.worker import Indexer
from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import encode, tender_changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pika.adapters.blocking_connection import BlockingChannel

    from services.indexing import Index
    from tenderscrapy.ai.ollama import OllamaProvider


@pytest.fixture
def short_retry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a tenth of a second, not ten, in the retry queue; to be asked for before the queues are declared."""
    retry = broker.QUEUES[broker.RETRY_QUEUE] | {"x-message-ttl": 100}
    monkeypatch.setitem(broker.QUEUES, broker.RETRY_QUEUE, retry)


@pytest.fixture
def channel(amqp_url: str) -> Iterator[BlockingChannel]:
    """A channel on the session's broker, with the product's queues, empty."""
    with broker.connect(amqp_url, "test") as connection:
        made = connection.channel()
        broker.declare(made)
        yield made


@pytest.fixture
def consumer(
    index: Index, amqp_url: str, ollama_provider: OllamaProvider, monkeypatch: pytest.MonkeyPatch
) -> Iterator[BrokerConsumer]:
    """A consumer in this process that soon looks again after a service that is down."""
    monkeypatch.setattr(session, "RETRY_AFTER", 0.2)
    indexer = Indexer(index.url, ollama_provider, Extractor(index.store))
    yield BrokerConsumer(amqp_url, indexer)
    indexer.close()


@contextmanager
def running(consumer: BrokerConsumer) -> Iterator[None]:
    """The consumer works in a thread while the block runs."""
    stopping = Event()
    thread = Thread(target=consumer.run, args=(stopping,), kwargs={"once": False})
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(60)
        assert not thread.is_alive()


def publish(channel: BlockingChannel, body: bytes, properties: pika.BasicProperties | None = None) -> None:
    """Send a body as an event would be sent."""
    channel.basic_publish(
        broker.EXCHANGE, "tender.changed.v1", body, properties or pika.BasicProperties(delivery_mode=2)
    )


def announce(channel: BlockingChannel, tender_id: object) -> None:
    """Send the event of a tender."""
    publish(channel, encode(tender_changed(str(tender_id), "hash", "ted")))


def waiting(channel: BlockingChannel, queue: str) -> int:
    """Messages that lie in a queue."""
    return int(channel.queue_declare(queue, passive=True).method.message_count)


def dead(channel: BlockingChannel) -> list[tuple[bytes, dict[str, Any]]]:
    """Take all dead letters: (body, headers)."""
    found = []
    while True:
        _, properties, body = channel.basic_get(broker.DEAD_QUEUE, auto_ack=True)
        if body is None:
            return found
        found.append((body, properties.headers))
