"""The floor of persisting: the rows of a batch by ``execute_values``, without any look at what is stored."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from psycopg2.extras import execute_values

from bench.peers.rows import ATTACHMENT, DECISION, KEY, OUTBOX, SOURCE, TENDER, VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812

    from bench.peers.rows import Rows

_JSON = frozenset({"buyers", "lots", "links", "conflicts", "snapshot", "payload"})
_PAGE = 250


def _update(columns: Sequence[str]) -> str:
    return ", ".join(f"{name} = EXCLUDED.{name}" for name in columns)


_ON_TENDER = f"""ON CONFLICT (id) DO UPDATE SET {_update(TENDER[1:])}, index_status = 'pending', updated_at = now()
    WHERE t.content_hash IS DISTINCT FROM EXCLUDED.content_hash"""
_ON_SOURCE = f"""ON CONFLICT (source_code, notice_id) DO UPDATE SET {_update(SOURCE[3:])}, last_seen_at = now()
    RETURNING notice_id, id"""
_SEEN = """UPDATE tender_source SET last_seen_at = now() FROM (VALUES %s) AS r (source_code, notice_id, content_hash)
    WHERE tender_source.source_code = r.source_code AND tender_source.notice_id = r.notice_id
    AND tender_source.content_hash = r.content_hash"""


def write(connection: Connection, batch: Sequence[Rows]) -> None:
    """New and changed notices: all tables, one transaction."""
    with connection.cursor() as cursor:
        _insert(cursor, "tender AS t", TENDER, [rows.tender for rows in batch], _ON_TENDER)
        written = _insert(cursor, "tender_source", SOURCE, [rows.source for rows in batch], _ON_SOURCE)
        ids = dict(written)
        numbered = [(rows, ids[rows.source["notice_id"]]) for rows in batch]
        keys = [key for rows, id_ in numbered for key in rows.keys(id_)]
        _insert(cursor, "tender_key", KEY, keys, "ON CONFLICT DO NOTHING")
        versions = [rows.version(id_) for rows, id_ in numbered]
        _insert(cursor, "notice_version", VERSION, versions, "ON CONFLICT DO NOTHING")
        if batch[0].first:
            _insert(cursor, "match_decision", DECISION, [rows.decision(id_) for rows, id_ in numbered])
        files = [file for rows in batch for file in rows.attachments]
        _insert(cursor, "attachment", ATTACHMENT, files, "ON CONFLICT DO NOTHING")
        _insert(cursor, "outbox", OUTBOX, [rows.event for rows in batch])
    connection.commit()


def see(connection: Connection, batch: Sequence[Rows]) -> None:
    """Unchanged notices: that they were seen, where their hash is the stored one."""
    with connection.cursor() as cursor:
        rows = [[rows.source[name] for name in ("source_code", "notice_id", "content_hash")] for rows in batch]
        execute_values(cursor, _SEEN, rows, page_size=_PAGE)
    connection.commit()


def _insert(cursor: Any, table: str, columns: Sequence[str], rows: list[dict[str, Any]], end: str = "") -> Any:
    if not rows:
        return []
    values = [[_value(name, row.get(name)) for name in columns] for row in rows]
    statement = f"INSERT INTO {table} ({', '.join(columns)}) VALUES %s {end}"
    return execute_values(cursor, statement, values, page_size=_PAGE, fetch="RETURNING" in end)


def _value(name: str, value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if name in _JSON else value
