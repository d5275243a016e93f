"""Fetches the files that wait in the database, beside the walk over the pages and a while after it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, Self

import psycopg2
from scrapy import signals
from scrapy.exceptions import DontCloseSpider

from tenderscrapy.database import attachments as queue
from tenderscrapy.database.attachments import LEASE, FailedFile, QueuedFile, StoredFile
from tenderscrapy.database.migrate import ready_url
from tenderscrapy.database.thread import DatabaseThread
from tenderscrapy.exceptions import TenderscrapyError
from tenderscrapy.extensions.run import Run
from tenderscrapy.http.cooldown import Cooldown
from tenderscrapy.http.scrapy_handler import cooldown_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

# Files of one tender are gathered this long, so that they make one event.
_GATHER = 30.0
# A file that is due within this time is waited for at the end of a run.
_PATIENCE = 30.0
_TICK = 1.0
# After a fault of the database or the disk.
_RECOVERY = 5.0


class Fetcher(Protocol):
    """What the drain needs of the pipeline."""

    async def fetch(self, file: QueuedFile) -> StoredFile | FailedFile | None:
        """Fetch one file; None when it was cancelled."""


@dataclass
class _Gathered:
    """Files of one tender that lie in the store and are not ``ready`` yet."""

    since: float
    files: list[tuple[QueuedFile, StoredFile]] = field(default_factory=list)


class AttachmentDrain:
    """Claims files, has the pipeline fetch them, writes down what became of them.

    At most ATTACHMENTS_CONCURRENCY at a time and ATTACHMENTS_PER_HOST of one host. Only files of the spider's own
    source are taken (its ``source_code``; an empty one means all; a spider without the attribute has none). When the
    pages are done the run stays open for at most ATTACHMENTS_BUDGET seconds (0: no limit); what is left then stays
    pending. PostgreSQL is only ever waited for in a thread.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.per_host = settings.getint("ATTACHMENTS_PER_HOST", 2)
        self._limit = settings.getint("ATTACHMENTS_CONCURRENCY", 8)
        self._budget = settings.getfloat("ATTACHMENTS_BUDGET", 300)
        self._counts = Run.of(crawler).counts
        self._fetcher: Fetcher | None = None
        self._source: str | None = None
        self._database: DatabaseThread | None = None
        self._loop_task: asyncio.Task[None] | None = None
        self._fetches: dict[asyncio.Task[None], QueuedFile] = {}
        self._gathered: dict[str, _Gathered] = {}
        self._woken = asyncio.Event()
        self._idle = False  # nothing to do, nothing to wait for
        self._closing = False
        self._pages_done_at: float | None = None
        self._claims_watched_until: float | None = None
        self._renewed_at = 0.0
        self._rest_until = 0.0
        self._server_rests = cooldown_of(crawler)
        self._dead_hosts = Cooldown()
        self._strikes: Counter[str] = Counter()
        self.patience = _PATIENCE

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
        """There may be new rows."""
        self._idle = False
        self._woken.set()

    def stopping(self) -> bool:
        """Whether transfers should end now."""
        slot = self.crawler.engine._slot  # closing is not told to anybody before it waits for our transfers
        return self._closing or not self.crawler.engine.running or slot is None or slot.closing is not None

    def opened(self, spider: Spider) -> None:
        """Begin with what earlier runs left."""
        self._source = getattr(spider, "source_code", None)
        if self._fetcher is not None and self._source is not None:
            self._loop_task = asyncio.ensure_future(self._drain())

    def spider_idle(self, spider: Spider) -> None:
        """Keep the run open while files are to be had."""
        if self._loop_task is not None and not self._loop_task.done() and not self._idle:
            raise DontCloseSpider

    async def closed(self, spider: Spider, reason: str) -> None:
        """End the transfers, write down what is gathered, give the rest back."""
        self._closing = True
        self._woken.set()
        if self._loop_task is not None:
            await asyncio.wait({self._loop_task}, timeout=10)
        if self._database is not None:
            await asyncio.to_thread(self._database.close)

    async def _drain(self) -> None:
        await self._open()
        while not self.stopping() and self._database is not None:
            self._woken.clear()
            try:
                claimed = await self._step()
            except (psycopg2.Error, TenderscrapyError) as error:
                logger.error("files wait, the database cannot be used: %s", str(error).strip())
                self._rest_until = time.monotonic() + _RECOVERY
                claimed = False
            self._watch_budget()
            if not claimed and not self._woken.is_set():
                await self._pause(_TICK)
        await self._end()
        self._idle = True

    async def _open(self) -> None:
        try:
            url = await asyncio.to_thread(ready_url)
        except TenderscrapyError as error:
            logger.error("no files are fetched: %s", error)
        else:
            self._database = DatabaseThread(url, "tenderscrapy attachments")

    async def _step(self) -> bool:
        """Claim, renew, write down; whether anything was claimed."""
        database, source = self._database, self._source
        assert database is not None
        assert source is not None
        if time.monotonic() < self._rest_until:
            return False
        claimed = []
        if len(self._fetches) < self._limit:
            busy = [*self._server_rests.resting(), *self._dead_hosts.resting()]
            hosts = Counter(file.host for file in self._fetches.values())
            free = self._limit - len(self._fetches)
            claimed = await database.run(queue.claim, source, free, busy, hosts, self.per_host)
        for file in claimed:
            self._begin(file)
        if time.monotonic() - self._renewed_at > LEASE / 3:
            self._renewed_at = time.monotonic()
            await database.run(queue.renew, self._held_ids())
        for tender_id in list(self._gathered):
            await self._settle(tender_id)
        if not claimed and not self._fetches and not self._gathered:
            await self._rest()
        return bool(claimed)

    def _begin(self, file: QueuedFile) -> None:
        self._idle = False
        task = asyncio.ensure_future(self._fetch(file))
        self._fetches[task] = file
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._fetches.pop(task, None)
        self._woken.set()
        if not task.cancelled() and task.exception() is not None:
            logger.error("a file's row could not be written", exc_info=task.exception())

    async def _fetch(self, file: QueuedFile) -> None:
        assert self._fetcher is not None
        assert self._database is not None
        outcome = await self._fetcher.fetch(file)
        if isinstance(outcome, StoredFile):
            self._strikes.pop(file.host, None)
            gathered = self._gathered.setdefault(file.tender_id, _Gathered(time.monotonic()))
            gathered.files.append((file, outcome))
        elif outcome is None:
            await self._database.run(queue.release, [file.id])
        else:
            self._note_host(file, outcome)
            again = await self._database.run(queue.failed, file, outcome)
            self._counts["attachments_failed"] += not again
            logger.info(
                "file %d of %s: %s%s", file.id, file.host, outcome.message, "; will be tried again" if again else ""
            )

    def _note_host(self, file: QueuedFile, outcome: FailedFile) -> None:
        """Leave a host that fails again and again alone for a growing while."""
        if outcome.local:
            self._rest_until = time.monotonic() + _RECOVERY
        elif outcome.passing:
            self._strikes[file.host] += 1
            self._dead_hosts.extend(file.host, max(outcome.wait, min(900.0, 2.0 ** (self._strikes[file.host] - 1))))

    def _held_ids(self) -> list[int]:
        gathered = (file.id for group in self._gathered.values() for file, _ in group.files)
        return [*(file.id for file in self._fetches.values()), *gathered]

    async def _settle(self, tender_id: str) -> None:
        """Make a tender's files ready once all that can be had soon are there, or have been waited for long enough."""
        assert self._database is not None
        group = self._gathered[tender_id]
        if time.monotonic() - group.since < _GATHER and not self.stopping():
            if any(file.tender_id == tender_id for file in self._fetches.values()):
                return
            if await self._database.run(queue.more_of, tender_id, [file.id for file, _ in group.files]):
                return
        await self._database.run(queue.ready, group.files)
        del self._gathered[tender_id]
        self._counts["attachments_ok"] += len(group.files)

    async def _rest(self) -> None:
        """Nothing is at hand: idle, unless something is due soon or a dead process' claims run out soon."""
        assert self._database is not None
        assert self._source is not None
        due, claims = await self._database.run(queue.waiting, self._source)
        if claims is not None and self._claims_watched_until is None:
            self._claims_watched_until = time.monotonic() + LEASE + _RECOVERY
        watched = claims is not None and time.monotonic() < (self._claims_watched_until or 0)
        if (due is not None and due <= self.patience) or watched or self._woken.is_set():
            return
        if not self._idle:
            self._idle = True
            slot = self.crawler.engine._slot
            if slot is not None and slot.closing is None:
                slot.nextcall.schedule()  # otherwise Scrapy sees it up to five seconds later

    async def _pause(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self._woken.wait(), seconds)
        except TimeoutError:
            return

    def _watch_budget(self) -> None:
        engine = self.crawler.engine
        pages = any("stream_to" not in request.meta for request in engine.downloader.active)
        scraping = engine.scraper.slot is None or not engine.scraper.slot.is_idle()
        if pages or scraping or (engine.scheduler is not None and engine.scheduler.has_pending_requests()):
            self._pages_done_at = None
            return
        self._pages_done_at = self._pages_done_at or time.monotonic()
        if self._budget and time.monotonic() - self._pages_done_at > self._budget:
            logger.warning("the time for files is over; those left stay pending for the next run")
            self._closing = True

    async def _end(self) -> None:
        """Transfers see ``stopping`` within a second; then write down what is whole."""
        if self._database is None:
            return
        if self._fetches:
            await asyncio.wait(self._fetches, timeout=5)
        try:
            for tender_id in list(self._gathered):
                await self._settle(tender_id)
            await self._database.run(queue.release, self._held_ids())
        except (psycopg2.Error, TenderscrapyError) as error:
            logger.error("files that came stay pending, the database cannot be used: %s", str(error).strip())
