"""Events for tenders that have none waiting."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tenderscrapy.database.queries import queries
from tenderscrapy.messaging.contract import TENDER_CHANGED, tender_changed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Days that a published event is kept, to see what happened.
KEEP_DAYS = 30


def put_events(connection: Connection, tenders: Iterable[tuple[str, str, str]]) -> int:
    """Write an outbox row for each (tender id, content hash, source code), in the caller's transaction."""
    rows = [
        {"topic": TENDER_CHANGED, "key": tender_id, "payload": tender_changed(tender_id, content_hash, source_code)}
        for tender_id, content_hash, source_code in tenders
    ]
    if rows:
        queries("outbox").put_rows(connection, rows=json.dumps(rows))
    return len(rows)


def forget_published(connection: Connection) -> None:
    """Delete events that were published long ago; dead letters stay. Part of the caller's transaction."""
    queries("outbox").sweep_published(connection, days=KEEP_DAYS)


def put_missing_events(connection: Connection) -> int:
    """An event for every tender that is not in the index and has none waiting; their number."""
    return put_events(connection, list(queries("outbox").not_ready(connection)))
