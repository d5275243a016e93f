"""One record for one tender, out of the notices that show it.

Pure: snapshots (``items.to_json`` of a Notice) in, one JSON record with the columns of ``tender`` out. Storage and the
attachment drain both come here, so that a record never depends on which of them wrote it.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Snapshot = dict[str, Any]

#: Fields taken from the newest notice that has them.
_SCALARS = (
    "buyer_name",
    "country",
    "notice_type",
    "procedure_type",
    "reference",
    "published_at",
    "status",
    "ocid",
)
_LISTS = ("buyers", "nuts", "cpv", "lots")
_VALUE = ("value_amount", "value_min_amount", "value_currency", "value_is_gross")
_DEADLINE = ("deadline_at", "deadline_is_date", "deadline_zone", "deadline_kind")
#: Fields in which two sources may contradict each other, and readers should see it.
_CONFLICTS = ("deadline_at", "value_amount", "cpv")


def canonical(value: Any) -> str:
    """The one JSON text of a value: sorted names, no spaces, no escapes but those JSON needs."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON text, in hexadecimal."""
    return text_digest(canonical(value))


def text_digest(text: str) -> str:
    """``digest`` of the value whose canonical JSON is ``text``."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def tender_hash(record: str, ready_files: Iterable[tuple[str, str]]) -> str:
    """The content hash of a tender: its merged record and the (source_url, sha256) of its ready attachments.

    ``record`` is canonical JSON already: whoever stores a record needs the text as well.
    """
    return text_digest(f"[{record},{canonical(sorted(ready_files))}]")


def edition(snapshot: Snapshot) -> datetime:
    """When this edition was made; the order of editions of one notice, and of notices of one tender."""
    text = snapshot.get("revised_at") or snapshot.get("published_at")
    return datetime.fromisoformat(text) if text else datetime.min.replace(tzinfo=UTC)


def merge(snapshots: Sequence[Snapshot]) -> Snapshot:
    """The record of the tender that all these notices show.

    The newest notice that has a field gives it; value and deadline go together with their companions. Each source
    speaks through its newest notice: where two sources differ in the deadline the earlier one is taken, and the
    difference is kept in ``conflicts``.
    """
    if len(snapshots) == 1:
        return _single(snapshots[0])
    newest_first = sorted(snapshots, key=lambda s: (edition(s), s["source_code"], s["notice_id"]), reverse=True)
    record = _empty()
    titled = next((s for s in newest_first if s.get("title")), newest_first[0])
    record["title"], record["title_lang"] = titled.get("title"), titled.get("title_lang")
    described = next((s for s in newest_first if s.get("description")), {})
    record["description"] = described.get("description")
    for name in _SCALARS + _LISTS:
        record[name] = next((s[name] for s in newest_first if s.get(name)), record[name])
    _take(record, next((s for s in newest_first if s.get("value_amount") or s.get("value_min_amount")), {}), _VALUE)
    voices = _voices(newest_first)
    dated = sorted(
        (s for s in voices.values() if s.get("deadline_at")), key=lambda s: datetime.fromisoformat(s["deadline_at"])
    )
    _take(record, dated[0] if dated else {}, _DEADLINE)
    record["links"] = _links(newest_first)
    record["conflicts"] = _conflicts(voices)
    return record


def attachments(snapshots: Sequence[Snapshot]) -> dict[str, Snapshot]:
    """The files of the tender by address: those of the current edition of each notice, newest notice first."""
    files: dict[str, Snapshot] = {}
    for snapshot in sorted(snapshots, key=edition, reverse=True) if len(snapshots) > 1 else snapshots:
        for part in snapshot.get("attachments", ()):
            files.setdefault(part["url"], part | {"source_code": snapshot["source_code"]})
    return files


def _empty() -> Snapshot:
    record: Snapshot = dict.fromkeys(("title", "title_lang", "description", *_SCALARS, *_VALUE, *_DEADLINE))
    record |= {name: [] for name in _LISTS}
    return record | {"deadline_is_date": False, "links": [], "conflicts": {}}


def _single(snapshot: Snapshot) -> Snapshot:
    record = _empty()
    for name in ("title", "title_lang", "description", *_SCALARS, *_LISTS, *_VALUE, *_DEADLINE):
        if name in snapshot:
            record[name] = snapshot[name]
    record["links"] = _links([snapshot])
    return record


def _take(record: Snapshot, source: Snapshot, names: tuple[str, ...]) -> None:
    for name in names:
        record[name] = source.get(name, False if name == "deadline_is_date" else None)


def _voices(newest_first: Sequence[Snapshot]) -> dict[str, Snapshot]:
    """For each source its newest notice, completed with the deadline and value of its older ones."""
    voices: dict[str, Snapshot] = {}
    for snapshot in newest_first:
        voice = voices.setdefault(snapshot["source_code"], dict(snapshot))
        for group in (_DEADLINE, _VALUE, ("cpv",)):
            if not voice.get(group[0]) and snapshot.get(group[0]):
                voice.update({name: snapshot[name] for name in group if name in snapshot})
    return voices


def _links(newest_first: Sequence[Snapshot]) -> list[Snapshot]:
    links = {link["url"]: link for snapshot in reversed(newest_first) for link in snapshot.get("links", ())}
    return sorted(links.values(), key=lambda link: (link.get("rel", ""), link["url"]))


def _conflicts(voices: dict[str, Snapshot]) -> Snapshot:
    found: Snapshot = {}
    for name in _CONFLICTS:
        said = {code: voice[name] for code, voice in sorted(voices.items()) if voice.get(name)}
        if len({canonical(sorted(v) if isinstance(v, list) else v) for v in said.values()}) > 1:
            found[name] = said
    return found
