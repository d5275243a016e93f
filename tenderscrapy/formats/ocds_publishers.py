"""Who publishes OCDS, told by the prefix of the OCID: source code, place, time zone, and how a notice is numbered."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenderscrapy.formats.reading import Json, Reader

_GUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
#: The form of a UUID.
UUID = re.compile(_GUID, re.IGNORECASE)
_GUID_FIRST = re.compile(rf"({_GUID})(?:-.*)?", re.IGNORECASE | re.DOTALL)
_NUMBER = r"\d{1,6}-\d{4}"


@dataclass(frozen=True, slots=True)
class Publisher:
    """``country`` None: the buyer's address tells. ``page`` is the address of a notice whose id is of form ``id``.

    ``page_id`` finds the id in a document's address.
    """

    source_code: str
    base_url: str | None = None
    zone: str | None = None
    country: str | None = None
    page: str = ""
    page_id: re.Pattern[str] | None = None
    id: re.Pattern[str] | None = None


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


_LONDON = "Europe/London"
_SEARCH_VIEW = _pattern(r"/search/show/search_view\.aspx\?ID=([A-Z]{3}\d+)$")

_PUBLISHERS = {
    "b5fd17": Publisher(
        "contracts_finder", "https://www.contractsfinder.service.gov.uk", _LONDON, "GB", "/Notice/{}",
        _pattern(rf"/Notice/({_GUID})/?$"), _pattern(_GUID),
    ),
    "h6vhtk": Publisher(
        "find_a_tender", "https://www.find-tender.service.gov.uk", _LONDON, "GB", "/Notice/{}",
        _pattern(rf"/Notice/({_NUMBER})/?$"), _pattern(_NUMBER),
    ),
    "mnwr74": Publisher(
        "doe", "https://oeffentlichevergabe.de", "Europe/Berlin", None, "/ui/de/search/details?noticeId={}",
        _pattern(rf"/search/details(?:\?noticeId=|/)({_GUID}|\d{{8}})"), _pattern(rf"{_GUID}|\d{{8}}"),
    ),
    "r6ebe6": Publisher(
        "public_contracts_scotland", "https://www.publiccontractsscotland.gov.uk", _LONDON, "GB",
        "/search/show/search_view.aspx?ID={}", _SEARCH_VIEW, _pattern(r"[A-Z]{3}\d+"),
    ),
    "kuma6s": Publisher(
        "sell2wales", "https://www.sell2wales.gov.wales", _LONDON, "GB",
        "/search/show/search_view.aspx?ID={}", _SEARCH_VIEW, _pattern(r"[A-Z]{3}\d+"),
    ),
}  # fmt: skip
_BY_CODE = {publisher.source_code: publisher for publisher in _PUBLISHERS.values()}
_PREFIX = re.compile(r"ocds-([a-z0-9]{6})", re.IGNORECASE)


def publisher_of(ocid: str | None, source_code: str | None = None) -> Publisher:
    """The publisher of an OCID, or of a source code (``sample:doe`` imitates ``doe``); an unknown one is ``ocds``."""
    prefix = _PREFIX.match(ocid or "")
    known = _PUBLISHERS.get(prefix[1].lower()) if prefix else None
    return known or _BY_CODE.get((source_code or "").rpartition(":")[2]) or Publisher("ocds")


def notice_id(release: Json, publisher: Publisher, reader: Reader) -> str:
    """The number of the notice, without the number of its edition.

    Contracts Finder: the GUID that release.id begins with. Others: release.id. Without release.id it is the number of
    the notice's own page among the documents, else a hash of what tells the release from others.
    """
    release_id = reader.identifier(release, "id")
    if release_id:
        guid = _GUID_FIRST.fullmatch(release_id)
        if guid and publisher.source_code in ("contracts_finder", "doe"):
            return guid[1].lower()
        return release_id
    return _numbered_by_documents(release, publisher, reader) or _hashed(release, reader)


def documents_of(release: Json, reader: Reader) -> list[Json]:
    """The documents of all stages: planning, tender, awards, contracts."""
    stages = [reader.part(release, "planning"), reader.part(release, "tender")]
    stages += reader.parts(release, "awards") + reader.parts(release, "contracts")
    return [document for stage in stages for document in reader.parts(stage, "documents")]


def page_id(url: str, publisher: Publisher) -> str | None:
    """The notice id in the address of one of the publisher's notice pages; None for any other address."""
    match = publisher.page_id.search(url) if publisher.page_id else None
    return match[1] if match else None


def is_notice_page(url: str) -> bool:
    """Whether the address is of a notice page of any known publisher."""
    return any(page_id(url, publisher) for publisher in _PUBLISHERS.values())


def page_of(notice_number: str, publisher: Publisher) -> str | None:
    """The address of the notice's own page; None where the number does not lead to one."""
    if publisher.base_url and publisher.id and publisher.id.fullmatch(notice_number):
        return publisher.base_url + publisher.page.format(notice_number)
    return None


def _numbered_by_documents(release: Json, publisher: Publisher, reader: Reader) -> str | None:
    """Of several numbers the one published with this release, else the highest (later notices count on)."""
    found: list[tuple[bool, str, str]] = []
    for document in documents_of(release, reader):
        number = reader.identifier(document, "id") or ""
        if not (publisher.id and publisher.id.fullmatch(number)):
            number = page_id(str(document.get("url") or ""), publisher) or ""
        if number:
            now = document.get("datePublished") == release.get("date")
            found.append((now, ".".join(reversed(number.split("-"))), number))
    return max(found)[2] if found else None


def _hashed(release: Json, reader: Reader) -> str:
    tags = release.get("tag")
    parts = [
        release.get("ocid"),
        release.get("date"),
        ",".join(map(str, tags)) if isinstance(tags, list) else tags,
        reader.part(release, "buyer").get("name"),
        reader.part(release, "tender").get("title") or release.get("title"),
    ]
    text = "|".join("" if part is None else str(part) for part in parts)
    return hashlib.sha1(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
