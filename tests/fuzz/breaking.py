"""Documents of sources, broken: a few changes each, drawn by hypothesis, so that a failure shrinks to the change."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from lxml import etree, html

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Texts at which readers of dates, numbers, codes, addresses and names have stumbled.
TEXTS = (
    "", " ", "\0", "Stra\0ße", "\ud800", "\ufeff", "\u202e", "-", "null", "0", "-1", "1e400", "NaN", "Infinity",
    "١٢", "½", "2026-02-30", "2026-13-01T25:61:61Z", "0000-00-00", "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00", "2026-07-15T24:00:00", "20260715", "15.07.2026, 24:00 Uhr", "2026-07-15+99:99",
    "2026-07-15 ", "T", "Z", "45000000-7", "99999999", "DE", "deu", "XX", "EUR", "eu", "1.234.567,89", "1,2,3", "0x10",
    "1_000", "-0", "http://", "https://[::1", "https://exa mple/", "javascript:alert(1)", "//x", "\\\\x", "%00",
    "https://user:pw@example.org/", "ocds-b5fd17-", "ocds-mnwr74-x", "<p>&lt;b&gt;&#0;&#x110000;</p>", "&amp;amp;",
    "]]>", "a" * 3000, "ß" * 1000, "jo@example.org", "Tel. +49 30 23125 471", "x@" * 500, "(" * 500, " \n\t" * 400,
    "1" * 400, "a.b" * 400,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**30, 1.5, float("nan"), float("inf"), [], {}, [[]], [None], [{}], {"": ""},
    {"x": None}, [[[[[[]]]]]], {"eng": {"deu": []}}, [1, "a", None, {}],
)  # fmt: skip

Change = tuple[str, int, int, Any]


@dataclass(frozen=True)
class Kind:
    """A format: its whole documents, and what turns a document and changes into what the mapper is given."""

    name: str
    documents: tuple[Any, ...]
    changed: Callable[[Any, list[Change]], Any]


def broken(kind: Kind) -> st.SearchStrategy[Any]:
    """One of the documents with up to six changes."""
    change = st.tuples(
        st.sampled_from(("text", "value", "drop", "double", "move", "wrap", "rename", "deepen")),
        st.integers(0, 2**16),
        st.integers(0, 2**16),
        st.one_of(st.sampled_from(TEXTS), st.sampled_from(VALUES), st.text(max_size=20)),
    )
    return st.builds(kind.changed, st.sampled_from(kind.documents), st.lists(change, min_size=1, max_size=6))


# --- JSON -----------------------------------------------------------------------------------------------------------


def changed_json(document: Any, changes: list[Change]) -> Any:
    """The document with its parts replaced, dropped, doubled, moved, wrapped, renamed or nested deeply."""
    root = [copy.deepcopy(document)]
    for what, first, second, value in changes:
        places = list(_places(root))
        holder, key = places[first % len(places)]
        other, other_key = places[second % len(places)]
        if what in ("text", "value"):
            holder[key] = copy.deepcopy(value)
        elif what == "drop":
            if isinstance(holder, dict):
                del holder[key]
            else:
                holder[key] = None
        elif what == "double":
            holder[key] = [copy.deepcopy(holder[key]), copy.deepcopy(holder[key])]
        elif what == "move":
            holder[key], other[other_key] = copy.deepcopy(other[other_key]), copy.deepcopy(holder[key])
        elif what == "wrap":
            holder[key] = {"value": holder[key]} if second % 2 else [holder[key]]
        elif what == "rename" and isinstance(holder, dict):
            holder[str(value)[:40]] = holder.pop(key)
        elif what == "deepen":
            for _ in range(second % 120):  # copying them is recursive
                holder[key] = [holder[key]]
    return root[0]


def _places(root: Any) -> Iterator[tuple[Any, Any]]:
    waiting = [root]
    while waiting:
        holder = waiting.pop()
        for key, part in list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder)):
            yield holder, key
            if isinstance(part, dict | list):
                waiting.append(part)


# --- XML ------------------------------------------------------------------------------------------------------------

_ENCODINGS = ("utf-8", "utf-16", "iso-8859-1", "us-ascii")


def changed_xml(document: bytes, changes: list[Change]) -> bytes:
    """The document with its elements changed; the last change may also cut or spoil its bytes."""
    root = etree.fromstring(document)
    _change_tree(root, changes)
    what, first, second, _ = changes[-1]
    written = etree.tostring(root, encoding=_ENCODINGS[first % len(_ENCODINGS)], xml_declaration=True)
    return _spoiled(written, what, first, second)


def changed_html(document: bytes, changes: list[Change]) -> bytes:
    """The same of a page for people, in UTF-8 or as Latin-1 bytes."""
    root = html.document_fromstring(document.decode())
    _change_tree(root, changes)
    what, first, second, _ = changes[-1]
    return _spoiled(html.tostring(root, encoding=("utf-8", "iso-8859-1")[first % 2]), what, first, second)


def _change_tree(root: Any, changes: list[Change]) -> None:
    for what, first, second, value in changes:
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        element, other = elements[first % len(elements)], elements[second % len(elements)]
        if what in ("text", "value"):
            _write(element, second, _xml_text(value))
        elif what == "rename":
            element.tag = etree.QName(None if second % 3 else "urn:other", f"n{second % 50}").text
        elif element.getparent() is not None:
            _rearrange(what, element, other, second)


def _spoiled(written: bytes, what: str, first: int, second: int) -> bytes:
    """The bytes as they are, cut, or with one bit turned."""
    if what == "value" and first % 3 == 0:
        return written[: second % (len(written) + 1)]
    if what == "double" and first % 5 == 0:
        spoiled = bytearray(written)
        spoiled[second % len(spoiled)] ^= 1 << (first % 8)
        return bytes(spoiled)
    return written


def _write(element: Any, second: int, text: str) -> None:
    if second % 3 == 0 and element.attrib:
        names = sorted(element.attrib)
        element.set(names[second % len(names)], text)
    elif second % 3 == 1:
        element.set(f"a{second % 20}", text)
    else:
        element.text = text


def _rearrange(what: str, element: Any, other: Any, second: int) -> None:
    if what == "drop":
        element.getparent().remove(element)
    elif what == "double":
        element.addnext(copy.deepcopy(element))
    elif what == "wrap":
        element.append(etree.Comment("x") if second % 2 else etree.ProcessingInstruction("x", "y"))
    elif what == "move" and other is not element and element not in other.iterancestors():
        other.append(element)
    elif what == "deepen":
        for _ in range(second % 200):
            inner = etree.SubElement(element, element.tag)
            inner.text, element = element.text, inner


def _xml_text(value: Any) -> str:
    return "".join(
        c for c in str(value) if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c < "\ufffe")
    )
