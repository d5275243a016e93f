"""What a file is: by its first bytes, never by its name alone; the name and media type say what it claims to be."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import PurePosixPath

_MAGIC = (
    (b"\x89PNG\r\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"II*\0", "image"),
    (b"MM\0*", "image"),
    (b"BM", "image"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"{\\rtf", "rtf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
)
#: Kind -> the media type under which its reader knows it.
MEDIA_TYPES = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "odt": "application/vnd.oasis.opendocument.text",
    "ods": "application/vnd.oasis.opendocument.spreadsheet",
    "doc": "application/msword",
    "xls": "application/vnd.ms-excel",
    "ppt": "application/vnd.ms-powerpoint",
    "msg": "application/vnd.ms-outlook",
    "rtf": "application/rtf",
    "html": "text/html",
    "7z": "application/x-7z-compressed",
    "epub": "application/epub+zip",
}
_OFFICE_FOLDERS = {"word": "docx", "xl": "xlsx", "ppt": "pptx"}
_BINARY_CLAIMS = {"pdf", "zip", "7z", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "rtf", "msg"}
_HTML = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_XML = re.compile(rb"\s*<(?:\?xml|!DOCTYPE|[A-Za-z_][\w.-]*(?::[\w.-]+)?[\s>/])")


def kind_of(data: bytes) -> str:
    """A key of MEDIA_TYPES, ``ole``, ``pdf``, ``zip``, ``tar``, ``gzip``, ``rar``, ``xml``, ``text``, ``image`` or
    ``unknown``.
    """
    if b"%PDF-" in data[:1024]:
        return "pdf"
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data)
    if data[257:262] == b"ustar":
        return "tar"
    return _text_kind(data)


def _zip_kind(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            names = set(file.namelist()[:5000])
            if "[Content_Types].xml" in names:
                folders = {name.split("/", 1)[0] for name in names}
                return next((kind for folder, kind in _OFFICE_FOLDERS.items() if folder in folders), "zip")
            if "mimetype" in names and file.getinfo("mimetype").file_size < 200:
                media_type = file.read("mimetype").decode("ascii", "replace").strip()
                return next((kind for kind, known in MEDIA_TYPES.items() if known == media_type), "zip")
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError):
        pass
    return "zip"


def _text_kind(data: bytes) -> str:
    start = data[:4096].removeprefix(b"\xef\xbb\xbf")
    if _HTML.match(start):
        return "html"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text"
    unprintable = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in start)
    if unprintable * 10 > len(start):
        return "unknown"
    return "html" if b"<html" in start.lower() else "xml" if _XML.match(start) else "text"


def claimed_kind(name: str, media_type: str | None) -> str:
    """The binary kind that the name's ending or the media type promises, else an empty string."""
    suffix = PurePosixPath(name.lower()).suffix.lstrip(".")
    if suffix in _BINARY_CLAIMS:
        return suffix
    stated = (media_type or "").split(";")[0].strip().lower()
    if stated in ("application/pdf", "application/zip"):
        return stated.removeprefix("application/")
    return next((kind for kind, known in MEDIA_TYPES.items() if known == stated and kind in _BINARY_CLAIMS), "")


def ole_kind(name: str, media_type: str | None) -> str:
    """Which of the old Office formats a compound file is; they all begin alike."""
    claim = claimed_kind(name, media_type)
    return claim if claim in ("doc", "xls", "ppt", "msg") else "doc"
