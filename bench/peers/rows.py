"""The rows of a notice that no other notice is joined to, as storage writes them; computed without a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from tenderscrapy.database.changes import event
from tenderscrapy.identity import matching
from tenderscrapy.identity.merging import attachments, canonical, digest, merge, tender_hash
from tenderscrapy.items import to_json

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

TENDER = (
    *("id", "title", "title_lang", "description", "buyer_name", "buyers", "country", "nuts", "cpv", "notice_type"),
    *("procedure_type", "reference", "value_amount", "value_min_amount", "value_currency", "value_is_gross"),
    *("published_at", "deadline_at", "deadline_is_date", "deadline_zone", "deadline_kind", "status", "ocid", "lots"),
    *("links", "conflicts", "content_hash"),
)
SOURCE = ("tender_id", "source_code", "notice_id", "url", "ocid", "content_hash", "snapshot", "revised_at")
KEY = ("kind", "value", "tender_id", "tender_source_id")
VERSION = ("tender_source_id", "content_hash", "snapshot", "revised_at")
DECISION = ("tender_source_id", "candidate_tender_id", "class", "key_kind", "algorithm_version")
ATTACHMENT = ("tender_id", "source_code", "source_url", "filename", "description", "media_type")
OUTBOX = ("topic", "key", "payload")
TABLES = ("tender", "tender_source", "tender_key", "notice_version", "match_decision", "attachment", "outbox")


@dataclass
class Rows:
    """One notice's rows as dictionaries by column; ``tender_source_id`` is known after the source row is written."""

    notice: Notice
    tender: dict[str, Any]
    source: dict[str, Any]
    attachments: list[dict[str, Any]]
    event: dict[str, Any]
    first: bool = True

    def keys(self, source_id: int) -> list[dict[str, Any]]:
        owner = {"tender_id": self.tender["id"], "tender_source_id": source_id}
        return [{"kind": key.kind, "value": key.value, **owner} for key in self.notice.keys]

    def version(self, source_id: int) -> dict[str, Any]:
        return {"tender_source_id": source_id, **{name: self.source[name] for name in VERSION[1:]}}

    def decision(self, source_id: int) -> dict[str, Any]:
        return dict.fromkeys(DECISION) | {
            "tender_source_id": source_id,
            "class": "new",
            "algorithm_version": matching.ALGORITHM,
        }


def rows_of(notice: Notice, tender_id: str | None = None) -> Rows:
    """Snapshot, hashes, merged record and event of ``notice``, whose keys are there."""
    snapshot = to_json(notice)
    tender_id = tender_id or str(uuid4())
    record = merge([snapshot])
    record["content_hash"] = tender_hash(canonical(record), [])
    record["id"] = tender_id
    source = {
        "tender_id": tender_id,
        "source_code": notice.source_code,
        "notice_id": notice.notice_id,
        "url": notice.url,
        "ocid": notice.ocid,
        "content_hash": digest(snapshot),
        "snapshot": snapshot,
        "revised_at": snapshot.get("revised_at") or snapshot.get("published_at"),
    }
    files = [
        dict.fromkeys(ATTACHMENT) | {"tender_id": tender_id, "source_url": url, **_known(part)}
        for url, part in attachments([snapshot]).items()
    ]
    return Rows(notice, record, source, files, event(tender_id, record["content_hash"], notice.source_code))


def _known(part: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name in ATTACHMENT}
