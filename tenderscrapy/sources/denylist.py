"""Portals whose operators prohibit automated access. No setting, file or argument opens them."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING
from urllib.parse import unquote

import idna

if TYPE_CHECKING:
    from collections.abc import Iterator

DENIED = ("vergabe24.de", "vergabe24-direkt.de", "aumass.de")

_AUTHORITY = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?/+([^/?#]*)", re.IGNORECASE)
_PORT = re.compile(r":[^:\]]*$")
_INVISIBLE = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": ".", "\u2024": "."})


def is_denied(address: str) -> bool:
    """Whether a URL or a host name is one of DENIED or below it, in any spelling that some client reads so.

    Clients differ over backslashes, user names, percent signs, full-width letters and the two IDNA standards: one
    reading that leads to a denied portal is enough.
    """
    return any(host == denied or host.endswith("." + denied) for host in readings(address) for denied in DENIED)


def readings(address: str) -> set[str]:
    """Every host name that a client may read out of ``address``; lower case, without port and trailing dots."""
    text = re.sub(r"[\t\r\n]", "", address).strip()
    found: set[str] = set()
    for spelling in {text, text.replace("\\", "/"), unquote(text)}:
        for authority in _authorities(spelling):
            found.update(_hosts(authority))
    return found


def _authorities(text: str) -> Iterator[str]:
    match = _AUTHORITY.match(text)
    authority = match[1] if match else re.split(r"[/?#]", text, maxsplit=1)[0]
    yield authority
    yield from authority.split("@")


def _hosts(authority: str) -> Iterator[str]:
    host = _PORT.sub("", authority.rpartition("@")[2])
    for _ in range(3):
        host = unquote(host)
    plain = _INVISIBLE.sub("", host).translate(_DOTS)
    folded = unicodedata.normalize("NFKC", plain).translate(_DOTS)
    for form in {plain, folded, folded.casefold(), _unfolded(folded)}:
        lowered = form.lower().strip(". ")
        yield lowered
        yield from _idna_forms(lowered)


def _unfolded(host: str) -> str:
    """Punycode labels as the letters that they stand for, sharp s as ss."""
    labels = []
    for label in host.lower().split("."):
        try:
            labels.append(label.encode("ascii").decode("idna") if label.startswith("xn--") else label)
        except UnicodeError:
            try:
                labels.append(idna.decode(label))
            except UnicodeError:
                labels.append(label)
    return ".".join(labels).casefold()


def _idna_forms(host: str) -> Iterator[str]:
    for encode in (_idna_2003, _uts_46):
        try:
            yield encode(host).strip(".").lower()
        except (UnicodeError, ValueError):
            continue


def _idna_2003(host: str) -> str:
    return host.encode("idna").decode("ascii")


def _uts_46(host: str) -> str:
    return idna.encode(host, uts46=True).decode("ascii")
