"""A message in hand, and how often it was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tenderscrapy.messaging import broker

if TYPE_CHECKING:
    import pika

TRIES_HEADER = "x-tries"


class Delivery(NamedTuple):
    """A message that the broker waits to see settled."""

    tag: int
    properties: pika.BasicProperties
    body: bytes

    @property
    def tries(self) -> int:
        """Which try this is, 1 for the first: each wait in the retry queue is one before it."""
        headers = self.properties.headers or {}
        deaths = headers.get("x-death") or []
        waits = sum(int(death.get("count", 0)) for death in deaths if death.get("queue") == broker.RETRY_QUEUE)
        return 1 + max(waits, int(headers.get(TRIES_HEADER) or 0))
