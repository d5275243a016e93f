"""Notices in the XML that TED published before eForms: TED_EXPORT, R2.0.7 to R2.0.9.

Two generations share the coded data and differ in their forms: R2.0.9 has flat forms (F02_2014), the older ones nest
long element names (FD_CONTRACT). Both are searched by element name below the original form. Times carry no offset: they
are local to the buyer's country.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.eforms_xml import Element, content
from tenderscrapy.formats.notice_text import official_number, one_line, running
from tenderscrapy.formats.stated_facts import set_deadline, stated_deadline, stated_value
from tenderscrapy.formats.ted_codes import page_url, publication_number, written_language
from tenderscrapy.formats.web_links import add_links
from tenderscrapy.items import Buyer, Lot, Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.cpv import cpv_codes
from tenderscrapy.normalise.dates import Deadline, instant
from tenderscrapy.normalise.places import alpha2, is_nuts, nuts_country, zone_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: TD_DOCUMENT_TYPE of the TED schema.
_STATUS = dict.fromkeys("0P", "planned") | dict.fromkeys("345CDFIMOY", "open") | dict.fromkeys("7EJKRV", "awarded")
_CORRECTIONS = frozenset("12")
#: PR_PROC: restricted, negotiated, competitive dialogue and their kin begin with requests to participate.
_TWO_STAGE = frozenset("2346BCG")
_OJ_NUMBER = re.compile(r"(?P<year>\d{4})/S \d+-(?P<number>\d{1,8})", re.ASCII)
_TED_ZONE = "Europe/Luxembourg"
_TITLES = ("TITLE", "TITLE_CONTRACT")
_DESCRIPTIONS = ("SHORT_DESCR", "SHORT_CONTRACT_DESCRIPTION", "TOTAL_QUANTITY_OR_SCOPE")
_REFERENCES = ("REFERENCE_NUMBER", "FILE_REFERENCE_NUMBER")
#: Below these stand other organisations than the buyer: winners, courts, addresses for questions.
_BUYER_BLOCKS = (
    *("ADDRESS_CONTRACTING_BODY", "ADDRESS_CONTRACTING_BODY_ADDITIONAL"),
    *("CA_CE_CONCESSIONAIRE_PROFILE", "CONTACTING_AUTHORITY_INFO"),
)


def to_notice(root: Element, *, source_code: str | None = None) -> Notice:
    """The notice of a TED_EXPORT document, changed in place: its namespaces are dropped.

    ``notice_type`` and ``procedure_type`` are the schema's one-character codes. Raises UnreadableDocumentError without
    a readable DOC_ID.
    """
    number = publication_number(root.get("DOC_ID"))
    if number is None:
        raise UnreadableDocumentError("TED_EXPORT without a readable DOC_ID")
    for element in root.iter():
        if isinstance(element.tag, str):
            element.tag = etree.QName(element).localname
    notice = Notice(source_code or "ted", number, url=page_url(number))
    form = _original_form(root)
    _set_coded(notice, root)
    _set_buyers(notice, form)
    language = form.get("LG") or _first(root, "LG_ORIG") or ""
    notice.title = one_line(_first(form, *_TITLES))
    notice.title_lang = written_language(language.lower()) if notice.title else None
    notice.description = running(_first(form, *_DESCRIPTIONS))
    notice.reference = official_number(_first(form, *_REFERENCES))
    _set_lots(notice, form)
    _set_value(notice, form)
    _set_dates(notice, root, form)
    add_links(notice, "documents", _texts(form, "URL_DOCUMENT"))
    add_links(notice, "submission", _texts(form, "URL_PARTICIPATION", "URL_PARTICIPATE"))
    return notice


def _original_form(root: Element) -> Element:
    forms = [form for section in _all(root, "FORM_SECTION") for form in section if isinstance(form.tag, str)]
    return next((form for form in forms if form.get("CATEGORY") == "ORIGINAL"), forms[0] if forms else root)


def _set_coded(notice: Notice, root: Element) -> None:
    notice.notice_type = _code(root, "TD_DOCUMENT_TYPE", "CODE")
    notice.procedure_type = _code(root, "PR_PROC", "CODE")
    notice.status = _STATUS.get(notice.notice_type or "")
    country = _code(root, "ISO_COUNTRY", "VALUE")
    notice.country = alpha2(country) if country else None
    notice.cpv = cpv_codes(
        [
            *(code for main in _all(root, "CPV_MAIN") for code in _codes(main, "CPV_CODE", "CODE")),
            *_codes(root, "ORIGINAL_CPV", "CODE"),
            *(code for more in _all(root, "CPV_ADDITIONAL") for code in _codes(more, "CPV_CODE", "CODE")),
        ]
    )
    regions = [*_codes(root, "PERFORMANCE_NUTS", "CODE"), *_codes(root, "ORIGINAL_NUTS", "CODE")]
    notice.nuts = list(dict.fromkeys(code for code in regions if is_nuts(code)))
    notice.performance_countries = list(dict.fromkeys(nuts_country(code) for code in notice.nuts))
    earlier = [match for text in _texts(root, "NO_DOC_OJS") if (match := _OJ_NUMBER.fullmatch(text))]
    numbers = [publication_number(f"{match['number']}-{match['year']}") for match in earlier]
    previous = next((number for number in numbers if number not in {None, notice.notice_id}), None)
    if previous:
        notice.extra["previous_notice"] = previous
    if notice.notice_type in _CORRECTIONS:
        notice.changes_notice = previous


def _set_buyers(notice: Notice, form: Element) -> None:
    found: dict[str, Buyer] = {}
    for block in _all(form, *_BUYER_BLOCKS):
        name = buyer_name(_first(block, "OFFICIALNAME"))
        country = _code(block, "COUNTRY", "VALUE")
        if name:
            identifier, city = official_number(_first(block, "NATIONALID")), one_line(_first(block, "TOWN"))
            found.setdefault(name, Buyer(name, identifier, alpha2(country) if country else notice.country, city))
    notice.buyers = list(found.values())
    notice.buyer_name = notice.buyers[0].name if notice.buyers else None


def _set_lots(notice: Notice, form: Element) -> None:
    for part in _all(form, "OBJECT_DESCR"):
        number = _first(part, "LOT_NO")
        if number:
            title, description = one_line(_first(part, "TITLE")), running(_first(part, "SHORT_DESCR"))
            notice.lots.append(Lot(number, title, description, cpv_codes(_codes(part, "CPV_CODE", "CODE"))))
    if notice.lots:
        notice.extra["lot_count"] = len(notice.lots)


def _set_value(notice: Notice, form: Element) -> None:
    for name in ("VAL_ESTIMATED_TOTAL", "VAL_TOTAL"):
        amounts = _all(form, name)
        currencies = [amount.get("CURRENCY", "") for amount in amounts]
        value = stated_value(notice, [content(amount) for amount in amounts], currencies, negative="withheld")
        if value:
            notice.value_amount, notice.value_currency = value
            notice.value_is_gross = False
            return


def _set_dates(notice: Notice, root: Element, form: Element) -> None:
    published = _first(root, "DATE_PUB")
    if published:
        try:
            notice.published_at = notice.revised_at = instant(_dashed(published), _TED_ZONE)
        except ValueError:
            notice.flag("published_at_unreadable", "published_at", published)
    zone = zone_of(notice.country) or _TED_ZONE
    date, time = _first(form, "DATE_RECEIPT_TENDERS"), _first(form, "TIME_RECEIPT_TENDERS")
    if date is None:
        # Coded data have one field for both; only the forms tell them apart.
        date, _, time = (_first(root, "DT_DATE_FOR_SUBMISSION") or "").partition(" ")
    stated = stated_deadline(notice, _dashed(date), _padded(time), zone) if date else None
    deadlines: list[Deadline] = [stated] if stated else []
    set_deadline(notice, {"participation" if notice.procedure_type in _TWO_STAGE else "tender": deadlines})


def _dashed(date: str) -> str:
    return f"{date[:4]}-{date[4:6]}-{date[6:]}" if len(date) == 8 and date.isdigit() else date


def _padded(time: str | None) -> str | None:
    return (time.zfill(5) if ":" in time else time) if time else None


def _all(element: Element, *names: str) -> list[Element]:
    return list(element.iter(*names))


def _texts(element: Element, *names: str) -> Iterator[str]:
    for name in names:
        for found in element.iter(name):
            # Paragraphs are elements without white space between them.
            text = "\n".join(filter(None, map(content, found.iter("P")))) or content(found)
            if text:
                yield text


def _first(element: Element, *names: str) -> str | None:
    return next(_texts(element, *names), None)


def _codes(element: Element, name: str, attribute: str) -> list[str]:
    return [code.strip() for found in element.iter(name) if (code := found.get(attribute))]


def _code(element: Element, name: str, attribute: str) -> str | None:
    return next(iter(_codes(element, name, attribute)), None)
