"""Parsing notices' XML without trusting it, and the few readings that every part of eForms needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ted_codes import preferred_language
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

Element = etree._Element

_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_EFORMS = "http://data.europa.eu/p27/eforms-ubl-"
NAMESPACES = {
    "cac": f"{_UBL}CommonAggregateComponents-2",
    "cbc": f"{_UBL}CommonBasicComponents-2",
    "ext": f"{_UBL}CommonExtensionComponents-2",
    "efext": f"{_EFORMS}extensions/1",
    "efac": f"{_EFORMS}extension-aggregate-components/1",
    "efbc": f"{_EFORMS}extension-basic-components/1",
}
#: Where eForms puts what UBL has no place for, below any element.
EXTENSION = "ext:UBLExtensions/ext:UBLExtension/ext:ExtensionContent/efext:EformsExtension"


def parse(document: Any) -> Element:
    """The root of an XML document given as bytes.

    Entities are not resolved, nothing is fetched, the parser's limits on depth and size stay on, and a document with a
    DOCTYPE is refused: no notice has one. Raises UnreadableDocumentError, also for anything but bytes.
    """
    if not isinstance(document, bytes | bytearray):
        raise UnreadableDocumentError(f"an XML notice is bytes, not {type(document).__name__}")
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(bytes(document), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise UnreadableDocumentError(f"not XML: {str(error)[:200]}") from error
    tree: Any = root.getroottree()
    if tree.docinfo.doctype:
        raise UnreadableDocumentError("the XML has a document type declaration")
    return root


def all_of(element: Element | None, path: str) -> list[Element]:
    """The elements at ``path``, which uses the prefixes of NAMESPACES."""
    return [] if element is None else element.findall(path, NAMESPACES)


def content(element: Element) -> str:
    """An element's text, without characters that nobody sees."""
    return printable("".join(str(part) for part in element.itertext())).strip()


def contents(element: Element | None, path: str) -> list[str]:
    """The texts at ``path``, empty ones left out, repeats kept."""
    return [text for found in all_of(element, path) if (text := content(found))]


def first(element: Element | None, path: str) -> str | None:
    """The first text at ``path``."""
    return next(iter(contents(element, path)), None)


def localised(element: Element | None, path: str, languages: Sequence[str]) -> tuple[str | None, str]:
    """The text at ``path`` in the one language to read, and that language's code (``languageID``, or "")."""
    texts: dict[str, str] = {}
    for found in all_of(element, path):
        texts.setdefault(found.get("languageID", ""), content(found))
    texts = {code: text for code, text in texts.items() if text}
    code = preferred_language(texts, languages)
    if code is None:
        return None, ""
    return texts[code], code or next(iter(languages), "")
