"""One crawl as all its parts see it: spider, pipelines and extensions of a crawler share one Run."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

import psycopg2
from psycopg2.extras import Json

from tenderscrapy.database.migrate import ready_url
from tenderscrapy.database.queries import queries
from tenderscrapy.database.thread import DatabaseThread
from tenderscrapy.exceptions import ConfigurationError, DatabaseUnavailableError
from tenderscrapy.extensions.batches import Batches
from tenderscrapy.failpoints import failpoint
from tenderscrapy.sources.checkpoint import Checkpoint, Position
from tenderscrapy.sources.registry import fill
from tenderscrapy.sources.walk import Cursor, Walk

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

#: Marks of pages that a cursor keeps, the highest names: some weeks of daily pages.
MARKS = 60

#: The states that a run can end in, mildest first: the worst one seen stands.
STATES = ("complete", "incomplete", "cancelled", "failed")


class Run:
    """The database thread, the checkpoint and the verdict of one crawl.

    ``code`` is what is walked: a source's code, or ``sample``, whose notices carry several codes. ``intact`` falls when
    the chain of pages cannot be trusted: the watermark stays then. ``walked`` rises when the last page is announced.
    """

    _runs: ClassVar[WeakKeyDictionary[Crawler, Run]] = WeakKeyDictionary()

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.code = ""
        self.keeps_cursor = True
        self.id: int | None = None
        self.url = ""
        self.walk: Walk | None = None
        self.cursor: dict[str, Any] = {}
        self.checkpoint = Checkpoint()
        self.database: DatabaseThread | None = None
        self.state = "complete"
        self.reason = ""
        self.not_before: datetime | None = None
        self.batches = Batches(self)
        self.intact = True
        self.left_out = False
        self.walked = False
        self.counts: Counter[str] = Counter()
        self.announced: int | None = None
        self.fetched = 0

    @classmethod
    def of(cls, crawler: Crawler) -> Run:
        """The run of this crawler, the same for whoever asks."""
        return cls._runs.setdefault(crawler, cls(crawler))

    async def open(self, code: str, spider: str, process: str) -> Cursor:
        """Prepare the database, take the source's lock, write the run's row; the cursor to go on from.

        Raises DatabaseUnavailableError, and ConfigurationError when another process crawls the source.
        """
        self.code = code
        self.url = await asyncio.to_thread(ready_url)
        # a connection that was lost took the lock with it
        self.database = DatabaseThread(self.url, f"tenderscrapy crawl {code}", partial(_lock, code=code))
        try:
            self.id, stored = await self.database.run(_open, code, spider, process, _portal_files(self.crawler))
        except psycopg2.Error as error:
            raise DatabaseUnavailableError(f"the run could not be opened: {' '.join(str(error).split())}") from error
        return Cursor.from_stored(stored)

    def resume(self, walk: Walk) -> None:
        """Begin the walk where its cursor stands."""
        self.walk = walk
        self.cursor = walk.cursor.to_stored()
        self.fetched = walk.cursor.fetched
        if walk.cursor.left_out:
            self.leave_out("an earlier run of this walk had left notices out; the next walk reads them again")
        self.checkpoint = Checkpoint(self.fetched)

    def restart(self, page: int) -> None:
        """The walk begins again from the source's first page, here numbered ``page``."""
        self.fetched = 0
        self.checkpoint.restart(page)

    def end_of_chain(self) -> None:
        """The source says that this was all: hold it against what it had announced."""
        self.walked = True
        if self.announced is not None and self.fetched < self.announced:
            self.break_off("incomplete", f"the source announced {self.announced} notices and gave {self.fetched}")

    def note(self, text: str) -> None:
        """Something a reader of a complete run should know."""
        if not self.reason:
            self.reason = text

    def break_off(self, state: str, reason: str) -> None:
        """The chain of pages ended where it should not: ``worsen``, and the watermark stays."""
        self.intact = False
        self.worsen(state, reason)

    def leave_out(self, reason: str) -> None:
        """Pages lack notices, yet the walk goes on: the watermark stays, also when another run ends this walk."""
        self.left_out = True
        self.break_off("incomplete", reason)

    def worsen(self, state: str, reason: str) -> None:
        """Something happened that a complete run does not have; of several the worst state, and its first reason."""
        if STATES.index(state) > STATES.index(self.state):
            self.state, self.reason = state, reason[:500]

    def postpone(self, seconds: float) -> None:
        """The source asked to be left alone for longer than a run may wait."""
        self.not_before = datetime.now(UTC) + timedelta(seconds=seconds)

    def cursor_at(
        self, connection: Connection, position: Position | None, marks: dict[str, str] | None = None
    ) -> dict[str, Any]:
        """Write the cursor into the transaction that settles the pages before it; what changed in it.

        ``self.cursor`` is what is committed: the caller puts the changes there once they are.
        """
        if self.walk is None or not self.keeps_cursor or (position is None and not marks):
            return {}
        values = dict(self.cursor)
        if marks:
            values["marks"] = dict(sorted((values["marks"] | marks).items())[-MARKS:])
        if position is not None:
            values |= {
                "position": None if position.last else position.next_cursor,
                "fetched": position.fetched,
                "left_out": self.left_out and not position.last,
            }
            if position.last and self.intact:
                values["watermark"] = self._watermark(connection, position)
        failpoint("cursor.before")
        queries("sources").set_cursor(connection, code=self.code, platform=self.code, cursor=Json(values))
        failpoint("cursor.after")
        return values

    def _watermark(self, connection: Connection, position: Position) -> str | None:
        """The page's own where it named one, never earlier than before; else the newest edition committed."""
        stored: str | None = self.cursor["watermark"]
        if position.watermark is not None:
            known = [text for text in (stored, position.watermark) if text]
            return max(known, key=datetime.fromisoformat, default=None)
        newest = queries("sources").newest_edition(connection, code=self.code)
        return newest.isoformat() if newest else stored


def _portal_files(crawler: Crawler) -> tuple[str, str]:
    settings = crawler.settings
    return str(settings.get("PORTALS_FILE") or ""), str(settings.get("ALLOW_PRIVATE_HOSTS") or "")


def _open(
    connection: Connection, code: str, spider: str, process: str, portal_files: tuple[str, str]
) -> tuple[int, dict[str, Any] | None]:
    sql = queries("sources")
    try:
        fill(connection, *portal_files)
    except ConfigurationError as error:
        logger.warning("%s is read all the same: %s", code, error)
    for (died,) in list(sql.close_stale_runs(connection, code=code)):
        logger.warning("%s: an earlier run had died without a word", died)
    run_id = sql.open_run(connection, code=code, spider=spider, process=process)
    stored = sql.cursor_of(connection, code=code)
    connection.commit()
    return run_id, stored


def _lock(connection: Connection, *, code: str) -> None:
    """Take the lock that the connection keeps for its life; a killed holder's server process needs a moment to go."""
    list(queries("sources").notice_dead_peers(connection))
    connection.commit()
    for _ in range(50):
        locked = queries("sources").try_lock_source(connection, code=code)
        connection.rollback()  # the lock outlives it
        if locked:
            return
        time.sleep(0.2)
    raise ConfigurationError(f"{code} is being crawled by another process; wait for it, or stop it")
