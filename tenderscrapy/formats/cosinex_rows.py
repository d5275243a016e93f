"""Where the facts of a cosinex list stand: under the heads of its table, else by the class and the shape of a cell."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from tenderscrapy.formats.page_outcome import text_of
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from parsel import Selector

TABLES = "table.csx-new-table, #listTemplate table"
#: What names a column in a head row; compared without case, arrows and blanks around "/" and "-".
LABELS = {
    "published": ("Veröffentlicht", "Veröffentlicht am", "Veröffentlichung", "Veröffentlichungsdatum", "Erschienen am"),
    "deadline": ("Frist", "Angebots-/Teilnahmefrist", "Angebotsfrist", "Abgabefrist", "Nächste Frist"),
    "title": ("Kurzbezeichnung", "Bezeichnung", "Titel"),
    "kind": ("Typ", "Art"),
    "authority": (
        "Ausschreibende Stelle", "Vergabeplattform/Veröffentlicher", "Veröffentlicher", "Vergabestelle", "Auftraggeber",
    ),
}  # fmt: skip

_PAGER = ".browsePages, .browsePagesText"
_PROJECT = re.compile(r"projectForwarding\.do\?(?:[^'\"#]*?&)?pid=(\d{1,18})(?!\d)", re.IGNORECASE)
_PROJECT_PAGE = re.compile(r"/(?:notice|project)/(CX[A-Z0-9]{6,})(?![A-Za-z0-9])")
_QUOTED = re.compile(r"['\"]([^'\"]+)['\"]")
_DATE = re.compile(
    r"(?<!\d)\d{1,2}\.\s?\d{1,2}\.\s?(?:\d{4}|\d{2})(?!\d)"
    r"(?:,?\s*(?:um\s+)?\d{1,2}(?:[:.]\d{2}(?::\d{2})?(?:\s*Uhr)?|\s*Uhr))?",
    re.IGNORECASE,
)
_REGULATION = re.compile(
    r"(?:VOB(?:/[A-Z])?(?: ?EU)?|VOL(?:/[A-Z])?|VgV|UVgO|SektVO|VSVgV|KonzVgV|VOF|Sonstige[s]?)(?![\w/])", re.IGNORECASE
)


@dataclass(slots=True)
class Row:
    """One entry of a list, as written; None for what it does not say.

    ``project``: the number in its link (``pid``), else its CX id; ``href`` the absolute address of its pages, without
    session. ``kind``: the type in full words where the list has them. ``published`` and ``deadline``: as the tooltip
    says them, because the cell shows the day alone; ``nv`` stands for none.
    """

    project: str
    href: str
    title: str | None = None
    authority: str | None = None
    regulation: str | None = None
    kind: str | None = None
    published: str | None = None
    deadline: str | None = None

    def facts(self) -> int:
        """How much it says: of two renderings of one entry the fuller one stands."""
        return sum(getattr(self, item.name) is not None for item in fields(self))


@dataclass(slots=True)
class Listed:
    """The rows of a page in its order, the titles of rows without a project, and whether there is a bare table."""

    rows: list[Row]
    without_project: list[str]
    bare_table: bool


def read_rows(page: Selector, base_url: str, labels: Mapping[str, tuple[str, ...]] | None = None) -> Listed:
    """Every entry of every table of results; ``labels`` are further names of columns.

    Facets, pagers and head rows are no entries.
    """
    names = {name: {_comparable(text) for text in (*(labels or {}).get(name, ()), *LABELS[name])} for name in LABELS}
    found = Listed([], [], False)
    for table in page.css(TABLES):
        columns, width = _columns(table, names)
        entries = 0
        for row in table.xpath(".//tr[count(td)>2]"):
            if row.css(_PAGER) or row.xpath(".//tr"):
                continue
            entries += 1
            cells = row.xpath("./td")
            values = _values(cells, columns, width)
            link = next(_projects(row, base_url), None)
            if link is not None:
                found.rows.append(Row(link[0], link[1], **values))
            elif values["title"] and (columns or row.css("td.word-break")):
                found.without_project.append(values["title"])
        found.bare_table |= "title" in columns and not entries
    return found


def _columns(table: Selector, names: Mapping[str, set[str]]) -> tuple[dict[str, int], int]:
    """Field -> column by the head row, and how many columns that has; nothing for a table with other heads."""
    columns: dict[str, int] = {}
    place = 0
    for head in table.xpath("(.//tr[count(th)>2])[1]/th"):
        label = _comparable(text_of(head))
        for name, wanted in names.items():
            if label in wanted:
                columns.setdefault(name, place)
        place += _span(head)
    return (columns, place) if len(columns) > 1 else ({}, 0)


def _values(cells: list[Selector], columns: Mapping[str, int], width: int) -> dict[str, str | None]:
    """By the heads; a row that has other cells than its head is read by class and shape, as far as that goes."""
    by_column: dict[int, Selector] = {}
    place = 0
    for cell in cells:
        by_column[place] = cell
        place += _span(cell)
    if columns and place == width:
        chosen: Mapping[str, Selector | None] = {name: by_column.get(column) for name, column in columns.items()}
    else:
        chosen = _by_shape(cells)
    moments = {name: _moment(chosen.get(name)) for name in ("published", "deadline")}
    texts = {name: _text(chosen.get(name)) for name in ("title", "authority")}
    kind = chosen.get("kind")
    regulation, written = _kind(kind) if kind is not None else (None, None)
    return {**texts, "regulation": regulation, "kind": written, **moments}


def _text(cell: Selector | None) -> str | None:
    return text_of(cell) or None if cell is not None else None


def _by_shape(cells: list[Selector]) -> dict[str, Selector | None]:
    """The title by its class, two dates in the documented order, the type by its words, the authority after it.

    One date alone may be either, and is neither.
    """
    title = next((number for number, cell in enumerate(cells) if "word-break" in cell.attrib.get("class", "")), None)
    if title is None:
        return {}
    dated = [cell for cell in cells[:title] if _is_moment(cell)]
    kind = next((n for n, cell in enumerate(cells) if n > title and _REGULATION.match(text_of(cell))), None)
    chosen: dict[str, Selector | None] = {"title": cells[title]}
    if len(dated) == 2:
        chosen["published"], chosen["deadline"] = dated
    if kind is not None:
        chosen["kind"] = cells[kind]
        after = cells[kind + 1] if kind + 1 < len(cells) else None
        chosen["authority"] = after if after is not None and not after.xpath(".//a") else None
    return chosen


def _is_moment(cell: Selector) -> bool:
    text = _moment(cell) or ""
    return bool(_DATE.match(text)) or text.casefold() == "nv"


def _moment(cell: Selector | None) -> str | None:
    """The tooltip's date and time; what is shown only where the tooltip has none."""
    if cell is None:
        return None
    tooltip = _DATE.search(" ".join((cell.css("abbr::attr(title)").get() or "").split()))
    return tooltip[0] if tooltip else text_of(cell) or None


