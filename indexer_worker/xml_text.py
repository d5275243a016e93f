"""The readable text of an XML document: what a person would read of it, without whom to call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Contact persons, their addresses and owners, as eForms, TED_EXPORT and GAEB name them.
_PEOPLE = frozenset(
    {
        "Contact",
        "ElectronicMail",
        "Telephone",
        "Telefax",
        "UltimateBeneficialOwner",
        "CONTACT_POINT",
        "ATTENTION",
        "E_MAIL",
        "E_MAILS",
        "E_MAIL_GENERAL",
        "PHONE",
        "PHONES",
        "FAX",
        "Email",
        "Phone",
        "Fax",
    }
)
#: Of a notice in UBL the elements in which people wrote; the rest are codes, numbers and references.
_WRITTEN = frozenset(("Name", "Description", "Note", "RegistrationName", "CityName", "StreetName", "ReasonDescription"))
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"

#: A picture or a file inside the document, as bills of quantities have them.
_ENCODED = re.compile(r"(?:[A-Za-z0-9+/]{40,}={0,2}\s*)+(?:[A-Za-z0-9+/]+={0,2})?")
_ENCODED_FROM = 500


def text_of(data: bytes) -> str:
    """The text, one line an element. Raises lxml.etree.XMLSyntaxError."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    root = etree.fromstring(data, parser)
    notice = (etree.QName(root).namespace or "").startswith(_UBL)
    return "\n".join(text for text in _texts(root, written_only=notice) if not _is_encoded(text))


def _texts(root: etree._Element, *, written_only: bool) -> Iterator[str]:
    skipped: etree._Element | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if not isinstance(element.tag, str):
            continue
        name = etree.QName(element).localname
        if event == "start":
            if skipped is None and name in _PEOPLE:
                skipped = element
            if skipped is None and (not written_only or name in _WRITTEN):
                yield from _words(element.text)
        else:
            if skipped is element:
                skipped = None
            if skipped is None and not written_only:
                yield from _words(element.tail)


def _words(text: str | None) -> Iterator[str]:
    if words := " ".join((text or "").split()):
        yield words


def _is_encoded(text: str) -> bool:
    return len(text) > _ENCODED_FROM and _ENCODED.fullmatch(text) is not None
