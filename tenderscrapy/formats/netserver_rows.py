"""Where the facts of a NetServer list stand: tables by class and head, label/value blocks, cards, definition lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from parsel import Selector

from tenderscrapy.formats.page_outcome import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FIELDS = ("title", "authority", "procedure", "frame", "published", "deadline")

#: A row of each variant; the first that finds any is the page's.
ROWS = {
    "table": "tr[data-oid]",
    "blocks": "tbody.tableLeftHeaderBlock",
    "cards": "#searchForm section > div",
    "definitions": "dl",
}
#: What names a field in a head row or before a value. Compared without case and colon.
LABELS = {
    "published": ("Erschienen am", "Veröffentlicht", "Veröffentlicht am", "Veröffentlichungsdatum", "Erschienen"),
    "title": ("Ausschreibung", "Bezeichnung", "Kurzbezeichnung", "Titel", "Maßnahme"),
    "authority": ("Vergabestelle", "Auftraggeber", "Ausschreibende Stelle"),
    "procedure": ("Verfahrensart", "Art"),
    "frame": ("Rechtsrahmen", "Rechtliche Grundlage", "Vergabeordnung"),
    "deadline": ("Abgabefrist", "Angebotsfrist", "Frist", "Angebots-/Teilnahmefrist"),
}
_CLASSES = {
    "title": ("td.tender", 0),
    "authority": ("td.tenderAuthority", 0),
    "procedure": ("td.tenderType", 0),
    "frame": ("td.tenderType", 1),
    "deadline": ("td.tenderDeadline", 0),
}
#: Of each table that was met its head: label and column.
Heads = dict[Any, dict[str, int]]

_OID = re.compile(r"54321-[A-Za-z]+-[0-9A-Za-z-]+")
_TITLES = {
    "blocks": "strong, h3, h4",
    "cards": "p.mb-3",
    "definitions": "strong",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """How one portal's list is to be read.

    ``places``: field -> (CSS selector, index of the match), or None for a field that does not exist there; ``labels``:
    further names of a field in head rows and before values; ``row`` replaces the variant's selector.
    """

    variant: str = "auto"
    row: str | None = None
    empty_sign: str | None = None
    places: Mapping[str, tuple[str, int] | None] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def names(self, of: str) -> set[str]:
        """The labels of a field in the form in which they are compared."""
        return {comparable(label) for label in (*self.labels.get(of, ()), *LABELS.get(of, ()))}


@dataclass(slots=True)
class Row:
    """One entry of a list, as written; a fact that the list does not have is None. ``href``: its own link, if any."""

    oid: str
    category: str | None = None
    title: str | None = None
    authority: str | None = None
    procedure: str | None = None
    frame: str | None = None
    published: str | None = None
    deadline: str | None = None
    href: str | None = None

    def facts(self) -> int:
        """How much it says: of two renderings of one tender the fuller one stands."""
        return sum(getattr(self, name) is not None for name in FIELDS)


def comparable(label: str) -> str:
    """A label without case, colon and spare blanks."""
    return " ".join(label.split()).rstrip(": ").casefold()


def read_rows(page: Selector, layout: Layout) -> list[Row]:
    """Every rendering of every entry, in the order of the page: the same OID may come twice."""
    variants = list(ROWS) if layout.variant == "auto" else [layout.variant]
    found: list[Row] = []
    heads: Heads = {}
    for variant in variants:
        nodes = page.css(layout.row or ROWS[variant])
        found += [row for node in nodes if (row := _row(node, variant, layout, heads)) is not None]
        if layout.row:
            break
    return found


def _row(node: Selector, variant: str, layout: Layout, heads: Heads) -> Row | None:
    oid, href = _identity(node, layout)
    pairs: dict[str, str] = {}
    for label, value in _pairs(node) if variant != "table" else ():
        pairs.setdefault(label, value)
    values = {name: _value(node, name, variant, layout, pairs, heads) for name in FIELDS}
    if variant != "table" and not oid and not (values["title"] and (values["authority"] or values["deadline"])):
        return None  # a box of the page that is no entry
    return Row(oid, category=_category(node, href, layout), href=href, **values)


def _identity(node: Selector, layout: Layout) -> tuple[str, str | None]:
    """The OID that the row carries, else the one in its own link."""
    place = layout.places.get("id")
    written = _at(node, place) if place else node.css("::attr(data-oid)").get()
    hrefs = node.xpath("self::a/@href | .//a/@href").getall()
    href = next((link for link in hrefs if _OID.search(link)), None)
    if not written and href:
        match = _OID.search(href)
        written = match[0] if match else None
    return (written or "").strip(), href


def _category(node: Selector, href: str | None, layout: Layout) -> str | None:
    place = layout.places.get("category")
    written = _at(node, place) if place else node.css("::attr(data-category)").get()
    if not written and href:
        written = next(iter(parse_qs(urlsplit(href).query).get("Category", [])), None)
    return (written or "").strip() or None


def _value(node: Selector, name: str, variant: str, layout: Layout, pairs: dict[str, str], heads: Heads) -> str | None:
    if name in layout.places:
        place = layout.places[name]
        return _at(node, place) if place else None
    if variant == "table":
        return _cell(node, name, layout, heads)
    found = next((pairs[label] for label in pairs if label in layout.names(name)), None)
    if found is None and name == "title":
        found = _at(node, (_TITLES[variant], 0))
    return found


def _at(node: Selector, place: tuple[str, int] | None) -> str | None:
    if place is None:
        return None
    css, index = place
    found = node.css(css)
    if len(found) <= index:
        return None
    value = found[index].get() if "::" in css else text_of(found[index])
    return " ".join((value or "").split()) or None


def _cell(row: Selector, name: str, layout: Layout, heads: Heads) -> str | None:
    """By the cell's class; where the row has no such classes, by the column under the head with that label."""
    if name in _CLASSES and (found := _at(row, _CLASSES[name])) is not None:
        return found
    if name in _CLASSES and row.css("[class*=tender]:not(tr)") and name != "frame":
        return None  # the skin names its cells, and this one is empty or missing
    return _under_head(row, layout.names(name), heads)


