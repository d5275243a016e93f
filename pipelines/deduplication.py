"""Gives a notice the strong keys by which storage decides which tender it belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter

from tenderscrapy.identity.keys import strong_keys

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class DeduplicationPipeline:
    """Pure: what matches is decided inside storage's transaction, where two notices of one batch see each other."""

    def __init__(self, stats: Any) -> None:
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        return cls(crawler.stats)

    def process_item(self, item: Any) -> Any:
        """The item with its keys."""
        notice = ItemAdapter(item)
        notice["keys"] = strong_keys(item)
        self.stats.inc_value("deduplication/keys", len(notice["keys"]))
        return item
