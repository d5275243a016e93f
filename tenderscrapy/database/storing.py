"""Notices into tables: decided, merged and written batch by batch, in the caller's transaction.

A batch is a handful of set statements, whatever its size. Two processes that meet over one notice or key are sorted
out by the unique indexes: whoever comes second finds a row missing from its answer, rolls the batch back and decides
again with the other's rows in sight.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from psycopg2.errors import SerializationFailure

from tenderscrapy.database.batch import Identity, Row, Snapshot, as_json, joined, rows_of
from tenderscrapy.database.changes import event
from tenderscrapy.database.queries import queries
from tenderscrapy.failpoints import failpoint
from tenderscrapy.identity import matching
from tenderscrapy.identity.merging import attachments, canonical, edition, merge, tender_hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812

    from tenderscrapy.items import Key, Notice


class KeyTakenError(SerializationFailure):
    """Another process stored a key or a notice of this batch first; decide the batch again."""


@dataclass(frozen=True, slots=True)
class _Stored:
    id: int
    tender_id: UUID
    content_hash: str
    revised_at: datetime | None


def store(connection: Connection, notices: Sequence[Notice]) -> list[str]:
    """Write a batch; the answer says of each notice ``new``, ``changed`` or ``unchanged``, in its order.

    An edition older than the stored one, or than another of the batch, is history: it becomes a version and changes
    nothing else. Raises what
    PostgreSQL raises; KeyTakenError when another process was faster with one of the notices.
    """
    rows = rows_of(notices)
    stored = _stored(connection, rows.values())
    outcomes = {identity: _outcome(row, stored.get(identity)) for identity, row in rows.items()}
    _seen_again(connection, [(row, stored[i]) for i, row in rows.items() if outcomes[i] == "unchanged"])
    work = [row for identity, row in rows.items() if outcomes[identity] != "unchanged"]
    if work:
        _decide(connection, work, stored)
        _write(connection, work)
    leaders = {id(row.notice) for row in rows.values()}
    return [
        outcomes[notice.source_code, notice.notice_id] if id(notice) in leaders else "unchanged" for notice in notices
    ]


def _stored(connection: Connection, rows: Iterable[Row]) -> dict[Identity, _Stored]:
    wanted = as_json({"source_code": code, "notice_id": notice} for code, notice in (row.identity for row in rows))
    found = queries("storage").known_sources(connection, rows=wanted)
    return {(code, notice): _Stored(id_, UUID(tender), *rest) for id_, code, notice, tender, *rest in found}


def _outcome(row: Row, stored: _Stored | None) -> str:
    if stored is None:
        return "new"
    older = stored.revised_at is not None and edition(row.snapshot) < stored.revised_at
    return "unchanged" if older or stored.content_hash == row.content_hash else "changed"


def _seen_again(connection: Connection, rows: list[tuple[Row, _Stored]]) -> None:
    sql = queries("storage")
    if rows:
        sql.touch_sources(connection, ids=[stored.id for _, stored in rows])
    history = [
        edition_.as_version(stored.id)
        for row, stored in rows
        for edition_ in (*row.earlier, row)
        if edition_.content_hash != stored.content_hash
    ]
    if history:
        sql.put_versions(connection, rows=joined(history))


def _decide(connection: Connection, work: list[Row], stored: dict[Identity, _Stored]) -> None:
    """Give every row its tender; a notice decided before is in sight of the next one of the same batch."""
    owners = _owners(connection, {key for row in work for key in row.notice.keys})
    ocids = _ocids(connection, set(owners.values()))
    for row in work:
        known = stored.get(row.identity)
        member_of = known.tender_id if known else None
        row.decision = matching.decide(row.notice.keys, owners, ocids, member_of=member_of)
        row.tender_id = row.decision.tender_id or row.tender_id
        row.id = known.id if known else None
        for key in row.notice.keys:
            owners.setdefault(key, row.tender_id)
            if key.kind == "ocid":
                ocids[row.tender_id].add(key.value)


def _ocids(connection: Connection, tenders: set[UUID]) -> dict[UUID, set[str]]:
    ocids: dict[UUID, set[str]] = defaultdict(set)
    if tenders:
        for tender_id, value in queries("storage").ocids_of(connection, ids=[str(id_) for id_ in tenders]):
            ocids[UUID(tender_id)].add(value)
    return ocids


def _owners(connection: Connection, keys: Iterable[Key]) -> dict[Key, UUID]:
    by_pair = {(key.kind, key.value): key for key in keys}
    wanted = as_json({"kind": kind, "value": value} for kind, value in by_pair)
    found = queries("storage").key_owners(connection, rows=wanted)
    return {by_pair[kind, value]: UUID(tender) for kind, value, tender in found}


def _write(connection: Connection, work: list[Row]) -> None:
    sql = queries("storage")
    ids = sorted({str(row.tender_id) for row in work})
    hashes = {UUID(id_): hash_ for id_, hash_ in sql.lock_tenders(connection, ids=ids)}
    views = _views(connection, work, list(hashes))
    records = {tender_id: canonical(merge(list(view.values()))) for tender_id, view in views.items()}
    files = {tender_id: attachments(list(view.values())) for tender_id, view in views.items()}
    ready = _ready(connection, files, list(hashes))
    fresh = {tender_id: tender_hash(record, ready[tender_id]) for tender_id, record in records.items()}
    sql.put_tenders(
        connection,
        rows=joined(f'{text[:-1]},"content_hash":"{fresh[id_]}","id":"{id_}"}}' for id_, text in records.items()),
    )
    _write_sources(connection, work)
    _write_files(connection, files, existing=bool(hashes))
    speaker = {row.tender_id: row.identity[0] for row in work}
    events = [
        event(tender_id, content_hash, speaker[tender_id])
        for tender_id, content_hash in fresh.items()
        if hashes.get(tender_id) != content_hash
    ]
    if events:
        sql.put_outbox(connection, rows=as_json(events))


def _views(connection: Connection, work: list[Row], existing: list[UUID]) -> dict[UUID, dict[Identity, Snapshot]]:
    """Of every tender that the batch touches the current edition of each of its notices."""
    views: dict[UUID, dict[Identity, Snapshot]] = defaultdict(dict)
    if existing:
        found = queries("storage").snapshots_of(connection, ids=[str(id_) for id_ in existing])
        for tender_id, code, notice_id, snapshot in found:
            views[UUID(tender_id)][code, notice_id] = snapshot
    for row in work:
        views[row.tender_id][row.identity] = row.snapshot
    return views


def _ready(
    connection: Connection, files: dict[UUID, dict[str, Snapshot]], existing: list[UUID]
) -> dict[UUID, list[tuple[str, str]]]:
    """The files on disk that the current editions still name."""
    ready: dict[UUID, list[tuple[str, str]]] = defaultdict(list)
    if existing:
        for id_, url, sha256 in queries("storage").ready_files(connection, ids=[str(id_) for id_ in existing]):
            if url in files[UUID(id_)]:
                ready[UUID(id_)].append((url, sha256))
    return ready


def _write_sources(connection: Connection, work: list[Row]) -> None:
    sql = queries("storage")
    failpoint("notice_insert.before")
    back = sql.put_sources(connection, rows=joined(row.as_source() for row in work))
    failpoint("notice_insert.after")
    ids = {(code, notice): id_ for id_, code, notice in back}
    decided = [row for row in work if row.id is None or row.decision.verdict == "review"]
    for row in work:
        if row.identity not in ids:
            raise KeyTakenError(f"notice {row.identity} was stored by another process")
        row.id = ids[row.identity]
    _write_keys(connection, work)
    earlier = [older.as_version(row.id) for row in work for older in row.earlier]
    if earlier:
        sql.put_versions(connection, rows=joined(earlier))
    sql.put_current_versions(connection, ids=[row.id for row in work])
    if decided:
        sql.put_decisions(connection, rows=as_json(row.as_decision() for row in decided))


def _write_keys(connection: Connection, work: list[Row]) -> None:
    """Insert the batch's keys; one that a third tender took meanwhile means that the decisions are out of date."""
    first = {key: row for row in reversed(work) for key in row.notice.keys}
    rows = [
        {"kind": key.kind, "value": key.value, "tender_id": str(row.tender_id), "tender_source_id": row.id}
        for key, row in first.items()
    ]
    written = {(kind, value) for kind, value in queries("storage").put_keys(connection, rows=as_json(rows))}
    for key, owner in _owners(connection, [key for key in first if (key.kind, key.value) not in written]).items():
        decision = first[key].decision
        if owner not in (first[key].tender_id, decision.candidate):
            raise KeyTakenError(f"key {key.kind} of notice {first[key].identity} was taken by another process")


def _write_files(connection: Connection, files: dict[UUID, dict[str, Snapshot]], *, existing: bool) -> None:
    names = ("source_code", "filename", "description", "media_type")
    rows = [
        {"tender_id": str(tender_id), "source_url": url, **{name: part.get(name) for name in names}}
        for tender_id, parts in files.items()
        for url, part in parts.items()
    ]
    sql = queries("storage")
    if rows:
        sql.put_attachments(connection, rows=as_json(rows))
    if existing:
        sql.skip_attachments(connection, ids=[str(id_) for id_ in files], rows=as_json(rows))
