"""Every format that the product maps: whole documents to begin with, and the mapper."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fuzz.breaking import Kind, changed_html, changed_json, changed_xml
from parsel import Selector

from portal_simulator import cosinex_pages, invented_contracts_finder_releases, invented_ted_notices
from portal_simulator.cosinex_pages import invented_projects
from spiders import sample_bundle
from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats import cosinex_list, eforms, netserver_list, ocds, ted_json
from tenderscrapy.formats.cosinex_detail import read_detail as read_cosinex_detail
from tenderscrapy.formats.cosinex_documents import read_documents as read_cosinex_documents
from tenderscrapy.formats.netserver_detail import read_detail as read_netserver_detail
from tenderscrapy.formats.netserver_documents import read_documents as read_netserver_documents
from tenderscrapy.items import Notice
from tenderscrapy.sources.portals import portals

if TYPE_CHECKING:
    from collections.abc import Callable

PORTALS = Path(__file__).resolve().parents[1] / "portals"
_SHIPPED = {portal.id: portal for portal in portals("", "").values()}

ANCHOR = date(2026, 11, 1)
PERSON = {"name": "Kim Muster", "email": "kim.muster@example.org", "telephone": "+49 30 23125 471"}

#: TED's XML from before eForms: coded data, an original form and its translation.
TED_EXPORT = b"""<TED_EXPORT xmlns="http://publications.europa.eu/resource/schema/ted/R2.0.9/publication"
 xmlns:n2016="http://publications.europa.eu/resource/schema/ted/2016/nuts" DOC_ID="008001-2019" VERSION="R2.0.9.S03">
