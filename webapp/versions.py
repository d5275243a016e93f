"""What changed between the editions of a notice, and from one notice of a source to the next."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

#: What a reader is told of; identifiers, keys and flags of the crawl are not.
SHOWN = {
    "title": "Title",
    "description": "Description",
    "buyer_name": "Buyer",
    "country": "Country",
    "nuts": "Regions",
    "cpv": "CPV",
    "notice_type": "Notice type",
    "procedure_type": "Procedure",
    "reference": "Reference",
    "value_amount": "Value",
    "value_min_amount": "Least value",
    "value_currency": "Currency",
    "deadline_at": "Deadline",
    "status": "Status",
    "change_reason": "Reason of the change",
    "lots": "Lots",
    "attachments": "Documents",
    "links": "Links",
}


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field before and after; of a list what went and what came."""

    field: str
    label: str
    old: Any
    new: Any


@dataclass(frozen=True, slots=True)
class Change:
    """An edition of a source's notice, made public at ``at``.

    The first edition of a notice is compared with the notice ``follows``, the one of the same source before it; without
    such a notice it has no ``fields``: nothing was before it.
    """

    source_code: str
    notice_id: str
    seen_at: datetime
    revised_at: datetime | None
    first: bool
    fields: list[FieldChange]
    at: datetime
    follows: str | None = None


def changes(versions: Iterable[dict[str, Any]]) -> list[Change]:
    """The history of all notices, newest first; ``versions`` come by notice and oldest first."""
    dated = _dated(versions)
    found: list[Change] = []
    for place, (at, version) in enumerate(dated):
        first = place == 0 or dated[place - 1][1]["tender_source_id"] != version["tender_source_id"]
        before = _notice_before(dated, at, version) if first else dated[place - 1][1]
        found.append(
            Change(
                version["source_code"],
                version["notice_id"],
                version["seen_at"],
                version["revised_at"],
                first,
                _fields(before["snapshot"], version["snapshot"], whole=not first) if before else [],
                at,
                before["notice_id"] if before and first else None,
            )
        )
    found.reverse()  # of equal instants the later edition comes first
    return sorted(found, key=lambda change: (change.at, change.seen_at, change.notice_id), reverse=True)


def _dated(versions: Iterable[dict[str, Any]]) -> list[tuple[datetime, dict[str, Any]]]:
    """Each edition with the instant it was made public; never before the edition it comes after."""
    dated: list[tuple[datetime, dict[str, Any]]] = []
    for version in versions:
        published = version["snapshot"].get("published_at")
        at = version["revised_at"] or (datetime.fromisoformat(published) if published else version["seen_at"])
        if dated and dated[-1][1]["tender_source_id"] == version["tender_source_id"]:
            at = max(at, dated[-1][0])
        dated.append((at, version))
    return dated


def _notice_before(
    dated: list[tuple[datetime, dict[str, Any]]], at: datetime, version: dict[str, Any]
) -> dict[str, Any] | None:
    """The last edition of the notice that ``version`` corrects, else of the one its source published before it."""
    others = [
        (then, other)
        for then, other in dated
        if other["source_code"] == version["source_code"] and other["tender_source_id"] != version["tender_source_id"]
    ]
    corrected = (version["snapshot"].get("changes_notice") or "").lstrip("0")
    named = [(then, o) for then, o in others if corrected and corrected in (o["notice_id"], _uuid_version(o))]
    earlier = [(then, o) for then, o in others if then < at]
    return max(named or earlier, key=lambda other: other[0], default=(at, None))[1]


def _uuid_version(version: dict[str, Any]) -> str:
    snapshot = version["snapshot"]
    return f"{snapshot.get('notice_uuid')}-{snapshot.get('notice_version')}"


def _fields(old: dict[str, Any], new: dict[str, Any], *, whole: bool) -> list[FieldChange]:
    """What differs; unless ``new`` is ``whole``, what it does not state is not gone: an award repeats no deadline."""
    found = []
    for name, label in SHOWN.items():
        before, after = old.get(name), new.get(name)
        if before == after or (not whole and not after):
            continue
        if isinstance(before or after, list):
            gone, come = _difference(before or [], after or [])
            if gone or come:
                found.append(FieldChange(name, label, gone, come))
        elif name == "deadline_at":
            found.append(FieldChange(name, label, _deadline(old), _deadline(new)))
        else:
            found.append(FieldChange(name, label, before, after))
    return found


def _deadline(snapshot: dict[str, Any]) -> dict[str, Any] | None:
    if not snapshot.get("deadline_at"):
        return None
    return {name: snapshot.get(name) for name in ("deadline_at", "deadline_is_date", "deadline_zone")}


def _difference(before: list[Any], after: list[Any]) -> tuple[list[str], list[str]]:
    old, new = {_identity(part): part for part in before}, {_identity(part): part for part in after}
    gone = [_named(part) for identity, part in old.items() if identity not in new]
    come = [_named(part) for identity, part in new.items() if identity not in old]
    kept = ((identity, old[identity], part) for identity, part in new.items() if identity in old)
    changed = [f"{identity} changed: {_names_changed(was, now)}" for identity, was, now in kept if was != now]
    return gone, come + changed


def _identity(part: Any) -> str:
    """What makes a part the same part in two editions: a lot's id, a file's or page's address."""
    if not isinstance(part, dict):
        return str(part)
    return str(part.get("id") or part.get("url") or part)


def _named(part: Any) -> str:
    if not isinstance(part, dict):
        return str(part)
    name = part.get("filename") or part.get("title") or part.get("url") or ""
    return f"{part['id']}: {name}" if part.get("id") else str(name)


def _names_changed(was: dict[str, Any], now: dict[str, Any]) -> str:
    return ", ".join(name.replace("_", " ") for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name))
