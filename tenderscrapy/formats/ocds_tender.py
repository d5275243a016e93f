"""What an OCDS release says of the procurement itself: value, deadline, codes, places and lots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tenderscrapy.formats.ocds_parties import country_of
from tenderscrapy.items import Lot
from tenderscrapy.normalise.cpv import cpv_code, cpv_codes
from tenderscrapy.normalise.dates import Deadline, deadline
from tenderscrapy.normalise.money import amount, currency
from tenderscrapy.normalise.places import is_nuts
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_text, clean_title

if TYPE_CHECKING:
    from decimal import Decimal

    from tenderscrapy.formats.reading import Json, Reader


@dataclass(frozen=True, slots=True)
class Money:
    """``gross`` True: the source gives the amount with tax only; False: it gives both; None: it does not say."""

    amount: Decimal | None = None
    currency: str | None = None
    gross: bool | None = None


def read_money(owner: Json, name: str, field: str, reader: Reader) -> Money:
    """The value object ``owner[name]``. Zero stands for unknown; a missing currency is not guessed."""
    value = owner.get(name)
    if value is None or value == {}:
        return Money()
    if not isinstance(value, dict):
        reader.flag("value_unreadable", field, value)
        return Money()
    net, gross = (_number(value.get(key), field, reader) for key in ("amount", "amountGross"))
    code = currency(value.get("currency"))
    if net is None and gross is None:
        return Money(currency=code)
    if code is None:
        reader.flag("currency_missing", field, value.get("currency") or "")
    if net is None:
        reader.flag("gross", field)
        return Money(gross, code, gross=True)
    return Money(net, code, gross=False if gross is not None else None)


def _number(value: object, field: str, reader: Reader) -> Decimal | None:
    try:
        number = amount(value)
    except ValueError:
        reader.flag("value_unreadable", field, value)
        return None
    if number is not None and number <= 0:
        reader.flag("value_negative" if number < 0 else "value_zero", field, number)
        return None
    return number


def read_value(tender: Json, lots: list[Lot], reader: Reader) -> None:
    """Fill the notice's value; minValue stays a lower bound. The value of an only lot is the tender's."""
    notice = reader.notice
    value = read_money(tender, "value", "value_amount", reader)
    lowest = read_money(tender, "minValue", "value_min_amount", reader)
    if value.amount is None and lowest.amount is None and len(lots) == 1:
        value = Money(lots[0].value_amount, lots[0].value_currency)
    if value.amount is not None and lowest.amount is not None and value.currency != lowest.currency:
        reader.flag("currency_conflict", "value_min_amount", f"{value.currency} {lowest.currency}")
        lowest = Money()
    notice.value_amount, notice.value_is_gross = value.amount, value.gross
    notice.value_min_amount = lowest.amount
    if value.amount is not None or lowest.amount is not None:
        notice.value_currency = value.currency if value.amount is not None else lowest.currency


def read_deadline(owner: Json, zone: str | None, field: str, reader: Reader) -> Deadline | None:
    """The end of ``owner.tenderPeriod``; text without offset is local to ``zone``."""
    written = reader.text(reader.part(owner, "tenderPeriod"), "endDate", field)
    if not written or not written.strip():
        return None
    try:
        return deadline(written, zone=zone)
    except ValueError:
        reader.flag("deadline_unreadable", field, written)
        return None


def read_codes(tender: Json, more_items: list[Json], reader: Reader) -> None:
    """Fill the notice's cpv, nuts, performance_countries and extra["delivery_regions"] (places without NUTS code)."""
    notice = reader.notice
    items = [*reader.parts(tender, "items"), *more_items]
    notice.cpv = _cpv([tender, *items], reader)
    regions: dict[str, None] = {}
    for address in _delivery_addresses(items, reader):
        country = country_of(address)
        if country and country not in notice.performance_countries:
            notice.performance_countries.append(country)
        region = address.get("region") or (None if country else address.get("countryName"))
        text = clean_title(region) if isinstance(region, str) else None
        if text and is_nuts(text):
            if text.upper() not in notice.nuts:
                notice.nuts.append(text.upper())
        elif text:
            regions[text] = None
    if regions:
        notice.extra["delivery_regions"] = list(regions)


def read_lots(tender: Json, zone: str | None, reader: Reader) -> list[tuple[Lot, Deadline | None]]:
    """The lots with their deadlines, in the order published; a lot without id is numbered by its place."""
    items = reader.parts(tender, "items")
    found: list[tuple[Lot, Deadline | None]] = []
    for number, lot in enumerate(reader.parts(tender, "lots"), start=1):
        lot_id = reader.identifier(lot, "id") or str(number)
        value = read_money(lot, "value", "lots", reader)
        ends = read_deadline(lot, zone, "lots", reader)
        own = [item for item in items if _relates(item, lot_id)]
        nuts = [str(address.get("region") or "").strip() for address in _delivery_addresses(own, reader)]
        part = Lot(
            id=lot_id,
            title=masked(clean_title(reader.text(lot, "title", "lot_title"))),
            description=masked(clean_text(reader.text(lot, "description", "lot_description"))),
            cpv=_cpv(own, reader),
            nuts=list(dict.fromkeys(code.upper() for code in nuts if is_nuts(code))),
            value_amount=value.amount,
            value_currency=value.currency if value.amount is not None else None,
            deadline_at=ends.at if ends else None,
        )
        found.append((part, ends))
    return found


def masked(text: str | None) -> str | None:
    """``text`` without contacts."""
    return without_contacts(text) if text else None


def _relates(item: Json, lot_id: str) -> bool:
    related = item.get("relatedLot", item.get("relatedLots"))
    return lot_id in [str(part) for part in related] if isinstance(related, list) else str(related) == lot_id


def _cpv(owners: list[Json], reader: Reader) -> list[str]:
    codes: list[Any] = []
    for owner in owners:
        for entry in (*reader.parts(owner, "classification"), *reader.parts(owner, "additionalClassifications")):
            scheme = str(entry.get("scheme") or "CPV").upper()
            if scheme != "CPV" or entry.get("id") in (None, ""):
                continue
            if cpv_code(entry["id"]) is None and not cpv_codes([entry["id"]]):
                reader.flag("cpv_unreadable", "cpv", entry["id"])
            codes.append(entry["id"])
    return cpv_codes(codes)


def _delivery_addresses(items: list[Json], reader: Reader) -> list[Json]:
    return [
        address
        for item in items
        for name in ("deliveryAddresses", "deliveryAddress")
        for address in reader.parts(item, name)
    ]
