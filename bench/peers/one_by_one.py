"""One transaction a row: how a client without batches writes the rows of a notice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bench.peers.rows import ATTACHMENT, DECISION, KEY, OUTBOX, SOURCE, TENDER, VERSION, rows_of
from tenderscrapy.identity.keys import strong_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812

    from tenderscrapy.items import Notice

_JSON = frozenset({"buyers", "lots", "links", "conflicts", "snapshot", "payload"})


def write(connection: Connection, notices: Iterable[Notice]) -> None:
    """Store each notice in a transaction of its own: known by a key or new, seven tables, commit."""
    for notice in notices:
        notice.keys = strong_keys(notice)
        rows = rows_of(notice)
        with connection.cursor() as cursor:
            pairs = tuple((key.kind, key.value) for key in notice.keys)
            cursor.execute("SELECT tender_id FROM tender_key WHERE (kind, value) IN %s LIMIT 1", (pairs,))
            if (known := cursor.fetchone()) is not None:
                rows = rows_of(notice, known[0])
            _insert(cursor, "tender", TENDER, [rows.tender], "ON CONFLICT (id) DO NOTHING")
            source_id = _insert(cursor, "tender_source", SOURCE, [rows.source], "RETURNING id")
            _insert(cursor, "tender_key", KEY, rows.keys(source_id), "ON CONFLICT DO NOTHING")
            _insert(cursor, "notice_version", VERSION, [rows.version(source_id)])
            _insert(cursor, "match_decision", DECISION, [rows.decision(source_id)])
            _insert(cursor, "attachment", ATTACHMENT, rows.attachments)
            _insert(cursor, "outbox", OUTBOX, [rows.event])
        connection.commit()


def _insert(cursor: Any, table: str, columns: Sequence[str], rows: list[dict[str, Any]], end: str = "") -> Any:
    if not rows:
        return None
    row = f"({', '.join(['%s'] * len(columns))})"
    values = [_value(name, each.get(name)) for each in rows for name in columns]
    statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * len(rows))} {end}"
    cursor.execute(statement, values)
    return cursor.fetchone()[0] if end.startswith("RETURNING") else None


def _value(name: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if name in _JSON else value
