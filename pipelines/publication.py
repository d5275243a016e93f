"""Carries the events of the crawl from the outbox to RabbitMQ while it runs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Self

from tenderscrapy.extensions.run import Run
from tenderscrapy.messaging.outbox import OutboxRelay

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: Seconds that the end of a crawl waits for the last confirms; what is left then goes with the next relay.
PATIENCE = 20.0


class PublicationPipeline:
    """Passes every notice through: its event lies in the outbox since it was committed, the relay thread does the rest.

    The crawl never waits for the broker. Without AMQP_URL the indexer reads the outbox itself.
    """

    def __init__(self, run: Run, amqp_url: str | None) -> None:
        self.run = run
        self.amqp_url = amqp_url
        self.relay: OutboxRelay | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        return cls(Run.of(crawler), crawler.settings.get("AMQP_URL"))

    def process_item(self, item: Any) -> Any:
        """The item; the first one starts the relay."""
        if self.relay is None and self.amqp_url and self.run.url:
            self.relay = OutboxRelay(self.run.url, self.amqp_url)
            self.relay.start()
        return item

    async def close_spider(self) -> None:
        """Let the relay finish, for a bounded time."""
        if self.relay is not None:
            await asyncio.to_thread(self._finish, self.relay)

    def _finish(self, relay: OutboxRelay) -> None:
        left = relay.drain(PATIENCE)
        relay.close()
        if left:
            logger.warning("%d event(s) wait in the outbox for RabbitMQ: %s", left, relay.problem)
