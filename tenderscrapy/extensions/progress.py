"""How far the crawl is: one live line for people at a terminal, a plain log line now and then otherwise."""

from __future__ import annotations

import asyncio
import logging
import sys
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text
from scrapy import signals

from tenderscrapy.extensions.run import Run

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Progress:
    """Reads the run's counters; writes nothing but the line."""

    def __init__(self, run: Run, console: Console, interval: float) -> None:
        self.run = run
        self.console = console
        self.interval = interval
        self._task: asyncio.Task[None] | None = None
        self._live: Live | None = None
        self._last = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler; live where standard error is a terminal."""
        console = Console(stderr=True)
        extension = cls(Run.of(crawler), console, 0.5 if sys.stderr.isatty() else 10.0)
        crawler.signals.connect(extension.opened, signals.spider_opened)
        crawler.signals.connect(extension.closed, signals.spider_closed)
        return extension

    def opened(self, spider: Spider) -> None:
        """Begin to show."""
        if self.console.is_terminal:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        self._task = asyncio.ensure_future(self._show(spider.name))

    def closed(self, spider: Spider) -> None:
        """Stop; the run record says the last word."""
        if self._task is not None:
            self._task.cancel()
        if self._live is not None:
            self._live.stop()

    async def _show(self, name: str) -> None:
        while True:
            await asyncio.sleep(self.interval)
            line = self.line(self.run.code or name)
            if self._live is not None:
                self._live.update(Text(line), refresh=True)
            elif line != self._last:
                logger.info("%s", line)
            self._last = line

    def line(self, name: str) -> str:
        """``ted: 750 of 1,204 notices, 3 pages, 740 new, 10 unchanged, 12 files``."""
        counts = self.run.counts
        total = f" of {self.run.announced:,}" if self.run.announced else ""
        parts = [f"{name}: {self.run.fetched:,}{total} notices, {counts['pages']:,} pages"]
        names = ("new", "changed", "unchanged", "rejected", "quarantined")
        parts += [f"{counts[kind]:,} {kind}" for kind in names if counts[kind]]
        if files := counts["attachments_ok"]:
            parts.append(f"{files:,} files")
        if failed := counts["attachments_failed"]:
            parts.append(f"{failed:,} files failed")
        return ", ".join(parts)
