"""Files on their way: claimed in the database, fetched by the pipeline, made ready tender by tender."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import psycopg2

from tenderscrapy.database import attachments as queue
from tenderscrapy.database.attachments import LEASE, FailedFile, QueuedFile, StoredFile
from tenderscrapy.http.cooldown import Cooldown

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from tenderscrapy.database.thread import DatabaseThread

logger = logging.getLogger(__name__)

#: Files of one tender are gathered for so many seconds, so that they make one event.
GATHER = 30.0
#: A file or a host that is due within so many seconds is waited for at the end of a run.
PATIENCE = 30.0
#: Pause after a fault of the database or the disk.
RECOVERY = 5.0
# The longest rest of a host that fails again and again.
_LONGEST_REST = 900.0


class Fetcher(Protocol):
    """What is needed of the pipeline."""

    async def fetch(self, file: QueuedFile) -> StoredFile | FailedFile | None:
        """Fetch one file; None when it was cancelled."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many files at a time in all and of one host."""

    total: int = 8
    per_host: int = 2


@dataclass
class _Gathered:
    """Files of one tender that lie in the store and are not ``ready`` yet."""

    since: float
    files: list[tuple[QueuedFile, StoredFile]] = field(default_factory=list)


class Transfers:
    """The files of one process, of one source (an empty ``source_code`` means all).

    ``wake`` is called whenever a transfer has ended. With ``once`` only what was due at the beginning is taken, and
    nothing is tried twice.
    """

    def __init__(
        self,
        database: DatabaseThread,
        source_code: str,
        fetcher: Fetcher,
        limits: Limits,
        wake: Callable[[], None],
        server_rests: Cooldown,
    ) -> None:
        self._database = database
        self._source = source_code
        self._fetcher = fetcher
        self._limits = limits
        self._wake = wake
        self._server_rests = server_rests
        self._dead_hosts = Cooldown()
        self._strikes: Counter[str] = Counter()
        self._running: dict[asyncio.Task[None], QueuedFile] = {}
        self._gathered: dict[str, _Gathered] = {}
        self._renewed_at = time.monotonic()
        self._rest_until = 0.0
        self._claims_watched_until: float | None = None
        self.until: datetime | None = None
        self.counts: Counter[str] = Counter()

    @property
    def at_work(self) -> bool:
        """Whether files are held: on their way, or stored and not written down."""
        return bool(self._running or self._gathered)

    async def step(self) -> bool:
        """Claim what there is room for, renew the claims, make ready what is whole; whether anything was claimed.

        Raises psycopg2.Error and DatabaseUnavailableError; what is held stays held.
        """
        if time.monotonic() < self._rest_until:
            return False
        claimed = await self._claim()
        for file in claimed:
            task = asyncio.ensure_future(self._fetch(file))
            self._running[task] = file
            task.add_done_callback(self._ended)
        if time.monotonic() - self._renewed_at > LEASE / 3:
            self._renewed_at = time.monotonic()
            await self._database.run(queue.renew, self._held_ids())
        for tender_id in list(self._gathered):
            await self._settle(tender_id)
        return bool(claimed)

    async def _claim(self) -> list[QueuedFile]:
        room = self._limits.total - len(self._running)
        if room <= 0:
            return []
        busy = [*self._server_rests.resting(), *self._dead_hosts.resting()]
        open_by_host = Counter(file.host for file in self._running.values())
        wanted = queue.Wanted(self._source, self.until, busy, open_by_host, self._limits.per_host)
        return await self._database.run(queue.claim, wanted, room)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.pop(task, None)
        self._wake()
        if not task.cancelled() and (error := task.exception()) is not None:
            # the claim runs out by itself, and the file is claimed again
            logger.error("a file's row could not be written: %s", str(error).strip())

    async def _fetch(self, file: QueuedFile) -> None:
        outcome = await self._fetcher.fetch(file)
        if isinstance(outcome, StoredFile):
            self._strikes.pop(file.host, None)
            self._gathered.setdefault(file.tender_id, _Gathered(time.monotonic())).files.append((file, outcome))
        elif outcome is None:
            await self._database.run(queue.release, [file.id])
        else:
            self._note_host(file, outcome)
            again = await self._database.run(queue.failed, file, outcome)
            self.counts["attachments_failed"] += not again
            fate = "; will be tried again" if again else ""
            logger.info("file %d of %s: %s%s", file.id, file.host, outcome.message, fate)

    def _note_host(self, file: QueuedFile, outcome: FailedFile) -> None:
        """Leave a host that fails again and again alone for a growing while."""
        if outcome.disk:
            self._rest_until = time.monotonic() + RECOVERY
        elif outcome.passing and outcome.tried:
            self._strikes[file.host] += 1
            rest = min(_LONGEST_REST, 2.0 ** (self._strikes[file.host] - 1))
            self._dead_hosts.extend(file.host, max(outcome.wait, rest))

    def _held_ids(self) -> list[int]:
        gathered = (file.id for group in self._gathered.values() for file, _ in group.files)
        return [*(file.id for file in self._running.values()), *gathered]

    async def _settle(self, tender_id: str, *, now: bool = False) -> None:
        """Make a tender's files ready once all that can be had soon are there, or have been waited for long enough."""
        group = self._gathered[tender_id]
        if not now and time.monotonic() - group.since < GATHER:
            if any(file.tender_id == tender_id for file in self._running.values()):
                return
            ids = [file.id for file, _ in group.files]
            if await self._database.run(queue.more_of, tender_id, ids, self._within_patience()):
                return
        taken = list(group.files)
        try:
            await self._database.run(queue.ready, taken)
        except (psycopg2.DataError, psycopg2.IntegrityError) as error:
            failure = FailedFile(f"cannot be recorded: {str(error).splitlines()[0]}")
            for file, _ in taken:
                await self._database.run(queue.failed, file, failure)
            self.counts["attachments_failed"] += len(taken)
        else:
            self.counts["attachments_ok"] += len(taken)
        group.files = group.files[len(taken) :]
        if not group.files:
            del self._gathered[tender_id]

    async def more_to_come(self) -> bool:
        """With nothing held: whether something is due soon, or a process that may be dead has claims that end soon."""
        due, claims = await self._database.run(queue.waiting, self._within_patience())
        if claims and self._claims_watched_until is None:
            self._claims_watched_until = time.monotonic() + LEASE + RECOVERY
        watched = claims and time.monotonic() < (self._claims_watched_until or 0)
        return watched or (due is not None and due <= PATIENCE)

    def _within_patience(self) -> queue.Wanted:
        """Files of hosts that do not rest for long."""
        rests = (self._server_rests, self._dead_hosts)
        resting = [host for rest in rests for host in rest.resting() if rest.remaining(host) > PATIENCE]
        return queue.Wanted(self._source, self.until, resting)

    async def end(self) -> None:
        """The transfers have been told to stop: write down what is whole, give back the rest."""
        if self._running:
            await asyncio.wait(self._running, timeout=5)
        for tender_id in list(self._gathered):
            await self._settle(tender_id, now=True)
        await self._database.run(queue.release, self._held_ids())
