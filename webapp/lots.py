"""What the lots of a tender say beyond the tender itself."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from webapp import formatting


@dataclass(frozen=True, slots=True)
class ToldLot:
    """A lot with something to say; empty texts are left out."""

    id: str
    title: str
    description: str
    facts: list[str]


def told_lots(tender: Any) -> list[ToldLot]:
    """The lots that have more than an id; of a single lot only what the tender does not say already."""
    single = len(tender.lots) == 1
    lots = [_told(lot, tender, single=single) for lot in tender.lots]
    return [lot for lot in lots if lot.title or lot.description or lot.facts]


def _told(lot: dict[str, Any], tender: Any, *, single: bool) -> ToldLot:
    known = {_bare(tender.title), _bare(tender.description)} if single else set()
    title, description = lot.get("title") or "", lot.get("description") or ""
    if _bare(description) in known | {_bare(title)}:
        description = ""
    if _bare(title) in known:
        title = ""
    return ToldLot(str(lot.get("id") or ""), title, description, _facts(lot, tender, single=single))


def _bare(text: str | None) -> str:
    return " ".join((text or "").split()).casefold()


def _facts(lot: dict[str, Any], tender: Any, *, single: bool) -> list[str]:
    """Value, deadline, CPV and place, as far as the notice says; the deadline in the tender's zone."""
    found = []
    if lot.get("value_amount") is not None:
        amount = Decimal(str(lot["value_amount"]))
        if not (single and amount == tender.value_amount):
            found.append(formatting.money(amount, lot.get("value_currency")))
    at = formatting.instant_of(lot.get("deadline_at"))
    if at is not None and at != tender.deadline_at:
        found.append(f"deadline {formatting.deadline({'deadline_at': at, 'deadline_zone': tender.deadline_zone})}")
    for name, label in (("cpv", "CPV "), ("nuts", "")):
        codes = [code for code in lot.get(name) or () if not (single and code in (tender.row[name] or ()))]
        if codes:
            found.append(label + ", ".join(codes[:5]))
    return found
