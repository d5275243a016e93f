"""From the outbox to the broker: a row leaves only after the broker confirmed its message.

At least once: a message whose confirm was lost is sent again. Consumers compare hashes, so that is harmless.
"""

from __future__ import annotations

import logging
import math
import select
import threading
import time
from collections import deque
from concurrent.futures import wait
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg2

from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import BrokerUnavailableError, DatabaseUnavailableError, MessageError
from tenderscrapy.failpoints import failpoint
from tenderscrapy.messaging.contract import TENDER_CHANGED, encode
from tenderscrapy.messaging.publisher import ConfirmedPublisher, Message

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

logger = logging.getLogger(__name__)

#: Messages of a window, and windows on their way at once: one is confirmed while the other is written.
WINDOW = 200
WINDOWS = 2
CONFIRM_SECONDS = 20.0
#: A claim of a relay that died ends after this; longer than any wait for confirms, so no living claim ends.
LEASE_SECONDS = 30.0
#: Seconds before a row whose message failed is sent again.
RETRY_AFTER = 2.0
#: Seconds for which the end waits for confirms on their way: a crawl that is told to stop has to be gone within 30.
FAREWELL = 3.0
_POLL = 0.25


@dataclass(slots=True)
class _Sent:
    """A window of messages on their way, by the row they came from."""

    rows: dict[int, Message]
    deadline: float


class OutboxRelay:
    """A thread that publishes waiting rows as they come, for as long as it lives; it never raises.

    Broker or database may be away: rows wait, and nobody waits for them. Several relays share the rows.
    """

    def __init__(self, database_url: str, amqp_url: str, name: str = "tenderscrapy outbox") -> None:
        self.published = 0
        self.failed = 0
        self._database_url = database_url
        self._name = name
        self._publisher = ConfirmedPublisher(amqp_url, name)
        self._connection: Connection | None = None
        self._sent: deque[_Sent] = deque()
        self._stopping = threading.Event()
        self._last_moment = math.inf
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        """Begin; does not wait for broker or database."""
        self._publisher.start()
        self._thread.start()

    def drain(self, seconds: float, without_broker: float | None = None) -> int:
        """Wait until no row waits, at most ``seconds``; the number of rows that still do.

        ``without_broker`` ends the wait earlier where there is no connection to the broker by then. Raises
        DatabaseUnavailableError.
        """
        begun = time.monotonic()
        try:
            with closing(connect(self._database_url, autocommit=True, application_name=self._name)) as connection:
                while left := queries("outbox").waiting(connection, topic=TENDER_CHANGED):
                    waited = time.monotonic() - begun
                    if waited >= seconds:
                        break
                    if without_broker is not None and waited >= without_broker and not self._publisher.wait_ready(0):
                        break
                    time.sleep(0.05)
        except psycopg2.Error as error:
            raise DatabaseUnavailableError(str(error).strip()) from error
        return int(left)

    def close(self) -> None:
        """End the threads; windows on their way get a moment to be confirmed, other rows stay in the outbox."""
        self._last_moment = time.monotonic() + FAREWELL
        self._stopping.set()
        self._thread.join(FAREWELL * 2)
        self._publisher.close()

    @property
    def problem(self) -> str:
        """Why nothing is published, when nothing is."""
        return self._publisher.problem

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                if self._publisher.wait_ready(_POLL):
                    while len(self._sent) < WINDOWS and self._send():
                        pass
                    if not self._sent:
                        self._wait()
                self._settle()
            except (psycopg2.Error, DatabaseUnavailableError) as error:
                logger.warning("the outbox cannot be read, trying again: %s", str(error).strip())
                self._drop_connection()
                self._stopping.wait(RETRY_AFTER)
            except Exception:  # ours to mend; later rows must still go
                logger.exception("the relay of the outbox stumbled, trying again")
                self._drop_connection()
                self._stopping.wait(RETRY_AFTER)
        self._finish()

    def _finish(self) -> None:
        try:
            while self._sent:
                self._settle()
        except (psycopg2.Error, DatabaseUnavailableError) as error:
            logger.warning("confirmed messages stay in the outbox and will be sent again: %s", str(error).strip())
        self._drop_connection()

    def _database(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._database_url, application_name=self._name)
            with transaction(self._connection), self._connection.cursor() as cursor:
                cursor.execute("LISTEN outbox")
        return self._connection

    def _drop_connection(self) -> None:
        self._sent.clear()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _call(self, name: str, **parameters: Any) -> list[Any]:
        with transaction(self._database()) as connection:
            answer = getattr(queries("outbox"), name)(connection, **parameters)
            return list(answer) if hasattr(answer, "__next__") else []

    def _send(self) -> bool:
        """Claim a window of rows and publish it; False when no row waits."""
        rows = self._call("claim_waiting", topic=TENDER_CHANGED, lease=LEASE_SECONDS, count=WINDOW, holder=None)
        messages = {}
        for row_id, key, payload, _ in rows:
            try:
                messages[row_id] = Message(str(row_id), TENDER_CHANGED, encode(payload))
            except MessageError as error:
                logger.warning("event %s of %s is a dead letter: %s", row_id, key, error)
                self._call("bury", ids=[row_id], error=str(error))
        if not messages:
            return bool(rows)
        try:
            self._publisher.publish(list(messages.values()))
        except BrokerUnavailableError as error:
            self._put_off(list(messages), str(error))
        else:
            self._sent.append(_Sent(messages, time.monotonic() + CONFIRM_SECONDS))
        return True

    def _settle(self) -> None:
        """Mark the rows of the oldest window by what became of their messages."""
        if not self._sent:
            return
        sent = self._sent.popleft()
        self._await(sent)
        confirmed, problems = [], {}
        for row_id, message in sent.rows.items():
            if not message.confirmed.done():
                problems[row_id] = "no confirm in time"
            elif error := message.confirmed.exception():
                problems[row_id] = str(error)
            else:
                confirmed.append(row_id)
        failpoint("settle.before")
        self._call("settle", ids=confirmed)
        failpoint("settle.after")
        self.published += len(confirmed)
        for problem in set(problems.values()):
            self._put_off([row_id for row_id, text in problems.items() if text == problem], problem)

    def _await(self, sent: _Sent) -> None:
        """Wait until every message of a window is confirmed or failed, no longer than its time or ours."""
        confirms = [message.confirmed for message in sent.rows.values()]
        while (left := min(sent.deadline, self._last_moment) - time.monotonic()) > 0:
            if not wait(confirms, min(left, _POLL)).not_done:
                return

    def _put_off(self, ids: list[int], problem: str) -> None:
        logger.warning("%s messages were not taken by RabbitMQ: %s", len(ids), problem)
        self.failed += len(ids)
        self._call("put_off", ids=ids, wait=RETRY_AFTER, error=problem[:500])

    def _wait(self) -> None:
        connection = self._database()
        if select.select([connection], [], [], _POLL)[0]:
            connection.poll()
            connection.notifies.clear()
