"""Addresses of pages as buyers type them into notices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenderscrapy.items import Link, Notice
from tenderscrapy.normalise.text import printable, unescaped

if TYPE_CHECKING:
    from collections.abc import Iterable

_LONGEST = 2000
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)


def web_address(text: str) -> str | None:
    """The http(s) address in ``text``; None for mail addresses, other schemes and what is no address.

    An address published with ``&amp;`` for ``&`` is repaired; one without scheme gets ``http://``, which servers
    answer or redirect; blanks inside are encoded. User names in addresses are refused.
    """
    address = "%20".join(unescaped(printable(text)).split())
    if not _SCHEME.match(address):
        address = f"http://{address.lstrip('/')}"
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        return None
    if parts.scheme.lower() not in {"http", "https"} or "@" in parts.netloc or len(address) > _LONGEST:
        return None
    return address if "." in host and "%20" not in host else None


def add_links(notice: Notice, rel: str, texts: Iterable[str]) -> None:
    """Add each distinct page to ``notice.links``; what is no address leaves the flag ``link_unreadable``."""
    known = {link.url for link in notice.links}
    for text in dict.fromkeys(text.strip() for text in texts if text.strip()):
        url = web_address(text)
        if url is None:
            # Never the text: where an address is expected, people also type their own.
            notice.flag("link_unreadable", "links", rel)
        elif url not in known:
            known.add(url)
            notice.links.append(Link(url, rel))