def _kind(cell: Selector) -> tuple[str | None, str | None]:
    """Regulation and type, which stand above each other; the type's tooltip has it in full."""
    above = " ".join(
        " ".join(cell.xpath("./br[1]/preceding-sibling::node()/descendant-or-self::text()").getall()).split()
    )
    shown = text_of(cell)
    match = _REGULATION.match(shown)
    regulation = above or (match[0] if match else None)
    rest = shown.removeprefix(regulation or "").strip(" ,;/–-")
    full = " ".join((cell.css("abbr::attr(title)").get() or "").split())
    return regulation, full or rest or None


def project_of(written: str, base_url: str) -> tuple[str, str] | None:
    """The number of a project and the absolute address of its pages, from a link as it is written.

    Relative, absolute, or in ``javascript:openProjectPopup('…', '7')``, also with its quotes encoded.
    """
    text = without_session(written.strip().replace("&amp;", "&"))
    if text.lower().startswith("javascript:") or "projectForwarding" not in text:
        text = unquote(text)
        inside = (part for part in _QUOTED.findall(text) if _PROJECT.search(part) or _PROJECT_PAGE.search(part))
        text = next(inside, text)
    number = _PROJECT.search(text) or _PROJECT_PAGE.search(text)
    if number is None:
        return None
    try:
        address = urljoin(base_url, text)
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        return None
    return number[1], address


def _projects(row: Selector, base_url: str) -> Iterator[tuple[str, str]]:
    for written in row.xpath(".//@href | .//@onclick").getall():
        if (found := project_of(written, base_url)) is not None:
            yield found


def _comparable(label: str) -> str:
    text = " ".join(re.sub(r"[▲▼↑↓\xad\u200b]", " ", label).split())
    return re.sub(r"\s*([/-])\s*", r"\1", text).rstrip(": ").casefold()


def _span(cell: Selector) -> int:
    written = cell.attrib.get("colspan", "1").strip()
    return min(int(written), 100) if written.isdecimal() and written.isascii() and int(written) else 1
