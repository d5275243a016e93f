"""What other workers have in hand: the work of dead ones goes on, that of living ones is theirs."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from tenderscrapy.database.pool import transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.messaging.events import put_events

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

logger = logging.getLogger(__name__)

#: Seconds that a run which ends when nothing is left waits for others; a session that was killed is gone by then.
PATIENCE = 3.0


def take_from_dead(connection: Connection, stuck_after: float) -> int:
    """Give the tenders of dead workers back to the queue, part of the caller's transaction; how many there were.

    Those in ``processing`` for ``stuck_after`` seconds get another event too, whoever holds them.
    """
    found = list(queries("outbox").take_from_dead(connection, stuck_after=stuck_after))
    put_events(connection, [tuple(event) for *event, waits in found if not waits])
    if found:
        logger.info("%s tenders were left by workers that died, and are worked on again", len(found))
    return len(found)


class Others:
    """Decides for a run that ends when nothing waits whether it may."""

    def __init__(self, stuck_after: float) -> None:
        self.held = 0
        self._stuck_after = stuck_after
        self._since: float | None = None

    def keep_nothing(self, connection: Connection) -> bool:
        """Whether all that is left is with living workers, for PATIENCE seconds already; ``held`` is how much."""
        with transaction(connection):
            taken = take_from_dead(connection, self._stuck_after)
            self.held = queries("outbox").held(connection)
        if taken or not self.held:
            self._since = None
            return not taken
        self._since = self._since or time.monotonic()
        return time.monotonic() - self._since > PATIENCE
