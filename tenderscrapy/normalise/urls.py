"""Web addresses as notices write them, made absolute and free of sessions.

This reads what was meant; whether an address may be fetched is decided by tenderscrapy.http.url_guard alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from tenderscrapy.normalise.text import printable

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_JSESSIONID = re.compile(r";jsessionid=[^?#;/]*", re.IGNORECASE)
_CSRT = re.compile(r"(?<=[?&])csrt=[^&#]*(?:&|(?=#)|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An absolute http or https address; ``relative`` when the source left out its beginning."""

    url: str
    relative: bool = False


#: Browsers drop these from an address, wherever they stand.
_BREAKS = re.compile(r"[\t\r\n]")


def web_address(written: str, base: str | None = None) -> WebAddress:
    """The address that ``written`` means on a page at ``base``.

    Scheme and host come in lower case, blanks in the path are encoded, session parts are cut. Raises ValueError for
    other schemes, user names, hosts without a dot or with a blank, and relative addresses without a base.
    """
    text = _BREAKS.sub("", printable(written).strip()).replace("&amp;", "&")
    text, relative = _absolute(text, base)
    parts = urlsplit(text)
    host = (parts.hostname or "").removesuffix(".")
    if parts.scheme not in ("http", "https") or "@" in parts.netloc or re.search(r"[\s\\%]", parts.netloc):
        raise ValueError(f"not a web address: {written[:60]!r}")
    if "." not in host or not all(host.split(".")) or parts.port == 0:
        raise ValueError(f"not a host on the web: {written[:60]!r}")
    path = text[text.index("://") + 3 + len(parts.netloc) :]
    return WebAddress(without_session(f"{parts.scheme}://{parts.netloc.lower()}{_encoded(path)}"), relative)


def without_session(url: str) -> str:
    """``url`` without ``;jsessionid=`` and ``csrt=``: the same page in any visitor's session."""
    shorter = _CSRT.sub("", _JSESSIONID.sub("", url))
    return shorter if shorter == url else shorter.rstrip("?&")


def _absolute(text: str, base: str | None) -> tuple[str, bool]:
    if text.startswith("//"):
        return f"https:{text}", False
    if text.lower().startswith("www."):
        return f"https://{text}", True
    if _SCHEME.match(text):
        return text, False
    if not text or not base:
        raise ValueError(f"not an absolute address: {text[:60]!r}")
    return urljoin(base.rstrip("/") + "/", text), True


def _encoded(path: str) -> str:
    return re.sub(r"\s", "%20", path)
