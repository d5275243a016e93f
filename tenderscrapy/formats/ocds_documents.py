"""Documents of an OCDS release: files to download, pages to read, and what is neither."""

from __future__ import annotations

import mimetypes
import re
from typing import TYPE_CHECKING

from tenderscrapy.formats.ocds_publishers import documents_of, is_notice_page, page_id, page_of
from tenderscrapy.items import Attachment, Link
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_title
from tenderscrapy.normalise.urls import WebAddress, web_address

if TYPE_CHECKING:
    from tenderscrapy.formats.ocds_publishers import Publisher
    from tenderscrapy.formats.reading import Json, Reader

_MEDIA_TYPE = re.compile(r"(?:application|audio|image|text|video|model|font|message|multipart)/[\w.+-]+")
_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_ENDING = re.compile(r"\.?([a-z0-9]{2,5})")
_FILE_NAME = re.compile(r"[^/\\<>|]+\.[A-Za-z][A-Za-z0-9]{1,4}")
_ALWAYS_A_FILE = re.compile(r"/Notice/Attachment/", re.IGNORECASE)


def read_documents(release: Json, publisher: Publisher, base_url: str | None, reader: Reader) -> None:
    """Fill the notice's url, attachments and links; ``base_url`` is where relative addresses start.

    Only what the publisher calls by a file format is a download; its own attachment addresses always are.
    An address that is none is dropped with the flag ``document_url_invalid``; a document without address is no fault.
    """
    notice = reader.notice
    pages: list[WebAddress] = []
    for document in documents_of(release, reader):
        address = _address(document, base_url, reader)
        if address is None:
            continue
        media_type = _media_type(document, reader)
        if _ALWAYS_A_FILE.search(address.url) or (media_type and media_type not in _PAGES):
            _add_attachment(document, address.url, media_type, reader)
        elif page_id(address.url, publisher):
            pages.append(address)
        else:
            _add_link(address.url, _rel(document, address.url), reader)
    _set_page(pages, publisher, reader)
    _read_submission(reader.part(release, "tender"), reader)
    notice.links = [link for link in notice.links if link.url != notice.url]


def _address(document: Json, base_url: str | None, reader: Reader) -> WebAddress | None:
    written = reader.text(document, "url", "document_url")
    if not written or not written.strip():
        return None
    try:
        address = web_address(written, base_url)
    except ValueError:
        reader.flag("document_url_invalid", "attachments", written)
        return None
    if address.relative:
        reader.flag("url_relative", "attachments", written)
    return address


def _media_type(document: Json, reader: Reader) -> str | None:
    """The media type that the publisher states, as type or as file ending; None when it says neither."""
    written = (reader.text(document, "format", "document_format") or "").partition(";")[0].strip().lower()
    if _MEDIA_TYPE.fullmatch(written):
        return written
    ending = _ENDING.fullmatch(written)
    return mimetypes.types_map.get(f".{ending[1]}") if ending else None


def _add_attachment(document: Json, url: str, media_type: str | None, reader: Reader) -> None:
    if any(known.url == url for known in reader.notice.attachments):
        return
    title = clean_title(reader.text(document, "title", "document_title"))
    description = title or clean_title(reader.text(document, "description", "document_description"))
    reader.notice.attachments.append(
        Attachment(
            url=url,
            filename=title if title and _FILE_NAME.fullmatch(title) else None,
            media_type=media_type,
            description=without_contacts(description) if description else None,
        )
    )


def _rel(document: Json, url: str) -> str:
    kind = document.get("documentType")
    if is_notice_page(url) or (isinstance(kind, str) and kind.endswith("Notice")):
        return "notice"
    return "documents"


def _add_link(url: str, rel: str, reader: Reader) -> None:
    if not any(known.url == url for known in reader.notice.links):
        reader.notice.links.append(Link(url, rel))


def _set_page(pages: list[WebAddress], publisher: Publisher, reader: Reader) -> None:
    """The notice's own page as linked, else as the publisher builds it, else the only page that is linked at all."""
    notice = reader.notice
    own = [page.url for page in pages if (page_id(page.url, publisher) or "").lower() == notice.notice_id.lower()]
    built = page_of(notice.notice_id, publisher)
    notice.url = own[0] if own else built
    if notice.url is None and pages:
        notice.url = pages[0].url
    for page in pages:
        _add_link(page.url, "notice", reader)


def _read_submission(tender: Json, reader: Reader) -> None:
    written = tender.get("submissionMethodDetails")
    if isinstance(written, str) and re.match(r"\s*(?:https?://|www\.)\S+\s*$", written, re.IGNORECASE):
        try:
            _add_link(web_address(written).url, "submission", reader)
        except ValueError:
            reader.flag("submission_url_invalid", "links", written)
