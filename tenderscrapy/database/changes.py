"""What follows from a change of a tender: a new content hash, and one event for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tenderscrapy.database.queries import queries
from tenderscrapy.identity.merging import canonical, merge, tender_hash
from tenderscrapy.messaging.contract import TENDER_CHANGED, tender_changed

if TYPE_CHECKING:
    from uuid import UUID

    from psycopg2.extensions import connection as Connection  # noqa: N812


def event(tender_id: str | UUID, content_hash: str, source_code: str) -> dict[str, Any]:
    """The outbox row that tells of a new content hash."""
    key = str(tender_id)
    return {"topic": TENDER_CHANGED, "key": key, "payload": tender_changed(key, content_hash, source_code)}


def refresh_tender(connection: Connection, tender_id: str | UUID, source_code: str) -> bool:
    """Derive the tender's content hash anew; where it is new, make the tender pending and write its event.

    Part of the caller's transaction, which must have written the change before. True when the hash was new.
    """
    sql, ids = queries("storage"), [str(tender_id)]
    locked = list(sql.lock_tenders(connection, ids=ids))
    if not locked:
        return False
    snapshots = [row[3] for row in sql.snapshots_of(connection, ids=ids)]
    files = [(url, sha256) for _, url, sha256 in sql.ready_files(connection, ids=ids)]
    content_hash = tender_hash(canonical(merge(snapshots)), files)
    if content_hash == locked[0][1]:
        return False
    sql.set_tender_hash(connection, id=str(tender_id), content_hash=content_hash)
    sql.put_outbox(connection, rows=json.dumps([event(tender_id, content_hash, source_code)]))
    return True
