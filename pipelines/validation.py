"""Lets only notices on that have an identity and a title."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy.exceptions import DropItem

from tenderscrapy.extensions.run import Run
from tenderscrapy.identity.keys import is_placeholder

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from tenderscrapy.items import Notice

#: What portals print where nothing was entered: no identity.
PLACEHOLDERS = frozenset({"", "-", "--", "n/a", "na", "none", "null", "k.a.", "keine angabe", "?", "."})


#: Characters of a text that are kept: no notice that people wrote is longer, and everything after it stays quick.
LONGEST = {"title": 1_000, "description": 100_000}
#: Bytes of a file's address: an entry of the index over addresses holds no more than 2,704.
LONGEST_ADDRESS = 2_000


class ValidationPipeline:
    """Drops a notice that nothing could be done with, alone, with a warning and a counter; its page goes on."""

    def __init__(self, run: Run, stats: Any) -> None:
        self.run = run
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        return cls(Run.of(crawler), crawler.stats)

    def process_item(self, item: Any) -> Any:
        """The item, or DropItem with the reason."""
        notice = ItemAdapter(item)
        missing = missing_fields(notice)
        if not missing:
            for name, longest in LONGEST.items():
                if len(notice.get(name) or "") > longest:
                    item.flag(f"{name}_cut", name, f"{len(notice[name])} characters")
                    notice[name] = notice[name][:longest]
            drop_long_addresses(item)
            return item
        self.run.counts["rejected"] += 1
        self.run.batches.settle(notice.get("walk_page"))
        for name in missing:
            self.stats.inc_value(f"validation/{name}_missing")
        raise DropItem(f"no {', no '.join(missing)}")


def drop_long_addresses(notice: Notice) -> None:
    """Take the files whose address cannot be stored off the notice; each leaves the flag ``url_too_long``."""
    kept = []
    for attachment in notice.attachments:
        # A lone surrogate must not end the run here: storage sets its notice aside.
        size = len(attachment.url.encode("utf-8", "surrogatepass"))
        if size > LONGEST_ADDRESS:
            notice.flag("url_too_long", "attachments", f"{size} bytes: {attachment.url}")
        else:
            kept.append(attachment)
    notice.attachments = kept


def missing_fields(notice: Any) -> list[str]:
    """Which of the fields that a notice cannot do without it lacks; a phrase in place of its number is no number."""
    missing = [name for name in ("source_code", "notice_id", "title") if _blank(notice.get(name))]
    if "notice_id" not in missing and is_placeholder(notice["notice_id"]):
        missing.append("notice_id")
    return missing


def _blank(value: Any) -> bool:
    return not isinstance(value, str) or value.strip().casefold() in PLACEHOLDERS