<CODED_DATA_SECTION><REF_OJS><DATE_PUB>20190104</DATE_PUB></REF_OJS><NOTICE_DATA><LG_ORIG>FR</LG_ORIG>
<ISO_COUNTRY VALUE="FR"/><n2016:PERFORMANCE_NUTS CODE="FRK26">x</n2016:PERFORMANCE_NUTS>
<ORIGINAL_CPV CODE="45233140">x</ORIGINAL_CPV><REF_NOTICE><NO_DOC_OJS>2018/S 230-005001</NO_DOC_OJS></REF_NOTICE>
</NOTICE_DATA><CODIF_DATA><TD_DOCUMENT_TYPE CODE="3">x</TD_DOCUMENT_TYPE><PR_PROC CODE="1">x</PR_PROC>
<DT_DATE_FOR_SUBMISSION>20190205 09:30</DT_DATE_FOR_SUBMISSION></CODIF_DATA></CODED_DATA_SECTION>
<FORM_SECTION><F02_2014 CATEGORY="ORIGINAL" LG="FR"><CONTRACTING_BODY><ADDRESS_CONTRACTING_BODY>
<OFFICIALNAME>Commune d'Exemple</OFFICIALNAME><TOWN>Exemple</TOWN><COUNTRY VALUE="FR"/>
<CONTACT_POINT>Kim Muster</CONTACT_POINT><PHONE>+33 400000000</PHONE><E_MAIL>kim.muster@example.org</E_MAIL>
</ADDRESS_CONTRACTING_BODY><URL_DOCUMENT>https://portal.example.org/8</URL_DOCUMENT></CONTRACTING_BODY>
<OBJECT_CONTRACT><TITLE><P>R\xc3\xa9fection de la voirie</P></TITLE><REFERENCE_NUMBER>V-8/2019</REFERENCE_NUMBER>
<CPV_MAIN><CPV_CODE CODE="45233140"/></CPV_MAIN><SHORT_DESCR><P>Un.</P><P>Deux.</P></SHORT_DESCR>
<VAL_ESTIMATED_TOTAL CURRENCY="EUR">800000.00</VAL_ESTIMATED_TOTAL>
<OBJECT_DESCR ITEM="1"><TITLE><P>Lot un</P></TITLE><LOT_NO>1</LOT_NO></OBJECT_DESCR></OBJECT_CONTRACT>
<PROCEDURE><DATE_RECEIPT_TENDERS>2019-02-05</DATE_RECEIPT_TENDERS><TIME_RECEIPT_TENDERS>12:00</TIME_RECEIPT_TENDERS>
</PROCEDURE></F02_2014></FORM_SECTION></TED_EXPORT>"""


@dataclass(frozen=True)
class Format:
    """``to_notice`` maps one document of ``kind``."""

    kind: Kind
    to_notice: Callable[[Any], Notice]

    @property
    def name(self) -> str:
        return self.kind.name


def _sample(source: str) -> tuple[Any, ...]:
    numbers = [number for number, (code, _) in enumerate(sample_bundle.pages()) if code == source]
    return tuple(document for number in numbers for document in sample_bundle.documents(number, ANCHOR)[1])


def _ted() -> tuple[Any, ...]:
    contact = {
        "buyer-email": [PERSON["email"]],
        "buyer-tel": PERSON["telephone"],
        "buyer-contact-point": PERSON["name"],
    }
    return tuple(notice | contact for notice in (*_sample("ted"), *invented_ted_notices(8)))


def _releases() -> tuple[Any, ...]:
    found = (*_sample("contracts_finder"), *invented_contracts_finder_releases(8))
    return tuple(release | {"parties": [*release.get("parties", []), {"contactPoint": PERSON}]} for release in found)


def _pages(platform: str) -> tuple[bytes, ...]:
    folders = (folder for folder in sorted(PORTALS.iterdir()) if _SHIPPED[folder.name].platform == platform)
    return tuple(page.read_bytes() for folder in folders for page in sorted(folder.glob("*.html")))


def _netserver(document: bytes) -> Notice:
    """What list, detail and documents page would give, read out of one and the same page."""
    page, root = Selector(text=document.decode("utf-8", "replace")), "https://vergabe.example/NetServer/"
    rows = netserver_list.read_list(page, root, _SHIPPED["berlin"].layout()).rows
    notice = Notice("netserver:example", "54321-NetTender-1-1", title="Roof works")
    if rows:
        notice = netserver_list.to_notice(rows[0], "netserver:example", root, "InvitationToTender")
    _read_all(
        bool(rows),
        lambda: read_netserver_detail(notice, page, root, root),
        lambda: read_netserver_documents(notice, page, root, root),
    )
    return notice


def _read_all(listed: bool, *readers: Callable[[], object]) -> None:
    """Call every reader; raises UnreadableDocumentError when the page is none of a list, a detail and documents."""
    refused = 0
    for read in readers:
        try:
            read()
        except UnreadableDocumentError:
            refused += 1
    if not listed and refused == len(readers):
        raise UnreadableDocumentError("a page of no kind")


def _cosinex(document: bytes) -> Notice:
    page, root = Selector(text=document.decode("utf-8", "replace")), "https://vmp.example/VMPCenter/"
    rows = cosinex_list.read_list(page, root, root).rows
    notice = Notice("cosinex:example", "CXTEST0001", title="Roof works")
    if rows:
        notice = cosinex_list.to_notice(rows[0], "cosinex:example", root, "45000000-7")
    _read_all(
        bool(rows),
        lambda: read_cosinex_detail(notice, page, root),
        lambda: read_cosinex_documents(notice, page, root),
    )
    return notice


def _projects() -> tuple[bytes, ...]:
    made = invented_projects(6)
    parts = [cosinex_pages.project_page(p, "/VMPCenter") + cosinex_pages.processdata(p) for p in made]
    parts += [cosinex_pages.documents(made[0], "/VMPCenter/documents")]
    return tuple(cosinex_pages.page("Projekt", part, "utf-8").encode() for part in parts)


FORMATS = (
    Format(Kind("TED JSON", _ted(), changed_json), ted_json.to_notice),
    Format(Kind("OCDS", _releases(), changed_json), ocds.to_notice),
    Format(Kind("eForms XML", _sample("doe"), changed_xml), eforms.to_notice),
    Format(Kind("TED_EXPORT XML", (TED_EXPORT,), changed_xml), eforms.to_notice),
    Format(Kind("NetServer pages", _pages("netserver"), changed_html), _netserver),
    Format(Kind("cosinex pages", (*_pages("cosinex"), *_projects()), changed_html), _cosinex),
)
