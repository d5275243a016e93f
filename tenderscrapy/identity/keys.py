"""Strong keys: identities by which notices of any source are known to be about one procedure (docs/identity.md).

A key is made only from fields that name the procedure or the notice itself. Numbers in running text never make one:
notices cite earlier procedures.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tenderscrapy.items import Key
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenderscrapy.items import Notice

#: From the surest to the widest: K0, K1, K2, K2b, K3, K3, K4.
KINDS = ("notice", "ocid", "procedure_uuid", "notice_uuid", "cosinex_project", "netserver_oid", "oj_number")

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_UUID_AND_VERSION = re.compile(rf"({_UUID})(?:-\d{{1,3}})?", re.IGNORECASE)
_NO_UUID = "00000000-0000-0000-0000-000000000000"
_OCID = re.compile(r"ocds-[a-z0-9]+-(?P<local>[^\s|]+)")
#: Contracts Finder's own numbers are GUIDs; integers under its prefix are somebody else's framework contracts.
_FOREIGN_OCID = re.compile(r"ocds-b5fd17-\d+")
_PROCEDURE_OCID = re.compile(rf"ocds-mnwr74-({_UUID})")
_COSINEX = re.compile(r"/(?:notice|project)/(CX[A-Z0-9]{6,}|(?i:cx(?=[a-z]*\d)[a-z0-9]{6,}))(?![A-Za-z0-9])")
_COSINEX_ID = re.compile(r"CX[A-Z0-9]{6,}", re.IGNORECASE)
_NETSERVER = re.compile(r"[?&;](?:TenderOID|TWOID)=(54321-[a-z]+-[0-9a-f]+-[0-9a-f]+)(?![0-9a-z-])", re.IGNORECASE)
_PUBLICATION_NUMBER = re.compile(r"0*([1-9]\d{0,7})-((?:19|20)\d{2})")
#: "2019/S 028-061639"; issue 000 is the United Kingdom's own service, not the Official Journal.
_OJ_REFERENCE = re.compile(r"((?:19|20)\d{2})/S\s*(?!0+-)\d{1,3}-0*([1-9]\d{0,7})")
#: Their notices are numbered like those of the Official Journal, but apart from it.
_OWN_NUMBERS = frozenset({"find_a_tender", "contracts_finder", "public_contracts_scotland", "sell2wales"})
#: Relations of one procedure; framework, prior, parent and the rest name other procedures.
_SAME_PROCEDURE = frozenset({"planning"})

_STAND_INS = re.compile(
    r"(?:n\.?/?a|none|null|nil|nan|unknown|unbekannt|undefined|tb[ac]|tbd|nv|k\.?\s?a|keine|siehe|see|entfällt)\.?",
    re.IGNORECASE,
)


_E_MAIL = re.compile(r"[^@\s]+@[^@\s]+")


def is_placeholder(identity: str | None) -> bool:
    """Whether the text only stands in for an identity: empty, punctuation, ``n/a``, words without any number, a person.

    An e-mail address in its place names somebody who must not be stored.
    """
    text = (identity or "").strip()
    if not any(character.isalnum() for character in text) or not text.strip("0-. "):
        return True
    if _E_MAIL.fullmatch(text):
        return True
    return not any(character.isdigit() for character in text) and (
        len(text.split()) > 1 or _STAND_INS.fullmatch(text) is not None
    )


def publication_number(text: str) -> str | None:
    """The number of an Official Journal notice as ``61639-2019``; None when ``text`` is more or less than one."""
    text = text.strip()
    number = _PUBLICATION_NUMBER.fullmatch(text)
    if number:
        return f"{number[1]}-{number[2]}"
    reference = _OJ_REFERENCE.fullmatch(re.sub(r"^(?:OJ|ABl\.?|JO)\s*S?\s+", "", text))
    return f"{reference[2]}-{reference[1]}" if reference else None


def strong_keys(notice: Notice) -> list[Key]:
    """All keys of the notice, each once, in the order of KINDS. Pure: the same notice always has the same keys.

    A notice that corrects another holds that one's number too, so that both are one tender.
    """
    found = {Key(kind, value) for kind, value in _keys(notice) if value}
    return sorted(found, key=lambda key: (KINDS.index(key.kind), key.value))


def _keys(notice: Notice) -> Iterator[tuple[str, str | None]]:
    yield "notice", _notice(notice)
    ocid = _ocid(notice.ocid)
    yield "ocid", ocid
    procedure = _PROCEDURE_OCID.fullmatch(ocid or "")
    yield "procedure_uuid", procedure[1] if procedure else None
    yield "procedure_uuid", _uuid(notice.procedure_id)
    yield "notice_uuid", _uuid(notice.notice_uuid)
    yield "notice_uuid", _uuid(notice.changes_notice)
    for number in _oj_numbers(notice):
        yield "oj_number", number
    if _family(notice) == "cosinex" and _COSINEX_ID.fullmatch(notice.notice_id):
        yield "cosinex_project", notice.notice_id.upper()
    for url in (notice.url, *(link.url for link in notice.links), *(file.url for file in notice.attachments)):
        yield from _portal_keys(url)


def _family(notice: Notice) -> str:
    """What the notice is in the manner of: ``sample:ted`` imitates ``ted``, ``cosinex:rlp`` is of ``cosinex``."""
    platform, _, name = notice.source_code.partition(":")
    return name if platform == "sample" else platform


def _notice(notice: Notice) -> str | None:
    if is_placeholder(notice.notice_id):
        return None
    number = notice.notice_id.strip()
    if _family(notice) == "ted":
        number = publication_number(number) or number
    return f"{notice.source_code}|{_uuid(number) or number}"


def _ocid(ocid: str | None) -> str | None:
    text = (ocid or "").strip().lower()
    match = _OCID.fullmatch(text)
    if match is None or is_placeholder(match["local"]) or _FOREIGN_OCID.fullmatch(text):
        return None
    return text


def _uuid(text: str | None) -> str | None:
    """The UUID without the version of its edition (``-01``)."""
    match = _UUID_AND_VERSION.fullmatch((text or "").strip())
    return match[1].lower() if match and match[1] != _NO_UUID else None


def _oj_numbers(notice: Notice) -> Iterator[str | None]:
    family = _family(notice)
    if family == "ted":
        yield publication_number(notice.notice_id)
    if notice.changes_notice and family not in _OWN_NUMBERS:
        yield publication_number(notice.changes_notice)
    for process in _related(notice):
        identifier = str(process.get("identifier") or "")
        relations = process.get("relationship") or []
        bare = _PUBLICATION_NUMBER.fullmatch(identifier.strip())
        if _SAME_PROCEDURE.issuperset(relations) and not (bare and family in _OWN_NUMBERS):
            yield publication_number(identifier)


def _related(notice: Notice) -> list[dict[str, Any]]:
    related = notice.extra.get("related_processes")
    return [process for process in related if isinstance(process, dict)] if isinstance(related, list) else []


def _portal_keys(url: str | None) -> Iterator[tuple[str, str]]:
    address = unquote(without_session(url or ""))
    for project in _COSINEX.finditer(address):
        yield "cosinex_project", project[1].upper()
    for oid in _NETSERVER.finditer(address):
        try:
            host = urlsplit(url or "").hostname or ""
        except ValueError:
            continue
        host = host.rstrip(".").removeprefix("www.")
        if host:
            yield "netserver_oid", f"{host}|{oid[1].lower()}"
