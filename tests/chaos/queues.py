"""What a consumer of the queue gets to see."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import decode

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel


def empty(url: str) -> None:
    """The product's queues, with nothing in them."""
    with broker.connect(url, "chaos") as connection:
        channel = connection.channel()
        broker.declare(channel)
        for queue in broker.QUEUES:
            channel.queue_purge(queue)


def heard(url: str) -> list[tuple[str, str]]:
    """Take every message: (tender id, content hash)."""
    found = []
    with broker.connect(url, "chaos") as connection:
        channel = connection.channel()
        while True:
            _, _, body = channel.basic_get(broker.QUEUE, auto_ack=True)
            if body is None:
                return found
            event = decode(body)
            found.append((event["tender_id"], event["content_hash"]))


def left(url: str) -> dict[str, int]:
    """How many messages each queue gives, taken out of it."""
    counts = {}
    with broker.connect(url, "chaos") as connection:
        channel = connection.channel()
        for queue in broker.QUEUES:
            counts[queue] = 0
            while channel.basic_get(queue, auto_ack=True)[2] is not None:
                counts[queue] += 1
    return counts


def wait_for_no_consumer(url: str) -> None:
    """Until the broker has noticed that a consumer died, and has put its messages back."""
    with broker.connect(url, "chaos") as connection:
        channel = connection.channel()
        end = time.monotonic() + 60
        while _consumers(channel):
            assert time.monotonic() < end, "the broker keeps a consumer that died"
            time.sleep(0.01)


def _consumers(channel: BlockingChannel) -> int:
    return int(channel.queue_declare(broker.QUEUE, passive=True).method.consumer_count)