def _under_head(row: Selector, labels: set[str], heads: Heads) -> str | None:
    table = next(row.root.iterancestors("table"), None)
    if table is None:
        return None
    if table not in heads:
        heads[table] = _columns(Selector(root=table, type="html"))
    column = next((column for label, column in heads[table].items() if label in labels), None)
    return None if column is None else _in_column(row, column)


def _columns(table: Selector) -> dict[str, int]:
    """The labels in the first head row, and where each begins."""
    columns: dict[str, int] = {}
    column = 0
    for head in table.xpath("(.//tr[th])[1]/th"):
        columns.setdefault(comparable(text_of(head)), column)
        column += _span(head)
    return columns


def _in_column(row: Selector, wanted: int) -> str | None:
    column = 0
    for cell in row.xpath("./td"):
        if column == wanted:
            return text_of(cell) or None
        column += _span(cell)
    return None


def _span(cell: Selector) -> int:
    written = (cell.xpath("@colspan").get() or "1").strip()
    return min(int(written), 100) if written.isdecimal() and written.isascii() and int(written) else 1


def _pairs(node: Selector) -> Iterator[tuple[str, str]]:
    """What stands as label and value in a block: two cells, dt and dd, neighbours, or one text with a colon."""
    for row in node.xpath(".//tr[count(td)=2] | self::tr[count(td)=2]"):
        cells = row.xpath("./td")
        yield comparable(text_of(cells[0])), text_of(cells[1])
    for term in node.xpath(".//dt"):
        value = term.xpath("./following-sibling::*[1][self::dd]")
        if value:
            yield comparable(text_of(term)), text_of(value[0])
    for label in node.xpath(".//*[not(*)][contains(text(), ':')]"):
        before, _, after = text_of(label).partition(":")
        sibling = label.xpath("./following-sibling::*[1]")
        beside = " ".join("".join(label.xpath("./following-sibling::node()[1][self::text()]").getall()).split())
        value_text = after.strip() or beside or (text_of(sibling[0]) if sibling else "")
        if value_text:
            yield comparable(before), value_text
