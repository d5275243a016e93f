"""The queue without a broker: rows of the outbox, each claimed for a time that is renewed while it is worked on."""

from __future__ import annotations

import logging
import random
import select
import time
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import psycopg2

from indexer_worker.consumer import BATCH, DELIVERIES, RETRY_AFTER, Tally
from indexer_worker.jobs import PASSING, DependencyDownError, Fate, Job
from indexer_worker.others import Others, take_from_dead
from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import DatabaseUnavailableError, MessageError
from tenderscrapy.failpoints import failpoint
from tenderscrapy.messaging.contract import TENDER_CHANGED, validate
from tenderscrapy.messaging.events import forget_published, put_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from indexer_worker.jobs import Result
    from indexer_worker.worker import Indexer

logger = logging.getLogger(__name__)

#: Seconds between two looks at the outbox that no notification asked for, and between two sweeps.
POLL = 5.0
SWEEP = 60.0


class LeaseConsumer:
    """Claims rows with SKIP LOCKED, for as long as the session lasts whose number they get.

    Where the database cannot notice that the holder is gone, the claim outlives it by at most ``lease`` seconds.
    """

    def __init__(self, url: str, indexer: Indexer, lease: float) -> None:
        self.tally = Tally()
        self._url = url
        self._indexer = indexer
        self._lease = lease
        self._others = Others(lease)
        self._connection: Connection | None = None
        self._holder = 0
        self._next_sweep = 0.0

    def run(self, stopping: Event, *, once: bool) -> None:
        """Work until ``stopping`` is set, or with ``once`` until no event waits.

        With ``once`` a service that is down raises DependencyDownError or one of PASSING; else it is waited for.
        """
        while not stopping.is_set():
            try:
                if self._work():
                    continue
                if once and self._is_drained(stopping):
                    return
                if not once:
                    self._wait()
            except (DependencyDownError, *PASSING) as error:
                if stopping.is_set():
                    return
                if once:
                    raise
                logger.warning("waiting for a service that is down: %s", error)
                stopping.wait(RETRY_AFTER)

    def close(self) -> None:
        """End the connection to the queue."""
        if self._connection is not None:
            self._connection.close()

    def _queue(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url, application_name="tenderscrapy indexer queue")
            self._holder = random.randrange(1, 2**31)
            with transaction(self._connection), self._connection.cursor() as cursor:
                cursor.execute("LISTEN outbox")
                queries("outbox").hold(self._connection, holder=self._holder)
        return self._connection

    def _call(self, name: str, **parameters: Any) -> Any:
        with transaction(self._queue()) as queue:
            answer = getattr(queries("outbox"), name)(queue, **parameters)
            return list(answer) if hasattr(answer, "__next__") else answer

    def _work(self) -> bool:
        """Handle one batch; False when nothing can be claimed."""
        self._sweep()
        self._queue()
        rows = self._call("claim_waiting", topic=TENDER_CHANGED, lease=self._lease, count=BATCH, holder=self._holder)
        attempts = {row[0]: row[3] for row in rows}
        jobs = [job for row in rows if (job := self._job(*row))]
        if not jobs:
            return bool(rows)
        ids = [job.delivery for job in jobs]
        try:
            with _renewed(self._url, ids, self._lease):
                results = self._indexer.process(jobs)
        except DependencyDownError:
            self._call("give_back", ids=ids)
            raise
        self._settle(results, attempts)
        return True

    def _job(self, row_id: int, key: str, payload: object, attempts: int) -> Job | None:
        try:
            event = validate(payload)
            if attempts > DELIVERIES:
                raise MessageError(f"its worker died {attempts - 1} times")
        except MessageError as error:
            self._bury(row_id, key, str(error))
            return None
        return Job(event["tender_id"], event["content_hash"], row_id)

    def _settle(self, results: Sequence[Result], attempts: dict[int, int]) -> None:
        self.tally.add(results)
        done = [r.job.delivery for r in results if r.fate in (Fate.INDEXED, Fate.NOTHING_TO_DO)]
        failpoint("ack.before")
        self._call("settle", ids=done)
        failpoint("ack.after")
        for result in results:
            row_id = result.job.delivery
            if result.fate is Fate.FAILED or (result.fate is Fate.RETRY and attempts[row_id] >= DELIVERIES):
                self._bury(row_id, result.job.tender_id, result.reason)
            elif result.fate is Fate.RETRY:
                self._call("put_off", ids=[row_id], wait=RETRY_AFTER, error=result.reason)

    def _bury(self, row_id: int, key: str, reason: str) -> None:
        logger.warning("event %s of %s is a dead letter: %s", row_id, key, reason)
        self._call("bury", ids=[row_id], error=reason)
        self.tally.counts["dead"] += 1

    def _sweep(self) -> None:
        """Give an event to tenders that have none: they were written past the outbox."""
        if time.monotonic() < self._next_sweep:
            return
        self._next_sweep = time.monotonic() + SWEEP
        with transaction(self._queue()) as queue:
            forget_published(queue)
            found = put_events(queue, list(queries("outbox").unindexed(queue)))
        if found:
            logger.info("%s tenders had no event and got one", found)

    def _is_drained(self, stopping: Event) -> bool:
        """Whether no event waits but those that living workers hold; waits for one that was put off, and a moment."""
        wait = self._call("next_wait", topic=TENDER_CHANGED)
        if wait is None and self._others.keep_nothing(self._queue()):
            self.tally.held = self._others.held
            return True
        stopping.wait(max(0.05, wait or 0))
        return False

    def _wait(self) -> None:
        queue = self._queue()
        if select.select([queue], [], [], POLL)[0]:
            queue.poll()
            queue.notifies.clear()
            return
        with transaction(queue):
            take_from_dead(queue, self._lease)


@contextmanager
def _renewed(url: str, ids: list[int], lease: float) -> Iterator[None]:
    """Renew the claims from another thread for as long as the block runs."""
    done = Event()

    def renew() -> None:
        connection: Connection | None = None
        while not done.wait(lease / 3):
            try:
                if connection is None or connection.closed:
                    connection = connect(url, autocommit=True, application_name="tenderscrapy indexer lease")
                queries("outbox").renew(connection, ids=ids, lease=lease)
            except (psycopg2.Error, DatabaseUnavailableError) as error:
                logger.warning("claims could not be renewed: %s", error)
        if connection is not None:
            connection.close()

    thread = Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
