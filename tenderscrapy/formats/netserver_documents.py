"""The documents page of a NetServer procedure: the files that may be downloaded, of each only the newest version."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from tenderscrapy.formats.netserver_detail import UnexpectedPageError, add_link
from tenderscrapy.formats.netserver_list import SIGNS, absolute
from tenderscrapy.formats.page_outcome import Outcome, main_content, text_of, unexplained
from tenderscrapy.items import Attachment, Notice
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from parsel import Selector

_EXPIRED = re.compile(r"Sichtbarkeitszeitraum dieser Vergabe ist abgelaufen", re.IGNORECASE)
_DOWNLOAD = re.compile(r"function=_Download(?:TenderDocuments?|Document)\b", re.IGNORECASE)
_FILE = "a[href*='_DownloadTenderDocument'], a.documents-download-all[href], a.document-tab-document-download[href]"
_VERSION = re.compile(r"[\s,(–-]*\b(?:Version|Stand|V\.?)\s*[\d.:]+(?:\s*\d{1,2}:\d{2}(?:\s*Uhr)?)?\)?", re.IGNORECASE)
_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{2,4}(?:,?\s*(?:um\s*)?\d{1,2}:\d{2}(?:\s*Uhr)?)?")
_FILE_NAME = re.compile(r"[^/\\<>|]+\.[A-Za-z][A-Za-z0-9]{1,4}")
_NONE = re.compile(r"keine (?:Vergabe)?unterlagen|keine Dokumente", re.IGNORECASE)


def read_documents(notice: Notice, page: Selector, url: str, base_url: str) -> None:
    """Put the page's files on the notice; addresses without session.

    An expired procedure shows none, which the flag ``documents_expired`` says; files that only a click in a browser
    reaches leave the flag ``documents_need_browser``. Raises UnexpectedPageError when the page is none of these.
    """
    main = main_content(page, SIGNS.main)
    files = _newest(main)
    if files:
        notice.attachments = _attachments(files, base_url)
        add_link(notice, without_session(url), "documents")
        return
    text = text_of(main)
    if _EXPIRED.search(text):
        notice.flag("documents_expired", "attachments")
    elif page.css("a.zipFileContents[data-oid]"):
        notice.flag("documents_need_browser", "attachments")
    elif not (_NONE.search(text) or page.css("table.documents, .documents-tab, #documents")):
        outcome = unexplained(page, url, SIGNS)
        raise UnexpectedPageError(Outcome.NO_ROWS_MATCHED if outcome.clean else outcome, page, url)


def _newest(main: Selector) -> list[Selector]:
    """Links to files, without those of rows that repeat what stands above them: newest versions come first."""
    seen: set[str] = set()
    kept: list[Selector] = []
    links = main.css(_FILE)
    rows: dict[str, list[Selector]] = {}
    for number, link in enumerate(links):
        row = link.xpath("ancestor::tr[1] | ancestor::li[1]")
        name = row[0].xpath("count(preceding::*)").get() if row else f"link {number}"
        rows.setdefault(str(name), []).append(link)
    for members in rows.values():
        row = members[0].xpath("ancestor::tr[1] | ancestor::li[1]")
        subject = _subject(text_of(row[0])) if row else ""
        if subject and subject in seen:
            continue
        seen.add(subject)
        kept += members
    return kept


def _subject(text: str) -> str:
    """What a row is about: its text without version, dates and sizes."""
    bare = _DATE.sub(" ", _VERSION.sub(" ", text))
    bare = re.sub(r"\(?\b\d+(?:[.,]\d+)?\s*(?:[KMG]?B|Bytes?)\b\)?", " ", bare, flags=re.IGNORECASE)
    return " ".join(re.sub(r"[\s,;|()–-]+", " ", bare).split()).casefold()


def _attachments(links: list[Selector], base_url: str) -> list[Attachment]:
    found: dict[str, Attachment] = {}
    for link in links:
        address = absolute(base_url, link.attrib["href"])
        if address is None or urlsplit(address).netloc.lower() != urlsplit(base_url).netloc.lower():
            continue
        url = without_session(address)
        shown = text_of(link) or link.attrib.get("title", "")
        named = next(iter(parse_qs(urlsplit(url).query).get("Document", [])), "")
        name = next((text for text in (shown, named) if _FILE_NAME.fullmatch(text)), None)
        archive = "_DownloadTenderDocuments" in url or "documents-download-all" in link.attrib.get("class", "")
        found.setdefault(
            url,
            Attachment(
                url,
                filename=name,
                media_type="application/zip" if archive else None,
                description=without_contacts(shown) if shown and shown != name else None,
            ),
        )
    single = [file for file in found.values() if file.media_type is None]
    return single or list(found.values())  # the archive of all holds the single files once more
