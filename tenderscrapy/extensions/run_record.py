"""The row in ``crawl_run`` that says how a crawl went, kept up to date while it runs."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Self

import psycopg2
from scrapy import signals

from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import TenderscrapyError
from tenderscrapy.extensions.run import Run

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: Seconds between two looks at the run, and looks between two updates of its row.
HEARTBEAT = 1.0
BEATS = 5
#: Seconds for which the end of a run waits for a database that is away; a signal must end it within 30.
LAST_WORD = 12.0

_COUNTS = ("pages", "fetched", "new", "changed", "unchanged", "rejected", "quarantined")
_FILES = ("attachments_ok", "attachments_failed")


class RunRecord:
    """Turns what happened into a state: complete, incomplete, failed or cancelled; a complete one has to be earned."""

    def __init__(self, crawler: Crawler) -> None:
        self.run = Run.of(crawler)
        self.stats: Any = crawler.stats
        self._heart: asyncio.Task[None] | None = None
        self._closed = False
        self._ended = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_error, signals.spider_error)
        crawler.signals.connect(extension.item_error, signals.item_error)
        crawler.signals.connect(extension.closed, signals.spider_closed)
        return extension

    def opened(self, spider: Spider) -> None:
        """Start to write the counts down."""
        self._heart = asyncio.ensure_future(self._beat())
        from twisted.internet import reactor  # only now is it the one that Scrapy chose

        core: Any = reactor
        core.addSystemEventTrigger("after", "shutdown", self._abandoned)

    def spider_error(self, failure: Any, response: Any, spider: Spider) -> None:
        """A page's callback died: its page never settles, so the cursor stays before it."""
        self.run.break_off("failed", f"{type(failure.value).__name__} in the spider: {str(failure.value)[:200]}")

    def item_error(self, item: Any, response: Any, spider: Spider, failure: Any) -> None:
        """A pipeline died over a notice: where that was before it was stored, the cursor stays before its page."""
        self.run.checkpoint.fail(item.walk_page)
        self.run.worsen("incomplete", f"{type(failure.value).__name__} in a pipeline: {str(failure.value)[:200]}")

    async def _beat(self) -> None:
        beats = 0
        while True:
            await asyncio.sleep(HEARTBEAT)
            beats += 1
            if self.run.database is None or self.run.id is None:
                continue
            try:
                if self._pages_done() and not self._closed:
                    await self._close()
                elif beats % BEATS == 0:
                    await self.run.database.run(_write_counts, self._counts())
            except Exception as error:  # noqa: BLE001 - the next beat tries again; storage reports outages
                logger.debug("the run's row could not be updated: %s", error)

    def _pages_done(self) -> bool:
        """Whether only files are left: they may take long, and never change the run's state."""
        return self.run.walked and not self.run.checkpoint.unsettled

    async def _close(self) -> None:
        if self.run.database is not None:
            await self.run.database.run(_close, self._counts(), self.run)
            self._closed = True

    def _counts(self) -> dict[str, Any]:
        counts = {name: self.run.counts[name] for name in _COUNTS + _FILES}
        return counts | {"id": self.run.id, "announced": self.run.announced}

    async def closed(self, spider: Spider, reason: str) -> None:
        """Settle what is in flight, decide the state, write it down."""
        if self._heart is not None:
            self._heart.cancel()
        if self.run.database is not None:
            await self.run.batches.drain()
        self._judge(reason)
        self._ended = True
        run = self.run
        if run.database is not None:
            if run.id is not None:
                await self._last_word()
            await asyncio.to_thread(run.database.close)
        self.stats.set_value("run/state", run.state)
        self.stats.set_value("run/reason", run.reason)
        level = logging.INFO if run.state == "complete" else logging.ERROR
        summary = ", ".join(f"{run.counts[name]} {name}" for name in _COUNTS + _FILES if run.counts[name])
        logger.log(level, "%s: %s%s. %s", run.code or spider.name, run.state, _because(run.reason), summary)

    async def _last_word(self) -> None:
        """Write the end down; a run that cannot is not complete, whatever it has stored."""
        end = time.monotonic() + LAST_WORD
        while True:
            try:
                await self._close()
                return
            except (psycopg2.Error, TenderscrapyError) as error:
                problem = " ".join(str(error).split())
            if time.monotonic() > end:
                break
            await asyncio.sleep(HEARTBEAT)
        logger.error("%s: the end of the run could not be written down: %s", self.run.code, problem)
        self.run.worsen("incomplete", f"the end of the run could not be written down: {problem}")

    def _abandoned(self) -> None:
        """The process ends without ``closed``, as at a second signal: say so, if the database answers soon."""
        if self._ended or self.run.database is None or self.run.id is None:
            return
        self._ended = True
        self.run.worsen("cancelled", "stopped at once by a second signal")
        try:
            self.run.database.submit(_close, self._counts(), self.run).result(LAST_WORD)
        except Exception as error:  # noqa: BLE001 - the next start closes the run
            logger.error("%s: the end of the run could not be written down: %s", self.run.code, str(error).strip())

    def _judge(self, reason: str) -> None:
        run = self.run
        if self._pages_done() and reason in ("shutdown", "cancelled"):
            return
        if reason == "shutdown":
            run.worsen("cancelled", "stopped by a signal")
        elif reason == "cancelled":
            run.worsen("cancelled", "stopped")
        elif reason != "finished":
            run.worsen("failed", reason)
        elif not run.walked:
            run.worsen("incomplete", "the chain of pages ended early")
        elif run.checkpoint.unsettled:
            run.worsen("incomplete", f"{run.checkpoint.unsettled} page(s) were not stored whole")


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _write_counts(connection: Connection, counts: dict[str, Any]) -> None:
    queries("sources").run_counts(connection, **counts)
    connection.commit()


def _close(connection: Connection, counts: dict[str, Any], run: Run) -> None:
    sql = queries("sources")
    sql.run_counts(connection, **counts)
    sql.close_run(connection, id=run.id, state=run.state, reason=run.reason)
    sql.polled(connection, code=run.code, not_before=run.not_before)
    connection.commit()
