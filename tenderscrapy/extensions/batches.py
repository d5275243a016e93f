"""Micro-batches: notices gather for a moment, one transaction takes them, and whoever handed them in is told."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from tenderscrapy.database.committing import commit

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812

    from tenderscrapy.extensions.run import Run
    from tenderscrapy.items import Notice
    from tenderscrapy.sources.checkpoint import Position

logger = logging.getLogger(__name__)


class NotStoredError(Exception):
    """The transaction that should have stored this notice failed; the cursor stays before its page."""


class Batches:
    """The way into storage for all notices of a run, in their order.

    A batch goes off when it is full, when the last notice of a page is in, or ``wait`` seconds after its first notice.
    """

    def __init__(self, run: Run, size: int = 250, wait: float = 1.0) -> None:
        self._run = run
        self._size = size
        self._wait = wait
        self._notices: list[tuple[Notice, asyncio.Future[str]]] = []
        self._settled: list[int] = []
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._order = asyncio.Lock()

    async def add(self, notice: Notice) -> str:
        """Store a notice; its outcome once the transaction has committed. Raises NotStoredError."""
        future: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._notices.append((notice, future))
        self._arrived(notice.walk_page)
        return await future

    def settle(self, page: int | None, count: int = 1) -> None:
        """``count`` notices of ``page`` need no storage: dropped, or not readable. 0 for an empty page."""
        if page is None:
            return
        self._settled.extend([page] * count)
        for _ in range(count):
            self._arrived(page)
        if not count:
            self.flush()

    def _arrived(self, page: int | None) -> None:
        last = self._run.checkpoint.arrive(page)
        if last or len(self._notices) >= self._size:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._wait, self.flush)

    def flush(self) -> None:
        """Send off what has gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waiting, self._notices = self._notices, []
        settled, self._settled = self._settled, []
        task = asyncio.ensure_future(self._send(waiting, settled))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def drain(self) -> None:
        """Wait until everything handed in is committed or lost."""
        self.flush()
        while self._tasks:
            await asyncio.gather(*self._tasks)

    async def _send(self, waiting: list[tuple[Notice, asyncio.Future[str]]], settled: list[int]) -> None:
        notices = [notice for notice, _ in waiting]
        pages = settled + [notice.walk_page for notice in notices if notice.walk_page is not None]
        async with self._order:
            try:
                if self._run.database is None:
                    raise NotStoredError("the run has no database")
                outcomes = await self._run.database.run(self._commit, notices, pages)
            except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must be told
                self._lost(waiting, pages, error)
                return
        for (notice, future), outcome in zip(waiting, outcomes, strict=True):
            self._run.counts[outcome] += 1
            notice.walk_page = None  # settled: what a later pipeline does with it concerns no page
            if not future.done():
                future.set_result(outcome)
        if "quarantined" in outcomes:
            self._run.worsen("incomplete", f"{self._run.counts['quarantined']} notice(s) set aside; see quarantine")

    def _lost(self, waiting: list[tuple[Notice, asyncio.Future[str]]], pages: list[int], error: Exception) -> None:
        reason = f"the database did not take a batch: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        logger.error("%s: %s", self._run.code, reason)
        self._run.break_off("incomplete", reason)
        for page in pages:
            self._run.checkpoint.fail(page)
        for _, future in waiting:
            if not future.done():
                future.set_exception(NotStoredError(reason))

    def _commit(self, connection: Connection, notices: list[Notice], pages: list[int]) -> list[str]:
        """In the storage thread: notices and cursor in one transaction, then the checkpoint follows."""
        position: Position | None = None
        written: dict[str, Any] = {}

        def cursor(connection: Connection) -> None:
            nonlocal position
            position, marks = self._run.checkpoint.preview(pages), self._run.checkpoint.marks(pages)
            written.update(self._run.cursor_at(connection, position, marks))

        outcomes = commit(connection, notices, cursor)
        self._run.cursor |= written
        self._run.checkpoint.settle(pages, position, written.get("marks"))
        return outcomes
