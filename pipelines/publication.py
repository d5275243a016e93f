"""Carries the events of a crawl from the outbox to RabbitMQ while it runs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from tenderscrapy.database.migrate import ready_url
from tenderscrapy.exceptions import TenderscrapyError
from tenderscrapy.messaging.outbox import OutboxRelay

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: Seconds that the end of a crawl waits for the last confirms; what is left then goes with the next relay.
PATIENCE = 10.0
#: Seconds of them that it waits for a broker that is not there.
PATIENCE_FOR_CONNECTION = 3.0


class PublicationPipeline:
    """Passes every notice through: its event lies in the outbox since it was committed, the relay thread does the rest.

    The crawl never waits for the broker. Without AMQP_URL the indexer reads the outbox itself. The last look is taken
    at ``spider_closed``, when the other pipelines have written everything; Scrapy closes them in reverse order.
    """

    def __init__(self, amqp_url: str | None) -> None:
        self._amqp_url = amqp_url
        self._starting: asyncio.Task[OutboxRelay | None] | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        pipeline = cls(crawler.settings.get("AMQP_URL"))
        crawler.signals.connect(pipeline.spider_closed, signals.spider_closed)
        return pipeline

    def open_spider(self) -> None:
        """Start the relay; events of earlier runs and of files go with it too."""
        if self._amqp_url:
            self._starting = asyncio.ensure_future(asyncio.to_thread(_started, self._amqp_url))

    def process_item(self, item: Any) -> Any:
        """The item."""
        return item

    async def spider_closed(self) -> None:
        """Let the relay finish, for a bounded time."""
        relay = await self._starting if self._starting is not None else None
        if relay is not None:
            await asyncio.to_thread(_finish, relay)


def _started(amqp_url: str) -> OutboxRelay | None:
    try:
        relay = OutboxRelay(ready_url(), amqp_url)
    except TenderscrapyError as error:
        logger.error("no events are published: %s", error)
        return None
    relay.start()
    return relay


def _finish(relay: OutboxRelay) -> None:
    try:
        left = relay.drain(PATIENCE, PATIENCE_FOR_CONNECTION)
        if left:
            logger.warning("%d event(s) wait in the outbox for RabbitMQ: %s", left, relay.problem)
    except TenderscrapyError as error:
        logger.warning("events may wait in the outbox for RabbitMQ: %s", error)
    finally:
        relay.close()
