"""Log lines without the notices' content: a line names the source and the notice, never a text or a person."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy.logformatter import LogFormatter, LogFormatterResult

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class QuietLogFormatter(LogFormatter):
    """Scrapy's lines with the identity of the item in place of the item, and without its lists of components."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The formatter is made before the components are listed."""
        for name in ("scrapy.middleware", "scrapy.addons", "scrapy.crawler"):
            logging.getLogger(name).setLevel(logging.WARNING)
        return super().from_crawler(crawler)

    def scraped(self, item: Any, response: Any, spider: Any) -> None:  # type: ignore[override]  # Scrapy: no line
        """A stored notice is counted, not logged."""

    def dropped(self, item: Any, exception: BaseException, response: Any, spider: Any) -> LogFormatterResult:
        """One line for a notice that a pipeline left out, with the reason."""
        level = getattr(logging, getattr(exception, "log_level", None) or "WARNING")
        return _line(level, "Left out %(item)s: %(reason)s", item, exception)

    def item_error(self, item: Any, exception: BaseException, response: Any, spider: Any) -> LogFormatterResult:
        """One line for a notice that could not be handled."""
        return _line(logging.ERROR, "Could not handle %(item)s: %(reason)s", item, exception)


def _line(level: int, message: str, item: Any, error: BaseException) -> LogFormatterResult:
    name = f"{getattr(item, 'source_code', '?')} notice {getattr(item, 'notice_id', '?')}"
    args = {"item": name, "reason": str(error)[:300]}
    return LogFormatterResult(level=level, msg=message, args=args)
