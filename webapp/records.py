"""Rows as the API writes them: instants as ISO 8601 in UTC, amounts as numbers, nothing left out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from uuid import UUID

from webapp.formatting import local_deadline, now, remaining_days

if TYPE_CHECKING:
    from collections.abc import Callable

    from webapp.search.passages import Passage
    from webapp.tenders import Detail, Tender
    from webapp.versions import Change

#: Columns of ``tender`` that are written as they are, in this order.
_FACTS = (
    "title",
    "title_lang",
    "description",
    "buyer_name",
    "buyers",
    "country",
    "nuts",
    "cpv",
    "notice_type",
    "procedure_type",
    "reference",
    "value_amount",
    "value_min_amount",
    "value_currency",
    "value_is_gross",
    "published_at",
    "deadline_at",
    "deadline_is_date",
    "deadline_zone",
    "deadline_kind",
    "status",
    "state",
    "ocid",
    "created_at",
    "updated_at",
)


def plain(value: Any) -> Any:
    """``value`` in JSON's types; an amount without cents becomes a whole number."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    for kind, written in _WRITTEN.items():
        if isinstance(value, kind):
            return written(value)
    return value


_WRITTEN: dict[type, Callable[[Any], Any]] = {
    datetime: lambda at: at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    Decimal: lambda amount: int(amount) if amount == amount.to_integral_value() else float(amount),
    timedelta: lambda duration: int(duration.total_seconds()),
    UUID: str,
}


def tender(found: Tender) -> dict[str, Any]:
    """A tender as search and lists show it. ``status`` is the source's word, ``state`` knows the deadline."""
    facts = {name: plain(found.row[name]) for name in _FACTS}
    return {
        "id": found.id,
        **facts,
        "deadline_local": local_deadline(found),
        "days_left": remaining_days(found, now()),
        "documents": found.files,
        "sources": [
            plain({name: source[name] for name in ("source_code", "notice_id", "url", "ocid")})
            for source in found.sources
        ],
    }


def detail(found: Detail) -> dict[str, Any]:
    """Everything about one tender."""
    sources = [{name: plain(v) for name, v in s.items() if name != "tender_id"} for s in found.tender.sources]
    return {
        **tender(found.tender),
        "lots": plain(found.tender.lots),
        "links": plain(found.tender.links),
        "conflicts": plain(found.tender.conflicts),
        "index_status": found.tender.index_status,
        "sources": sources,
        "attachments": [plain(attachment) for attachment in found.attachments],
        "versions": [_change(change) for change in found.changes],
    }


def passage(found: Passage) -> dict[str, Any]:
    """A passage; ``html`` is escaped text with ``<mark>`` around the words that matched."""
    return {
        "chunk_id": found.chunk_id,
        "text": found.text,
        "html": str(found.html),
        "attachment_id": found.attachment_id,
        "filename": found.filename,
        "page": found.page,
        "section": found.section,
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "source_code": change.source_code,
        "notice_id": change.notice_id,
        "seen_at": plain(change.seen_at),
        "revised_at": plain(change.revised_at),
        "first": change.first,
        "changed": [{"field": f.field, "old": plain(f.old), "new": plain(f.new)} for f in change.fields],
    }
