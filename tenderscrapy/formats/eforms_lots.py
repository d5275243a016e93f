"""Lots, deadlines, values and places of an eForms notice.

Unlike in the search API, what belongs to a lot stands in it. Groups of lots (GLO-) are no lots; the parts (PAR-) that a
planning notice announces are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenderscrapy.formats.eforms_xml import EXTENSION, Element, all_of, contents, first, localised
from tenderscrapy.formats.notice_text import one_line, running
from tenderscrapy.formats.stated_facts import flag_once, set_deadline, stated_deadline, stated_value
from tenderscrapy.formats.web_links import add_links
from tenderscrapy.items import Lot, Notice
from tenderscrapy.normalise.cpv import cpv_codes
from tenderscrapy.normalise.places import alpha2, is_country, is_nuts, nuts_country, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from tenderscrapy.normalise.dates import Deadline

#: BT-131, BT-1311 and BT-630, below a lot's cac:TenderingProcess.
_PERIODS = {
    "tender": "cac:TenderSubmissionDeadlinePeriod",
    "participation": "cac:ParticipationRequestReceptionPeriod",
    "expression": f"{EXTENSION}/efac:InterestExpressionReceptionPeriod",
}
_ESTIMATE = "cac:RequestedTenderTotal/cbc:EstimatedOverallContractAmount"
_TOTAL = f"{EXTENSION}/efac:NoticeResult/cbc:TotalAmount"
_DOCUMENTS = "cac:TenderingTerms/cac:CallForTendersDocumentReference/cac:Attachment/cac:ExternalReference/cbc:URI"
_SUBMISSION = "cac:TenderingTerms/cac:TenderRecipientParty/cbc:EndpointID"
_MAIN_CPV = "cac:MainCommodityClassification/cbc:ItemClassificationCode"
_ADDITIONAL_CPV = "cac:AdditionalCommodityClassification/cbc:ItemClassificationCode"


def set_lots(notice: Notice, root: Element, languages: Sequence[str]) -> None:
    """Set ``lots``, the deadline, ``cpv``, ``nuts``, ``performance_countries`` and the links to documents."""
    zone = zone_of(notice.country)
    procedure = all_of(root, "cac:ProcurementProject")
    projects = list(procedure)
    by_kind: dict[str, list[Deadline]] = {}
    for element in all_of(root, "cac:ProcurementProjectLot"):
        if any(found.get("schemeName") == "LotsGroup" for found in all_of(element, "cbc:ID")):
            continue
        lot = _lot(notice, element, languages)
        projects += all_of(element, "cac:ProcurementProject")
        for kind, stated in _deadlines(notice, element, zone).items():
            by_kind.setdefault(kind, []).append(stated)
            lot.deadline_at = lot.deadline_at or stated.at
        add_links(notice, "documents", contents(element, _DOCUMENTS))
        # A buyer may take bids by mail; people's addresses are not kept.
        add_links(notice, "submission", (text for text in contents(element, _SUBMISSION) if "@" not in text))
        notice.lots.append(lot)
    set_deadline(notice, by_kind)
    notice.cpv = _cpv(projects)
    places = [code for project in projects for code in _places(project)]
    _set_places(notice, places)


def set_value(notice: Notice, root: Element, withheld: Sequence[str]) -> None:
    """Set the value: the procedure's estimate, else its only lot's, else the total of a result. All are net (BT-27).

    A total that is withheld (``not-val``) is published as an invented number: it is not taken.
    """
    value = None
    for project in all_of(root, "cac:ProcurementProject"):
        value = value or _value(notice, project, _ESTIMATE)
    if value is None and len(notice.lots) == 1 and notice.lots[0].value_amount is not None:
        value = notice.lots[0].value_amount, notice.lots[0].value_currency or ""
    if value is None and "not-val" not in withheld:
        value = _value(notice, root, _TOTAL)
    if value:
        notice.value_amount, notice.value_currency = value
        notice.value_is_gross = False


def _lot(notice: Notice, element: Element, languages: Sequence[str]) -> Lot:
    identifier = first(element, "cbc:ID")
    if identifier is None:
        identifier = f"#{len(notice.lots) + 1}"
        flag_once(notice, "lot_ids_missing", "lots")
    projects = all_of(element, "cac:ProcurementProject")
    lot = Lot(identifier, cpv=_cpv(projects))
    for project in projects[:1]:
        lot.title = one_line(localised(project, "cbc:Name", languages)[0])
        lot.description = running(localised(project, "cbc:Description", languages)[0])
        lot.nuts = [code for code in _places(project) if is_nuts(code)]
        value = _value(notice, project, _ESTIMATE)
        if value:
            lot.value_amount, lot.value_currency = value
    return lot


def _deadlines(notice: Notice, lot: Element, zone: str | None) -> dict[str, Deadline]:
    found = {}
    for kind, path in _PERIODS.items():
        for period in all_of(lot, f"cac:TenderingProcess/{path}")[:1]:
            date = first(period, "cbc:EndDate")
            stated = stated_deadline(notice, date, first(period, "cbc:EndTime"), zone) if date else None
            if stated:
                found[kind] = stated
    return found


def _value(notice: Notice, element: Element, path: str) -> tuple[Decimal, str] | None:
    amounts = all_of(element, path)
    currencies = [amount.get("currencyID", "") for amount in amounts]
    return stated_value(notice, contents(element, path), currencies, negative="withheld")


def _cpv(projects: Sequence[Element]) -> list[str]:
    """Main codes come before additional ones: within a project, and the procedure's before its lots'."""
    return cpv_codes(
        code for project in projects for path in (_MAIN_CPV, _ADDITIONAL_CPV) for code in contents(project, path)
    )


def _places(project: Element) -> list[str]:
    found: dict[str, None] = {}
    for address in all_of(project, "cac:RealizedLocation/cac:Address"):
        for path in ("cbc:CountrySubentityCode", "cac:Country/cbc:IdentificationCode"):
            found |= dict.fromkeys(code.upper() for code in contents(address, path))
    return list(found)


def _set_places(notice: Notice, places: Sequence[str]) -> None:
    regions = list(dict.fromkeys(code for code in places if is_nuts(code)))
    others = list(dict.fromkeys(code for code in places if not is_nuts(code)))
    countries = [*(alpha2(code) for code in others), *(nuts_country(code) for code in regions)]
    notice.nuts = regions
    notice.performance_countries = list(dict.fromkeys(countries))
    unknown = [code for code in others if not is_country(code)]
    if unknown:
        notice.flag("place_unknown", "performance_countries", " ".join(unknown))
