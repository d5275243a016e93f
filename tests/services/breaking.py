"""Parts of a crawl that die as a mistake of ours would make them: ``-s ADDONS='{"services.breaking.Breaking": 0}'``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spiders import ted
from spiders.ted import TedSpider

if TYPE_CHECKING:
    from scrapy.settings import Settings

#: What ``-s BREAK=...`` may name; a mapper dies over the notice ``-s BREAK_OVER=...``, else over ``VICTIM``.
ADDON = '{"services.breaking.Breaking": 0}'
VICTIM = "2-2026"


class Breaking:
    """``BREAK`` names the part: start, parse, mapper, before_storage or after_storage."""

    def update_settings(self, settings: Settings) -> None:
        """Put the fault in its place."""
        part = settings["BREAK"]
        if part == "start":
            TedSpider.page_request = _die  # type: ignore[method-assign]
        elif part == "parse":
            TedSpider.parse_page = _die  # type: ignore[method-assign]
        elif part == "mapper":
            ted.to_notice = _die_over(settings.get("BREAK_OVER", VICTIM), ted.to_notice)  # type: ignore[assignment]
        else:
            place = {"before_storage": 150, "after_storage": 350}[part]
            settings["ITEM_PIPELINES"].set("services.breaking.DyingPipeline", place, "cmdline")


class DyingPipeline:
    """Dies over one notice."""

    def process_item(self, item: Any) -> Any:
        """The item, if it is another one."""
        if item.notice_id == VICTIM:
            raise KeyError("broken")
        return item


def _die(*_args: object) -> Any:
    raise KeyError("broken")


def _die_over(victim: str, mapper: Any) -> Any:
    def mapped(document: Any, **options: Any) -> Any:
        if document.get("publication-number") == victim:
            raise KeyError("broken")
        return mapper(document, **options)

    return mapped
