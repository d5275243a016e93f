"""What a file is, by its first and last bytes; and whether that is what it says it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tenderscrapy.exceptions import AttachmentError
from tenderscrapy.http.filenames import ending_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_HEAD = 65_536
_TAIL = 66_000  # a ZIP's end record and the longest comment behind it

PDF, HTML, XML, ZIP, TEXT = "application/pdf", "text/html", "application/xml", "application/zip", "text/plain"
OCTETS = "application/octet-stream"
_OFFICE = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
OLE = "application/x-ole-storage"

ENDINGS = {
    ".pdf": PDF,
    ".docx": f"{_OFFICE}wordprocessingml.document",
    ".xlsx": f"{_OFFICE}spreadsheetml.sheet",
    ".pptx": f"{_OFFICE}presentationml.presentation",
    ".odt": f"{_ODF}text",
    ".ods": f"{_ODF}spreadsheet",
    ".odp": f"{_ODF}presentation",
    ".doc": "application/msword",
    ".xls": "application/vnd.ms-excel",
    ".ppt": "application/vnd.ms-powerpoint",
    ".rtf": "application/rtf",
    ".zip": ZIP,
    ".7z": "application/x-7z-compressed",
    ".rar": "application/vnd.rar",
    ".gz": "application/gzip",
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": HTML,
    ".xml": XML,
    ".txt": TEXT,
    ".csv": "text/csv",
    ".json": "application/json",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".tif": "image/tiff",
    ".tiff": "image/tiff",
}
_ENDING_OF = {media_type: ending for ending, media_type in reversed(ENDINGS.items())}

_NAMES = {PDF: "a PDF", ZIP: "a ZIP archive", "application/rtf": "an RTF document"} | {
    ENDINGS[ending]: f"a document of the type {ending[1:].upper()}"
    for ending in (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".doc", ".xls", ".ppt", ".7z", ".rar", ".gz")
}

_SIGNATURES = (
    (b"PK\x03\x04", ZIP),
    (b"PK\x05\x06", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rtf", "application/rtf"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
_HTML_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|script|meta|title|div|form|table|p|br|h[1-6])\b", re.IGNORECASE
)
# What may stand in front of a document's first tag.
_PREFACES = ((b"<!--", b"-->"), (b"<?", b"?>"))
_OFFICE_PARTS = ((b"word/", ".docx"), (b"xl/", ".xlsx"), (b"ppt/", ".pptx"))
_ZIP_FAMILY = {ZIP, *(ENDINGS[ending] for ending in (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp"))}
_OLE_FAMILY = {OLE, *(ENDINGS[ending] for ending in (".doc", ".xls", ".ppt"))}
_NOTHING_SAID = {"", OCTETS, "binary/octet-stream", *(f"application/{verb}download" for verb in ("", "x-", "force-"))}
_ALIASES = {
    "application/xhtml+xml": HTML,
    "text/xml": XML,
    "application/x-zip-compressed": ZIP,
    "application/x-pdf": PDF,
}


def sniff(head: bytes, tail: bytes = b"") -> str | None:
    """The media type that the content itself shows; None when it shows none."""
    if b"%PDF-" in head[:1024]:
        return PDF
    for signature, media_type in _SIGNATURES:
        if head.startswith(signature):
            return _in_zip(head, tail) if media_type == ZIP else media_type
    text = _as_text(head)
    if text is None:
        return None
    if _HTML_TAG.match(_first_tag(text)):
        return HTML
    return XML if text.startswith(b"<?xml") or re.match(rb"<[A-Za-z][\w.:-]*[\s>/]", text) else TEXT


def _in_zip(head: bytes, tail: bytes) -> str:
    declared = re.match(rb".{26}\x08\0.{2}mimetype([\w./+-]+?)(?:PK|-template)", head[:200], re.DOTALL)
    if declared:
        return declared[1].decode("ascii")
    if b"[Content_Types].xml" in head or b"[Content_Types].xml" in tail:
        for part, ending in _OFFICE_PARTS:
            if part in head or part in tail:
                return ENDINGS[ending]
    return ZIP


def _as_text(head: bytes) -> bytes | None:
    """The beginning as UTF-8 text without its white space, None when it is no text."""
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if head.startswith(mark):
            return head[2:4096].decode(encoding, "ignore").lstrip().encode()
    start = head.removeprefix(b"\xef\xbb\xbf")[:4096]
    if not start or any(byte < 32 and byte not in b"\t\n\x0b\x0c\r\x1b" for byte in start):
        return None
    return start.lstrip()


def _first_tag(text: bytes) -> bytes:
    """``text`` from its first tag on, past comments and processing instructions."""
    rest = text
    for beginning, end in _PREFACES * 20:
        if rest.startswith(beginning):
            rest = rest.partition(end)[2].lstrip()
    return rest


def ending_for(media_type: str | None) -> str:
    """The usual ending of a media type (``.pdf``), empty for an unknown one."""
    return _ENDING_OF.get(_plain(media_type), "")


def checked(path: Path, name: str, declared: Iterable[str | None]) -> str:
    """The media type of the file at ``path``, held against its ``name`` and what source and server declared.

    An ending counts more than a declared type; "octet-stream" says nothing. A document of another kind than declared
    is kept as what it is. Raises AttachmentError for an empty file, for an HTML page in place of a document (a login
    page, mostly), and for text in place of a binary format.
    """
    size = path.stat().st_size
    if size == 0:
        raise AttachmentError("the file is empty")
    head, tail = _ends(path, size)
    found = sniff(head, tail)
    claims = [ENDINGS.get(ending_of(name).lower(), ""), *(_plain(media_type) for media_type in declared)]
    claimed = next((claim for claim in claims if claim not in _NOTHING_SAID), "")
    if found == HTML and HTML not in claims[:2]:
        raise AttachmentError(f"is an HTML page, not {_NAMES.get(claimed, 'a document')}")
    if found in (None, TEXT, XML) and claimed in _NAMES:
        raise AttachmentError(f"is not {_NAMES[claimed]}")
    if found in (None, TEXT, XML):
        return claimed if claimed and claimed != HTML else found or OCTETS
    family = next((family for family in (_ZIP_FAMILY, _OLE_FAMILY) if found in family), set[str]())
    return claimed if claimed in family and found in (ZIP, OLE) else found


def _ends(path: Path, size: int) -> tuple[bytes, bytes]:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(0, size - _TAIL))
        return head, file.read(_TAIL)


def ends_early(path: Path, media_type: str) -> bool:
    """Whether a file lacks the end mark of its format; for answers that did not say how long they are."""
    _, tail = _ends(path, path.stat().st_size)
    if media_type == PDF:
        return b"%%EOF" not in tail
    return media_type in _ZIP_FAMILY and b"PK\x05\x06" not in tail


def _plain(media_type: str | None) -> str:
    text = (media_type or "").partition(";")[0].strip().lower()
    if text and "/" not in text:
        text = ENDINGS.get(f".{text.lstrip('.')}", text)
    return _ALIASES.get(text, text)
