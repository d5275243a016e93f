"""Notices published as XML: eForms of TED and of national services, and TED's older formats.

Paths are those of the eForms SDK (fields.json), by business term. The root element does not tell the type of a notice:
subtype 10 is published both as PriorInformationNotice and as ContractNotice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from tenderscrapy.exceptions import UnreadableDocumentError, UnsupportedFormatError
from tenderscrapy.formats import ted_export
from tenderscrapy.formats.eforms_buyers import set_buyers
from tenderscrapy.formats.eforms_lots import set_lots, set_value
from tenderscrapy.formats.eforms_xml import EXTENSION, Element, all_of, contents, first, localised, parse
from tenderscrapy.formats.notice_text import official_number, one_line, running
from tenderscrapy.formats.ted_codes import page_url, publication_number, status, written_language
from tenderscrapy.formats.web_links import add_links
from tenderscrapy.items import Notice
from tenderscrapy.normalise.dates import deadline, instant

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_ROOTS = frozenset({"ContractNotice", "ContractAwardNotice", "PriorInformationNotice"})
_UBL_NAMESPACE = "urn:oasis:names:specification:ubl:schema:xsd:"
#: The service's page of a notice is this and its number.
DOE_PAGE = "https://oeffentlichevergabe.de/ui/de/search/details?noticeId="
_PUBLICATION = f"{EXTENSION}/efac:Publication"
_CHANGES = f"{EXTENSION}/efac:Changes"
_OUTCOMES = f"{EXTENSION}/efac:NoticeResult/efac:LotResult/cbc:TenderResultCode"
_WITHHELD = ".//efac:FieldsPrivacy/efbc:FieldIdentifierCode"
#: Fields of Notice that may be withheld from publication, by non-publication-identifier.
_WITHHELD_FIELDS = {"not-val": "value_amount", "pro-typ": "procedure_type"}
#: Notices without offset are in the time of their publisher; OJ S appears in Luxembourg.
_ZONES = {"doe": "Europe/Berlin", "nrw_opendata": "Europe/Berlin"}
_TED_ZONE = "Europe/Luxembourg"


def to_notice(document: bytes, *, source_code: str | None = None) -> Notice:
    """The notice of an XML document.

    Without ``source_code`` it is of ``ted`` when TED gave it a publication number, else of ``doe``. The notice id is
    that number (no leading zeros) for TED and samples of it, for all others the identifier of BT-701, which national
    notices below the threshold fill with eight digits. ``extra``: ``form_type``, ``notice_subtype``, ``withheld``,
    ``publication_number``, ``previous_notice``, ``lot_count``, ``lot_deadlines``.

    Raises UnsupportedFormatError for company registrations, UnreadableDocumentError for all that is no such notice or
    has neither number nor identifier. What cannot be read in it leaves a flag.
    """
    root = parse(document)
    name = etree.QName(root)
    if name.localname == "TED_EXPORT":
        return ted_export.to_notice(root, source_code=source_code)
    if name.localname == "BusinessRegistrationInformationNotice":
        raise UnsupportedFormatError("BusinessRegistrationInformationNotice registers a company; it is no tender")
    if name.localname not in _ROOTS or not (name.namespace or "").startswith(_UBL_NAMESPACE):
        raise UnreadableDocumentError(f"no notice: the root element is {name.localname[:60]}")
    notice = _identified(root, source_code)
    own = first(root, "cbc:NoticeLanguageCode")
    languages = [*([own] if own else []), *contents(root, "cac:AdditionalNoticeLanguage/cbc:ID")]
    withheld = list(dict.fromkeys(contents(root, _WITHHELD)))
    set_buyers(notice, root, languages)
    _set_codes(notice, root, withheld)
    set_lots(notice, root, languages)
    _set_texts(notice, root, languages)
    set_value(notice, root, withheld)
    _set_dates(notice, root)
    _flag_withheld(notice, withheld)
    add_links(notice, "other", contents(root, "cac:ContractingParty/cbc:BuyerProfileURI"))
    if notice.lots:
        notice.extra["lot_count"] = len(notice.lots)
    return notice


def _identified(root: Element, source_code: str | None) -> Notice:
    identifier = first(root, "cbc:ID[@schemeName='notice-id']") or first(root, "cbc:ID")
    number = publication_number(first(root, f"{_PUBLICATION}/efbc:NoticePublicationID"))
    source = source_code or ("ted" if number else "doe")
    platform = source.rsplit(":", 1)[-1]
    notice_id = (number if platform == "ted" else None) or (identifier or "").lower()
    if not notice_id:
        raise UnreadableDocumentError("the notice has neither a publication number nor an identifier")
    notice = Notice(source, notice_id)
    if platform == "doe":
        notice.url = f"{DOE_PAGE}{notice_id}"
    elif number:
        notice.url = page_url(number)
    notice.notice_uuid = identifier.lower() if identifier else None
    notice.notice_version = first(root, "cbc:VersionID")
    folder = first(root, "cbc:ContractFolderID")
    notice.procedure_id = folder.lower() if folder else None
    if number:
        notice.extra["publication_number"] = number
    return notice


def _set_codes(notice: Notice, root: Element, withheld: Sequence[str]) -> None:
    types = all_of(root, "cbc:NoticeTypeCode")
    form_type = types[0].get("listName") if types else None
    reasons = contents(root, f"{_CHANGES}/efac:ChangeReason/cbc:ReasonCode")
    # Who was chosen may be withheld; the code then says something else.
    outcomes = [] if "win-cho" in withheld else contents(root, _OUTCOMES)
    notice.notice_type = first(root, "cbc:NoticeTypeCode")
    if "pro-typ" not in withheld:
        notice.procedure_type = first(root, "cac:TenderingProcess/cbc:ProcedureCode")
    notice.reference = official_number(first(root, "cac:ProcurementProject/cbc:ID"))
    notice.changes_notice = first(root, f"{_CHANGES}/efbc:ChangedNoticeIdentifier")
    notice.change_reason = reasons[0] if reasons else None
    notice.status = status(form_type, notice.notice_type, outcomes, reasons)
    facts = {
        "form_type": form_type,
        "notice_subtype": first(root, f"{EXTENSION}/efac:NoticeSubType/cbc:SubTypeCode"),
        "previous_notice": first(root, "cac:TenderingProcess/cac:NoticeDocumentReference/cbc:ID"),
    }
    notice.extra |= {name: fact for name, fact in facts.items() if fact}


def _set_texts(notice: Notice, root: Element, languages: Sequence[str]) -> None:
    title, language = localised(root, "cac:ProcurementProject/cbc:Name", languages)
    notice.title = one_line(title)
    notice.description = running(localised(root, "cac:ProcurementProject/cbc:Description", languages)[0])
    if notice.title is None and notice.lots:
        # Some planning notices name their parts only.
        path = "cac:ProcurementProjectLot/cac:ProcurementProject/cbc:Name"
        title, language = localised(root, path, languages)
        notice.title = one_line(title)
        if notice.title and len(notice.lots) > 1:
            notice.flag("title_from_lot", "title")
    if notice.description is None and len(notice.lots) == 1:
        notice.description = notice.lots[0].description
    notice.title_lang = written_language(language) if notice.title else None


def _set_dates(notice: Notice, root: Element) -> None:
    """When the notice was published; national notices carry only the day and time of their dispatch."""
    notice.published_at = _instant(notice, first(root, f"{_PUBLICATION}/efbc:PublicationDate"), None)
    issued = _instant(notice, first(root, "cbc:IssueDate"), first(root, "cbc:IssueTime"))
    notice.published_at = notice.published_at or issued
    notice.revised_at = issued or notice.published_at


def _instant(notice: Notice, date: str | None, time: str | None) -> datetime | None:
    if date is None:
        return None
    zone = _ZONES.get(notice.source_code.rsplit(":", 1)[-1], _TED_ZONE)
    try:
        return deadline(date, time, zone).at if time else instant(date, zone)
    except ValueError:
        notice.flag("published_at_unreadable", "published_at", f"{date} {time or ''}".strip())
        return None


def _flag_withheld(notice: Notice, withheld: Sequence[str]) -> None:
    if withheld:
        notice.extra["withheld"] = list(withheld)
    for code in withheld:
        if code in _WITHHELD_FIELDS and getattr(notice, _WITHHELD_FIELDS[code]) is None:
            notice.flag("withheld", _WITHHELD_FIELDS[code], code)
