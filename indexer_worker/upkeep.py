"""What the indexer does beside its work where there is a broker: it relays the outbox and looks for stuck tenders."""

from __future__ import annotations

import logging
from contextlib import closing
from threading import Event, Thread

import psycopg2

from indexer_worker.others import Others, take_from_dead
from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.exceptions import DatabaseUnavailableError
from tenderscrapy.messaging.events import forget_published
from tenderscrapy.messaging.outbox import OutboxRelay

logger = logging.getLogger(__name__)

SWEEP = 20.0


class Upkeep:
    """A relay, and a sweep now and then; neither ever raises."""

    def __init__(self, database_url: str, amqp_url: str, stuck_after: float) -> None:
        self._database_url = database_url
        self._stuck_after = stuck_after
        self._others = Others(stuck_after)
        self._relay = OutboxRelay(database_url, amqp_url, "tenderscrapy indexer outbox")
        self._stopping = Event()
        self._thread = Thread(target=self._sweep, name="sweep", daemon=True)

    def start(self) -> None:
        """Begin; does not wait for anything."""
        self._relay.start()
        self._thread.start()

    def close(self) -> None:
        """End both."""
        self._stopping.set()
        self._thread.join()
        self._relay.close()

    @property
    def held(self) -> int:
        """Tenders that other workers were at when the work was last found drained."""
        return self._others.held

    def is_drained(self) -> bool:
        """Whether no event waits to be published and no tender is left but to living workers, see Others.

        Raises DatabaseUnavailableError or psycopg2.Error.
        """
        if self._relay.drain(0):
            return False
        with closing(connect(self._database_url, application_name="tenderscrapy indexer others")) as connection:
            return self._others.keep_nothing(connection)

    def _sweep(self) -> None:
        while True:
            try:
                with closing(connect(self._database_url, application_name="tenderscrapy indexer sweep")) as connection:
                    self._give_events(connection)
            except (psycopg2.Error, DatabaseUnavailableError) as error:
                logger.warning("no look at stuck tenders: %s", str(error).strip())
            if self._stopping.wait(SWEEP):
                return

    def _give_events(self, connection: psycopg2.extensions.connection) -> None:
        with transaction(connection):
            forget_published(connection)
            take_from_dead(connection, self._stuck_after)
