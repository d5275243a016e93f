"""A batch of notices and the cursor behind it, committed in one transaction; what cannot be stored is set aside."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import psycopg2
from psycopg2.errors import DeadlockDetected, ProgramLimitExceeded, SerializationFailure

from tenderscrapy.database.batch import as_json
from tenderscrapy.database.queries import queries
from tenderscrapy.database.storing import store
from tenderscrapy.failpoints import failpoint
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import from_json, to_json
from tenderscrapy.normalise.privacy import without_contacts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812

    from tenderscrapy.items import Notice

logger = logging.getLogger(__name__)

#: Bad data of one notice: SQLSTATE classes 22 and 23, text that has no place in the database's encoding, and a number
#: or an address too long for an index (54000), which the driver calls operational although it never passes.
PERMANENT = (psycopg2.DataError, psycopg2.IntegrityError, ProgramLimitExceeded, ValueError)
#: What the index of the quarantine takes of a number that no other index took.
_LONGEST_NUMBER = 500

_ATTEMPTS = 8


def commit(
    connection: Connection, notices: Sequence[Notice], then: Callable[[Connection], None] | None = None
) -> list[str]:
    """Store ``notices``, run ``then`` (the cursor) and commit.

    Answers of each notice ``new``, ``changed``, ``unchanged`` or ``quarantined``. Raises psycopg2.Error for a fault
    that may pass; nothing of the batch is stored then.
    """
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            outcomes = _store(connection, notices)
            if then is not None:
                then(connection)
            failpoint("commit.before")
            connection.commit()
            failpoint("commit.after")
        except (SerializationFailure, DeadlockDetected):
            connection.rollback()
            if attempt == _ATTEMPTS:
                raise
        except BaseException:
            if not connection.closed:
                connection.rollback()
            raise
        else:
            return outcomes
    raise AssertionError("unreachable: the last attempt returns or raises")


def _store(connection: Connection, notices: Sequence[Notice]) -> list[str]:
    """Store whole; only a batch that fails is halved, until the notices that cannot be stored stand alone."""
    if not notices:
        return []
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT batch")
        try:
            outcomes = store(connection, notices)
        except PERMANENT as error:
            cursor.execute("ROLLBACK TO SAVEPOINT batch")
            if len(notices) == 1:
                _quarantine(connection, notices[0], error)
                return ["quarantined"]
        else:
            cursor.execute("RELEASE SAVEPOINT batch")
            return outcomes
    middle = len(notices) // 2
    return _store(connection, notices[:middle]) + _store(connection, notices[middle:])


def _quarantine(connection: Connection, notice: Notice, error: Exception) -> None:
    reason = str(error).splitlines()[0][:300]
    number = notice.notice_id[:_LONGEST_NUMBER]
    logger.error("%s notice %s cannot be stored and is set aside: %s", notice.source_code, number, reason)
    queries("storage").put_quarantine(
        connection,
        source_code=storable(notice.source_code),
        notice_id=storable(number),
        payload=as_json([storable(without_contacts(to_json(notice)))])[1:-1],
        reason=storable(reason),
    )


def storable(value: Any) -> Any:
    """The value with every character that PostgreSQL refuses (NUL, lone surrogates) written as U+FFFD."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {storable(name): storable(part) for name, part in value.items()}
    if isinstance(value, list):
        return [storable(part) for part in value]
    return value


def requeue(connection: Connection) -> tuple[int, int]:
    """Store what lies in quarantine, notice by notice; how many left it, and how many stay."""
    sql = queries("storage")
    stored, waiting = 0, list(sql.quarantined(connection))
    for _, source_code, notice_id, payload in waiting:
        notice = from_json(payload)
        notice.keys = strong_keys(notice)

        def leave(connection: Connection, code: str = source_code, number: str = notice_id) -> None:
            sql.leave_quarantine(connection, source_code=code, notice_id=number)

        if _again(connection, notice, leave):
            stored += 1
    return stored, len(waiting) - stored


def _again(connection: Connection, notice: Notice, leave: Callable[[Connection], None]) -> bool:
    try:
        store(connection, [notice])
        leave(connection)
        connection.commit()
    except PERMANENT as error:
        connection.rollback()
        logger.warning("%s notice %s stays in quarantine: %s", notice.source_code, notice.notice_id, error)
        return False
    return True
