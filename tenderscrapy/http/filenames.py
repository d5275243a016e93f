"""What a downloaded file is called: read from headers that follow RFC 6266, 5987, 2231 or nothing at all."""

from __future__ import annotations

import re
import unicodedata
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from pathlib import PurePosixPath
from urllib.parse import unquote, unquote_to_bytes, urlsplit

LONGEST = 255  # bytes

_PARAMETER = re.compile(r';\s*([\w.-]+\*?(?:\d+\*?)?)\s*=\s*("(?:\\.|[^"\\])*"(?=\s*(?:;|$))|[^;]*)', re.DOTALL)
_CONTINUED = re.compile(r"filename\*(\d+)(\*?)", re.IGNORECASE)
_EXTENDED = re.compile(r"([\w.:+-]*)'[^']*'(.*)", re.DOTALL)
_FORBIDDEN = re.compile(r'[:*?"<>|]')
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,10}")


def from_disposition(header: bytes | str | None) -> str | None:
    """The file name that a Content-Disposition header gives, ready to be shown; None when it gives none.

    ``filename*`` wins over ``filename``. Raw bytes are read as UTF-8 where they are UTF-8, else as Latin-1.
    """
    if not header:
        return None
    text = _decoded(header) if isinstance(header, bytes) else header
    # what stands before the first semicolon is the type, unless it was forgotten
    text = text if re.match(r"\s*[\w-]+\s*(;|$)", text) else f";{text}"
    parameters = {name.lower(): value.strip() for name, value in _PARAMETER.findall(text)}
    for candidate in (_extended(parameters), _continued(parameters), _plain(parameters.get("filename", ""))):
        name = clean_name(candidate) if candidate else ""
        if name:
            return name
    return None


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return (
            raw.decode("cp1252", "replace") if not re.search(rb"[\x81\x8d\x8f\x90\x9d]", raw) else raw.decode("latin-1")
        )


def _extended(parameters: dict[str, str]) -> str:
    """``filename*``: charset, language and percent-encoded bytes; also quoted, or without its charset."""
    value = parameters.get("filename*", "")
    return _percent_decoded(value.strip('"')) if value else ""


def _percent_decoded(value: str) -> str:
    match = _EXTENDED.fullmatch(value)
    charset, encoded = (match[1], match[2]) if match else ("", value)
    raw = unquote_to_bytes(encoded)
    try:
        return raw.decode(charset or "utf-8")
    except (LookupError, UnicodeDecodeError):
        return _decoded(raw)


def _continued(parameters: dict[str, str]) -> str:
    """RFC 2231: ``filename*0*=UTF-8''a; filename*1=b``."""
    pieces = []
    for name, value in parameters.items():
        if match := _CONTINUED.fullmatch(name):
            pieces.append((int(match[1]), value.strip('"'), bool(match[2])))
    pieces.sort()
    if not pieces:
        return ""
    if not any(encoded for _, _, encoded in pieces):
        return "".join(value for _, value, _ in pieces)
    return _percent_decoded("".join(value if encoded else value.replace("%", "%25") for _, value, encoded in pieces))


def _plain(value: str) -> str:
    """``filename``: quoted or not, its bytes raw, percent-encoded, or as a mail header's encoded word."""
    text = value.strip()
    if len(text) > 1 and text.startswith('"') and text.endswith('"'):
        # a backslash escapes a quote or itself; before anything else it parts the folders of a Windows path
        text = re.sub(r'\\(["\\])', r"\1", text[1:-1])
    text = text.strip().strip('"')
    if "=?" in text:
        try:
            return str(make_header(decode_header(text)))
        except (HeaderParseError, LookupError, UnicodeDecodeError, ValueError):
            return text
    if re.search("%[0-9A-Fa-f]{2}", text):
        try:
            return unquote_to_bytes(text).decode("utf-8")
        except UnicodeDecodeError:
            return text
    return text


def from_url(url: str, ending: str = "") -> str:
    """A name out of the address: its last part, with ``ending`` (``.pdf``) when it has none of its own."""
    name = clean_name(unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2], errors="replace"))
    if not name:
        return f"document{ending}"
    return name if ending_of(name) else name + ending


def clean_name(name: str) -> str:
    """``name`` as it may be shown and saved: no folders, no control or direction marks, at most LONGEST bytes.

    The ending is kept when the name is cut. Empty when nothing of it is left.
    """
    text = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode("utf-8"))
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cc", "Cf", "Cs") or char in "\t\r\n")
    text = " ".join(text.split()).replace("\\", "/").rstrip("/").rpartition("/")[2]
    text = _FORBIDDEN.sub("_", text).strip()
    if not text.strip("._ "):
        return ""
    return _cut(text.rstrip(". "))


def _cut(text: str) -> str:
    if len(text.encode()) <= LONGEST:
        return text
    ending = ending_of(text)
    stem = text.removesuffix(ending).encode()[: LONGEST - len(ending.encode())]
    return stem.decode("utf-8", "ignore").rstrip(". ") + ending


def ending_of(name: str) -> str:
    """The ending with its dot (``.pdf``), as written; empty when there is none worth the name."""
    suffix = PurePosixPath(name).suffix
    return suffix if _ENDING.fullmatch(suffix) and not suffix[1:].isdigit() else ""
