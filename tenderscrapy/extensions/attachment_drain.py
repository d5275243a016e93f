"""Fetches the files that wait in the database, beside the walk over the pages and a while after it."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Any, Self

import psycopg2
from scrapy import signals
from scrapy.exceptions import DontCloseSpider

from tenderscrapy.database import attachments as queue
from tenderscrapy.database.migrate import ready_url
from tenderscrapy.database.thread import DatabaseThread
from tenderscrapy.exceptions import TenderscrapyError
from tenderscrapy.extensions.run import Run
from tenderscrapy.extensions.transfers import RECOVERY, Fetcher, Limits, Transfers
from tenderscrapy.http.file_store import FileStore
from tenderscrapy.http.scrapy_cooldown import cooldown_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_TICK = 1.0


class AttachmentDrain:
    """Claims files, has the pipeline fetch them, and keeps the run open for them.

    At most ATTACHMENTS_CONCURRENCY at a time and ATTACHMENTS_PER_HOST of one host. Only files of the spider's own
    source are taken (its ``source_code``; an empty one means all; a spider without the attribute has none). When the
    pages are done the run stays open for at most ATTACHMENTS_BUDGET seconds (0: no limit); what is left then stays
    pending. PostgreSQL is only ever waited for in a thread.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.limits = Limits(settings.getint("ATTACHMENTS_CONCURRENCY", 8), settings.getint("ATTACHMENTS_PER_HOST", 2))
        self._budget = settings.getfloat("ATTACHMENTS_BUDGET", 300)
        self._store = settings.get("FILES_STORE")
        self._fetcher: Fetcher | None = None
        self._loop: asyncio.Task[None] | None = None
        self._woken = asyncio.Event()
        self._idle = False
        self._closing = False
        self._pages_done_at: float | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """One a crawler."""
        extension = cls(crawler)
        crawler.signals.connect(extension.opened, signals.spider_opened)
        crawler.signals.connect(extension.spider_idle, signals.spider_idle)
        crawler.signals.connect(extension.closed, signals.spider_closed)
        return extension

    def use(self, fetcher: Fetcher) -> None:
        """The pipeline that fetches."""
        self._fetcher = fetcher

    def wake(self) -> None:
        """There may be new rows, or room for them."""
        self._idle = False
        self._woken.set()

    def stopping(self) -> bool:
        """Whether transfers should end now."""
        engine = self.crawler.engine
        # an engine that closes its spider waits for our transfers before it tells anybody
        return self._closing or not engine.running or engine._slot is None or engine._slot.closing is not None

    def opened(self, spider: Spider) -> None:
        """Begin with what earlier runs left."""
        source = getattr(spider, "source_code", None)
        if self._fetcher is not None and source is not None:
            self._loop = asyncio.ensure_future(self._drain(source, self._fetcher, once=getattr(spider, "once", False)))
            self._loop.add_done_callback(lambda _: self._look_again())

    def spider_idle(self, spider: Spider) -> None:
        """Keep the run open while files are to be had."""
        if self._loop is not None and not self._loop.done() and not self._idle:
            raise DontCloseSpider

    async def closed(self, spider: Spider, reason: str) -> None:
        """Transfers have ended by now; wait until their outcome is written down."""
        self._closing = True
        self._woken.set()
        if self._loop is not None:
            await asyncio.wait({self._loop}, timeout=15)

    async def _drain(self, source: str, fetcher: Fetcher, *, once: bool) -> None:
        try:
            url = await asyncio.to_thread(ready_url)
        except TenderscrapyError as error:
            logger.error("no files are fetched: %s", error)
            return
        database = DatabaseThread(url, "tenderscrapy attachments")
        try:
            await asyncio.to_thread(self._tidy)
            transfers = Transfers(database, source, fetcher, self.limits, self.wake, cooldown_of(self.crawler))
            transfers.counts = Run.of(self.crawler).counts
            if once:
                transfers.until = await database.run(queue.now)
            await self._work(transfers)
        except Exception:
            logger.exception("fetching files ended before its time; those left stay pending")
        finally:
            await asyncio.to_thread(database.close)

    def _tidy(self) -> None:
        try:
            FileStore(self._store).remove_parts()
        except OSError as error:
            logger.warning("unfinished files cannot be removed: %s", error)

    async def _work(self, transfers: Transfers) -> None:
        while not self.stopping():
            self._woken.clear()
            claimed = False
            try:
                claimed = await transfers.step()
                if not claimed and not transfers.at_work and not self._woken.is_set():
                    self._rest(not await transfers.more_to_come())
            except (psycopg2.Error, TenderscrapyError) as error:
                logger.error("files wait, the database cannot be used: %s", str(error).strip())
                await self._pause(RECOVERY)
            self._watch_budget()
            if not claimed and not self._woken.is_set():
                await self._pause(_TICK)
        try:
            await transfers.end()
        except (psycopg2.Error, TenderscrapyError) as error:
            logger.error("files that came stay pending, the database cannot be used: %s", str(error).strip())
        self._rest(True)

    def _rest(self, idle: bool) -> None:
        """Nothing is at hand; ``idle``: nor will anything be soon."""
        if idle and not self._idle:
            self._look_again()
        self._idle = idle and not self._woken.is_set()

    def _look_again(self) -> None:
        """Have Scrapy see at once that nothing is left to do; it would up to five seconds later."""
        engine = self.crawler.engine
        slot = engine._slot if engine is not None else None
        if slot is not None and slot.closing is None:
            slot.nextcall.schedule()

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return

    def _watch_budget(self) -> None:
        if self._pages_at_work():
            self._pages_done_at = None
            return
        self._pages_done_at = self._pages_done_at or time.monotonic()
        if self._budget and time.monotonic() - self._pages_done_at > self._budget:
            logger.warning("the time for files is over; those left stay pending for the next run")
            self._closing = True

    def _pages_at_work(self) -> bool:
        engine: Any = self.crawler.engine
        if engine.scheduler is not None and engine.scheduler.has_pending_requests():
            return True
        scraping = engine.scraper.slot is not None and not engine.scraper.slot.is_idle()
        return scraping or any(
            "stream_to" not in request.meta or "walk_page" in request.meta for request in engine.downloader.active
        )
