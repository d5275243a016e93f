"""One batch of notices on its way into the tables: a row a notice, and the JSON that each table takes of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tenderscrapy.identity import matching
from tenderscrapy.identity.merging import canonical, edition, text_digest
from tenderscrapy.items import to_json
from tenderscrapy.normalise.privacy import without_contacts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID

    from tenderscrapy.items import Notice

Identity = tuple[str, str]
Snapshot = dict[str, Any]


@dataclass(slots=True)
class Row:
    """One notice of the batch in its newest edition; ``earlier`` are the batch's older editions of it.

    ``text`` is the snapshot's canonical JSON, made once for the hash and for the tables.
    """

    identity: Identity
    notice: Notice
    snapshot: Snapshot
    text: str
    content_hash: str
    tender_id: UUID
    earlier: list[Row] = field(default_factory=list)
    id: int | None = None
    decision: matching.Decision = field(default_factory=lambda: matching.Decision("new"))

    def as_source(self) -> str:
        """The row of ``tender_source``, as JSON."""
        code, notice_id = self.identity
        columns = {
            "tender_id": str(self.tender_id),
            "source_code": code,
            "notice_id": notice_id,
            "url": self.notice.url,
            "ocid": self.notice.ocid,
            "content_hash": self.content_hash,
            "revised_at": revised(self.snapshot),
        }
        return with_member(columns, "snapshot", self.text)

    def as_version(self, source_id: int | None) -> str:
        """The row of ``notice_version`` below the source row ``source_id``, as JSON."""
        columns = {
            "tender_source_id": source_id,
            "content_hash": self.content_hash,
            "revised_at": revised(self.snapshot),
        }
        return with_member(columns, "snapshot", self.text)

    def as_decision(self) -> Snapshot:
        """The row of ``match_decision``."""
        return {
            "tender_source_id": self.id,
            "candidate_tender_id": str(self.decision.candidate or self.decision.tender_id or "") or None,
            "class": self.decision.verdict,
            "key_kind": self.decision.key_kind,
            "algorithm_version": matching.ALGORITHM,
        }


def rows_of(notices: Iterable[Notice]) -> dict[Identity, Row]:
    """The notices by identity; of several editions of one notice the newest leads, a tie goes to the later."""
    rows: dict[Identity, Row] = {}
    for notice in notices:
        snapshot = to_json(notice)
        text = canonical(snapshot)
        if "@" in text:
            # The mappers mask what is text; an address may also stand where a code or a page was to be.
            snapshot = without_contacts(snapshot)
            text = canonical(snapshot)
        row = Row((notice.source_code, notice.notice_id), notice, snapshot, text, text_digest(text), uuid4())
        other = rows.get(row.identity)
        if other is not None:
            newer, older = (row, other) if edition(snapshot) >= edition(other.snapshot) else (other, row)
            newer.earlier = [*older.earlier, older, *newer.earlier]
            older.earlier = []
            row = newer
        rows[row.identity] = row
    return rows


def revised(snapshot: Snapshot) -> str | None:
    """When this edition was made, as written in the snapshot."""
    return snapshot.get("revised_at") or snapshot.get("published_at")


def as_json(rows: Iterable[Any]) -> str:
    """The rows as the one JSON parameter of a statement."""
    return json.dumps(list(rows), ensure_ascii=False)


def joined(rows: Iterable[str]) -> str:
    """``as_json`` of rows that are JSON already."""
    return f"[{','.join(rows)}]"


def with_member(row: Snapshot, name: str, text: str) -> str:
    """The JSON of ``row`` and one more member, whose value is JSON already."""
    return f'{json.dumps(row, ensure_ascii=False)[:-1]},"{name}":{text}}}'
