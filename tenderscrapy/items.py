"""What a spider may yield: a notice and its parts, and the page that it came on.

Instants are timezone-aware UTC datetimes, amounts are Decimals, countries are ISO 3166-1 alpha-2 (unknown codes
stay as written), languages are ISO 639-1 lower case, CPV codes are strings of eight digits without check digit.
A field that the source left out is None or empty; a field that is there and cannot be read leaves a Flag.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Self, cast

from tenderscrapy.normalise.privacy import without_contacts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sized


@dataclass(slots=True)
class Flag:
    """Something on the notice that could not be taken as it stands.

    ``code`` is a short stable word (``value_zero``), ``field`` a name of Notice, ``detail`` the offending text, cut.
    """

    code: str
    field: str = ""
    detail: str = ""


@dataclass(slots=True, frozen=True, order=True)
class Key:
    """A strong identity of the procedure: ``kind`` is one of tenderscrapy.identity.keys.KINDS."""

    kind: str
    value: str


@dataclass(slots=True)
class Buyer:
    """A contracting authority. ``identifier`` is its official number as published, scheme included where known."""

    name: str
    identifier: str | None = None
    country: str | None = None
    city: str | None = None


@dataclass(slots=True)
class Lot:
    """A part of the procedure that can be bid for alone. ``id`` as published (``LOT-0001``)."""

    id: str
    title: str | None = None
    description: str | None = None
    cpv: list[str] = field(default_factory=list)
    nuts: list[str] = field(default_factory=list)
    value_amount: Decimal | None = None
    value_currency: str | None = None
    deadline_at: datetime | None = None


@dataclass(slots=True)
class Attachment:
    """A file that may be downloaded. ``filename`` only when the source names it; else the answer's headers do."""

    url: str
    filename: str | None = None
    media_type: str | None = None
    description: str | None = None


@dataclass(slots=True)
class Link:
    """A page to read, never a download. ``rel``: ``notice``, ``documents``, ``submission``, ``other``."""

    url: str
    rel: str = "other"


@dataclass(slots=True)
class Notice:
    """One publication about one procurement procedure, as one source shows it.

    ``deadline_kind``: ``tender``, ``participation`` or ``expression``. ``deadline_zone``: IANA name or the written
    offset (``+02:00``). ``status``: ``planned``, ``open``, ``awarded``, ``cancelled``. ``notice_type`` and
    ``procedure_type``: the source's own code. ``revised_at``: instant of this edition, orders editions of one notice.
    ``changes_notice``: what this notice corrects, as written. ``links`` are all further pages.
    """

    source_code: str
    notice_id: str
    url: str | None = None
    title: str | None = None
    title_lang: str | None = None
    description: str | None = None
    buyer_name: str | None = None
    buyers: list[Buyer] = field(default_factory=list)
    country: str | None = None
    performance_countries: list[str] = field(default_factory=list)
    nuts: list[str] = field(default_factory=list)
    cpv: list[str] = field(default_factory=list)
    notice_type: str | None = None
    procedure_type: str | None = None
    value_amount: Decimal | None = None
    value_min_amount: Decimal | None = None
    value_currency: str | None = None
    value_is_gross: bool | None = None
    published_at: datetime | None = None
    revised_at: datetime | None = None
    deadline_at: datetime | None = None
    deadline_is_date: bool = False
    deadline_zone: str | None = None
    deadline_kind: str | None = None
    status: str | None = None
    ocid: str | None = None
    notice_uuid: str | None = None
    notice_version: str | None = None
    procedure_id: str | None = None
    reference: str | None = None
    changes_notice: str | None = None
    change_reason: str | None = None
    lots: list[Lot] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    content_hash: str | None = None
    walk_page: int | None = None

    def flag(self, code: str, field: str = "", detail: object = "") -> Self:
        """Note that something could not be taken as it stands; ``detail``: 200 characters at most, without contacts."""
        self.flags.append(Flag(code, field, without_contacts(str(detail)[:200])))
        return self


@dataclass(slots=True)
class SourcePage:
    """One answered page of a walk. ``next_cursor`` is any JSON value, None after the last page.

    ``announced`` is the source's own total, where it tells one. ``rejected`` counts the documents of the page that
    could not be read at all. ``partial`` marks an answer that the source itself calls incomplete: it is asked for
    again. ``shortfall`` says why a chain that ends here cannot be trusted to be whole. ``goes_on``: the page is one of
    several lists, so that it does not end the walk when it is empty.

    A ``streamed`` page is read while its notices are handed on: ``notices`` is an iterator that counts ``rejected`` as
    it goes, and an empty page does not end the walk. When it ends with a ``gap`` (why a
    part of the page could not be read), the cursor stays before this page for good, the walk goes on with ``instead``,
    the cursor of the same documents in another form, or with ``next_cursor``. ``mark`` is remembered in the stored
    cursor once every notice of the page is committed; ``watermark`` (ISO 8601) replaces the newest edition's date.
    """

    notices: Iterable[Notice]
    next_cursor: Any = None
    announced: int | None = None
    rejected: int = 0
    partial: bool = False
    shortfall: str = ""
    goes_on: bool = False
    streamed: bool = False
    gap: str = ""
    instead: Any = None
    mark: dict[str, str] | None = None
    watermark: str | None = None

    @property
    def count(self) -> int:
        """How many documents the source put on a page that is not streamed."""
        return len(cast("Sized", self.notices)) + self.rejected


#: Bookkeeping of one run; never part of a snapshot.
NOT_IN_SNAPSHOT = frozenset({"walk_page", "content_hash"})


_PLAIN = frozenset({str, int, float, bool, type(None)})


@cache
def _snapshot_names(kind: Any) -> tuple[str, ...]:
    names = (f.name for f in fields(kind)) if is_dataclass(kind) else ()
    return tuple(name for name in names if name not in NOT_IN_SNAPSHOT)


def to_json(value: Any) -> Any:
    """The JSON form of a notice or a part: datetimes as ISO 8601 UTC, Decimals as strings, empty fields left out."""
    kind: Any = type(value)
    if kind in _PLAIN:
        return value
    if names := _snapshot_names(kind):
        pairs = ((name, getattr(value, name)) for name in names)
        return {name: to_json(part) for name, part in pairs if part or (part is not None and part not in ("", [], {}))}
    if isinstance(value, dict):
        return {name: to_json(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    return _written(value)


def _written(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return value


_INSTANTS = {"published_at", "revised_at", "deadline_at"}
_AMOUNTS = {"value_amount", "value_min_amount"}
_PARTS: dict[str, type] = {
    "buyers": Buyer,
    "lots": Lot,
    "attachments": Attachment,
    "links": Link,
    "keys": Key,
    "flags": Flag,
}


def from_json(snapshot: dict[str, Any], kind: type = Notice) -> Any:
    """The notice (or part) whose ``to_json`` is ``snapshot``; unknown names are ignored."""
    known = {f.name for f in fields(kind)}
    values: dict[str, Any] = {}
    for name, value in snapshot.items():
        if name not in known:
            continue
        if name in _INSTANTS and value is not None:
            values[name] = datetime.fromisoformat(value)
        elif name in _AMOUNTS and value is not None:
            values[name] = Decimal(value)
        elif name in _PARTS and kind is Notice:
            values[name] = [from_json(part, _PARTS[name]) for part in value]
        else:
            values[name] = value
    return kind(**values)
