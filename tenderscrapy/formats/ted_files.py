"""The two files that TED offers of every notice: the XML and the PDF in the notice's language.

File names are ours: the addresses end in ``/pdf`` and ``/xml``. The tender documents themselves are on the buyer's
platform and never among these links.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tenderscrapy.formats.ted_codes import preferred_language
from tenderscrapy.formats.ted_shapes import texts
from tenderscrapy.items import Attachment, Notice
from tenderscrapy.normalise.places import language2

#: Whose files are taken. A record could name any address; one of another host is dropped with the flag
#: ``file_host_refused``. ``host:port`` in the set also lets plain http pass, for a server under test.
TED_HOSTS = frozenset({"ted.europa.eu"})


def attachments(
    notice: Notice, links: Any, languages: list[str], hosts: frozenset[str] = TED_HOSTS
) -> list[Attachment]:
    """The XML in all languages and one PDF: in the first of ``languages`` that there is, else in English.

    ``links`` is the record's own, of any shape. Raises nothing.
    """
    if not isinstance(links, dict):
        return []
    wanted = [("xml", "mul", f"{notice.notice_id}.xml", "application/xml")]
    own = preferred_language(_offered(links, "pdf", {*languages, "eng"}), languages)
    if own:
        wanted.append(("pdf", own, f"{notice.notice_id}_{language2(own)}.pdf", "application/pdf"))
    found = []
    for kind, language, filename, media_type in wanted:
        addresses = _offered(links, kind, {language}).get(language, [])
        if addresses and _is_allowed(addresses[0], hosts):
            found.append(Attachment(addresses[0], filename, media_type))
        elif addresses:
            notice.flag("file_host_refused", "attachments", addresses[0])
    return found


def _offered(links: dict[str, Any], kind: str, languages: set[str]) -> dict[str, list[str]]:
    """``texts`` of these languages alone: every record offers a file in each of two dozen."""
    by_language = links.get(kind)
    if not isinstance(by_language, dict):
        return {}
    return texts({kind: {code: v for code, v in by_language.items() if code.strip().lower() in languages}}, kind)


def _is_allowed(address: str, hosts: frozenset[str]) -> bool:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return False
    if "@" in parts.netloc or address.split() != [address]:
        return False
    if parts.scheme == "https" and port in {None, 443} and host in hosts:
        return True
    return parts.scheme in {"http", "https"} and f"{host}:{port}" in hosts
