"""The page of one NetServer notice: national forms, the old EU forms and eForms, by their German labels."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.netserver_list import SIGNS, absolute, deadline, published
from tenderscrapy.formats.page_outcome import Outcome, text_of, title_of, unexplained
from tenderscrapy.formats.stated_facts import set_deadline
from tenderscrapy.items import Buyer, Link, Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.cpv import cpv_codes
from tenderscrapy.normalise.places import is_nuts
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_text, clean_title
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from parsel import Selector

CONTAINERS = "#printarea, #pagePublicationDetails > div, #pagePublicationDetails, .tableContractNotice"

#: "c)", "II.1.4)", "1.", "5.1.6" before a label.
_NUMBERING = re.compile(r"^(?:[a-z]{1,2}\)|[IVX]+(?:\.\d+)*\)?|\d+(?:\.\d+)*\)?\.?)\s+", re.IGNORECASE)
#: Labels of the forms, without numbering, colon and case -> what is done with their value.
_LABELS = {
    "title": ("bezeichnung des auftrags", "titel"),
    "description": ("auftragsgegenstand", "kurze beschreibung", "beschreibung", "umfang der leistung",
                    "art der leistung", "art und umfang der leistung", "beschreibung der beschaffung"),
    "buyer": ("offizielle bezeichnung",),
    "address": ("name und anschrift",),
    "reference": ("vergabenummer", "vergabenr.", "vergabenr", "interne kennung", "referenznummer der bekanntmachung"),
    "tender": ("angebote sind einzureichen bis", "frist für den eingang der angebote", "ablauf der angebotsfrist",
               "schlusstermin für den eingang der angebote",
               "schlusstermin für den eingang der angebote oder teilnahmeanträge", "angebotsfrist"),
    "participation": ("frist für den eingang der teilnahmeanträge", "teilnahmeanträge sind einzureichen bis",
                      "schlusstermin für den eingang der teilnahmeanträge", "teilnahmefrist"),
    "cpv": ("cpv-code hauptteil", "weitere(r) cpv-code(s)", "cpv-code", "cpv-codes", "haupteinstufung (cpv)"),
    "nuts": ("nuts-code", "nuts code", "land, gliederung (nuts)"),
    "value": ("geschätzter wert ohne mwst. (in euro)",),
    "dispatched": ("tag der absendung dieser bekanntmachung",),
    "procedure_id": ("kennung des verfahrens",),
    "notice_uuid": ("kennung/fassung der bekanntmachung",),
    "kind": ("art des auftrags",),
    "procedure": ("verfahrensart",),
}  # fmt: skip
_MEANING = {label: meaning for meaning, labels in _LABELS.items() for label in labels}
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d{1,3})?", re.IGNORECASE)
_DATE = re.compile(
    r"\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d)"
    r"(?:,?\s*(?:um\s+)?\d{1,2}(?:[:.]\d{2}(?::\d{2})?(?:\s*Uhr)?|\s*Uhr))?"
)
_CPV = re.compile(r"(?<!\d)\d{8}(?:-\d)?(?!\d)")
_NUTS = re.compile(r"\bDE[0-9A-Z]{1,3}\b")
_LOCAL_TIME = re.compile(r"(?:Ortszeit|Uhrzeit):?\s*(\d{1,2}:\d{2})")
_GERMAN_AMOUNT = re.compile(r"\d{1,3}(?:\.\d{3}){1,5}(?:,\d{1,2})?|\d{1,15}(?:,\d{1,2})?")
_PLAIN_AMOUNT = re.compile(r"\d{1,15}\.\d{1,2}")
_PROCEDURE_OID = re.compile(r"[?&;](?:TenderOID|TWOID)=(54321-[A-Za-z]+-[0-9a-f]+-[0-9a-f]+)")


class UnexpectedPageError(UnreadableDocumentError):
    """A page of a portal is not what was asked for; ``outcome`` says what it is."""

    def __init__(self, outcome: Outcome, page: Selector, url: str) -> None:
        super().__init__(f"{outcome}: {without_session(url)[:200]} (title: {title_of(page) or 'none'})")
        self.outcome = outcome


def read_detail(notice: Notice, page: Selector, url: str, base_url: str, zone: str = "Europe/Berlin") -> str | None:
    """Put what the page says on the notice; the address of its documents page, None when there is none.

    Raises UnexpectedPageError when the page is no notice, and leaves the notice as it was.
    """
    facts = _facts(page)
    if not facts:
        outcome = unexplained(page, url, SIGNS)
        raise UnexpectedPageError(Outcome.NO_ROWS_MATCHED if outcome.clean else outcome, page, url)
    read_facts(notice, facts, zone)
    return _read_links(notice, page, base_url)


def read_facts(notice: Notice, facts: dict[str, list[str]], zone: str) -> None:
    """Put labelled values on the notice: meaning (a key of the labels above) -> values, in the order of the page."""
    _read_texts(notice, facts)
    _read_codes(notice, facts)
    _read_dates(notice, facts, zone)
    _read_value(notice, facts.get("value", []))


def _facts(page: Selector) -> dict[str, list[str]]:
    """Meaning -> every value under a label of that meaning, in the order of the page."""
    found: dict[str, list[str]] = {}
    for container in page.css(CONTAINERS)[:1]:
        for label, value in _labelled(container):
            meaning = _MEANING.get(comparable_label(label))
            if meaning and value and value not in found.setdefault(meaning, []):
                found[meaning].append(value)
    return {meaning: values for meaning, values in found.items() if values}


def comparable_label(label: str) -> str:
    """A label without numbering, colon and case."""
    text = " ".join(label.split())
    return _NUMBERING.sub("", text).rstrip(": ").casefold()


def _labelled(container: Selector) -> Iterator[tuple[str, str]]:
    """Rows of two cells, and the "Label: value" lines inside a value, which end at a <br>."""
    for row in container.xpath(".//tr[count(td)=2] | .//dl/div"):
        cells = row.xpath("./td | ./dt | ./dd")
        if len(cells) != 2:
            continue
        lines = _lines(cells[1])
        yield text_of(cells[0]), "\n".join(lines)
        for line, following in zip(lines, [*lines[1:], ""], strict=False):
            label, colon, value = line.partition(": ") if ": " in line else line.partition(":")
            if colon and len(label) < 80:
                yield label, value.strip() or (following if ":" not in following else "")


def _lines(cell: Selector) -> list[str]:
    text = clean_text(cell.get()) or ""
    return [line.strip() for line in text.split("\n") if line.strip()]


def _read_texts(notice: Notice, facts: dict[str, list[str]]) -> None:
    if title := clean_title(next(iter(facts.get("title", [])), "").partition("\n")[0]):
        notice.title = without_contacts(title)
    texts = [text for text in facts.get("description", []) if not text.endswith(":")]
    notice.description = without_contacts("\n\n".join(dict.fromkeys(texts))) or notice.description
    address = next(iter(facts.get("address", [])), "").partition("\n")[0]
    name = buyer_name(next(iter(facts.get("buyer", [])), "").partition("\n")[0]) or buyer_name(address)
    notice.buyer_name = name or notice.buyer_name
    notice.buyers = [Buyer(notice.buyer_name, country="DE")] if notice.buyer_name else []
    if reference := clean_title(next(iter(facts.get("reference", [])), "").partition("\n")[0]):
        notice.reference = reference[:100]
    if kind := clean_title(next(iter(facts.get("kind", [])), "").partition("\n")[0]):
        notice.extra["contract_nature"] = kind[:100]
    if notice.procedure_type is None:
        notice.procedure_type = clean_title(next(iter(facts.get("procedure", [])), "").partition("\n")[0])


def _read_codes(notice: Notice, facts: dict[str, list[str]]) -> None:
    written = [code for value in facts.get("cpv", []) for code in _CPV.findall(value)]
    notice.cpv = cpv_codes(written)
    if written:
        notice.extra["cpv_as_written"] = list(dict.fromkeys(written))
    elif facts.get("cpv"):
        notice.flag("cpv_unreadable", "cpv", facts["cpv"][0])
    regions = [code for value in facts.get("nuts", []) for code in _NUTS.findall(value) if is_nuts(code)]
    notice.nuts = list(dict.fromkeys(regions))
    for field in ("procedure_id", "notice_uuid"):
        match = _UUID.search(next(iter(facts.get(field, [])), ""))
        if match:
            setattr(notice, field, match[0].lower())


def _read_dates(notice: Notice, facts: dict[str, list[str]], zone: str) -> None:
    """The page's deadline stands, of several lots the earliest; the list's remains where the page has none.

    A day alone does not replace the list's clock time. Where the two differ the flag ``deadline_differs_from_list``
    says so.
    """
    by_kind = {
        kind: [found for value in facts.get(kind, []) if (found := deadline(notice, _moment(value), zone))]
        for kind in ("tender", "participation")
    }
    stated = next((min(found, key=lambda one: one.at) for found in by_kind.values() if found), None)
    before, in_list_a_date = notice.deadline_at, notice.deadline_is_date
    if stated and not (stated.is_date and before and not in_list_a_date):
        if before and not (in_list_a_date or stated.is_date) and before != stated.at:
            notice.flag("deadline_differs_from_list", "deadline_at", f"{before:%Y-%m-%dT%H:%M}Z in the list")
        set_deadline(notice, by_kind)
    if notice.published_at is None and facts.get("dispatched"):
        notice.published_at = notice.revised_at = published(notice, _moment(facts["dispatched"][0]), zone)


def _moment(value: str) -> str:
    """The date in a value with its clock time, which the old form puts on a line of its own; else the value."""
    match = _DATE.search(value)
    if match is None:
        return value
    clock = _LOCAL_TIME.search(value)
    return f"{match[0]} {clock[1]}" if clock and ":" not in match[0] else match[0]


def _read_value(notice: Notice, values: list[str]) -> None:
    """An amount without VAT in euros, as the label of the form says."""
    written = "".join(next(iter(values), "").split()).removesuffix("€").removesuffix("EUR").removesuffix("Euro")
    if not written:
        return
    if _GERMAN_AMOUNT.fullmatch(written):
        written = written.replace(".", "").replace(",", ".")
    elif not _PLAIN_AMOUNT.fullmatch(written):
        notice.flag("value_unreadable", "value_amount", values[0])
        return
    amount = Decimal(written)
    if amount <= 1:
        notice.flag("value_placeholder", "value_amount", values[0])
        return
    notice.value_amount, notice.value_currency, notice.value_is_gross = amount, "EUR", False


def _read_links(notice: Notice, page: Selector, base_url: str) -> str | None:
    """Addresses that name the procedure; its OID there is the key that other portals' notices share."""
    written = [url for href in page.xpath("//a/@href").getall() if (url := absolute(base_url, href))]
    hrefs = [url for url in written if _PROCEDURE_OID.search(url) and _same_host(url, base_url)]  # others cite others
    named = [absolute(base_url, href) for href in page.css(".downloadDocuments a::attr(href)").getall()]
    documents = [url for url in named if url and _same_host(url, base_url)]
    documents += [url for url in hrefs if "TenderingProcedureDetails" in url and "function=_Details" in url]
    oid = next((match[1] for url in hrefs if (match := _PROCEDURE_OID.search(url))), None)
    if not documents and oid is None:
        notice.flag("procedure_key_missing", "links")
        return None
    url = documents[0] if documents else documents_url(base_url, str(oid))
    add_link(notice, without_session(url), "documents")
    return url


def documents_url(base_url: str, oid: str) -> str:
    """The documents page of a procedure."""
    servlet = "TenderingProcedureDetails?function=_Details"
    return f"{base_url}{servlet}&TenderOID={oid}&thContext=publications"


def add_link(notice: Notice, url: str, rel: str) -> None:
    """Add a page once."""
    if not any(link.url == url for link in notice.links):
        notice.links.append(Link(url, rel))


def _same_host(url: str, base_url: str) -> bool:
    return urlsplit(url).netloc.lower() == urlsplit(base_url).netloc.lower()
