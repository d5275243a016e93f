"""Hands each notice to storage and lets it on once it is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import DropItem

from tenderscrapy.extensions.batches import NotStoredError
from tenderscrapy.extensions.run import Run

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class StoragePipeline:
    """Waits for the micro-batch that carries the notice; the reactor goes on meanwhile."""

    def __init__(self, run: Run, stats: Any) -> None:
        self.run = run
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        return cls(Run.of(crawler), crawler.stats)

    async def process_item(self, item: Any) -> Any:
        """The item once it is committed; DropItem when it was set aside or its transaction failed."""
        try:
            outcome = await self.run.batches.add(item)
        except NotStoredError as error:
            raise DropItem(str(error), log_level="DEBUG") from None  # said once, for the whole batch
        self.stats.inc_value(f"storage/{outcome}")
        if outcome == "quarantined":
            raise DropItem("set aside in quarantine; scrapy requeue tries it again")
        return item
