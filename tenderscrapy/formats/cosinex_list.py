"""The list of a cosinex marketplace: its rows, how far it goes, what kind of page it is, and a row as a notice."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.cosinex_rows import Listed, Row, read_rows
from tenderscrapy.formats.netserver_list import deadline, published, set_deadline
from tenderscrapy.formats.page_outcome import Outcome, Signs, main_content, text_of, unexplained
from tenderscrapy.items import Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.cpv import cpv_code
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_title

if TYPE_CHECKING:
    from collections.abc import Mapping

    from parsel import Selector

SIGNS = Signs(
    main=("div#content", "#mainBox", "main", "[role=main]"),
    login_url=re.compile(r"/openid-connect/|//id\.dtvp\.de/|/secured/|/login\b|/login\.do\b", re.IGNORECASE),
    login=("input[type=password]",),
    empty=re.compile(
        r"keine (?:passenden )?(?:Bekanntmachungen|Ausschreibungen|Veröffentlichungen) (?:gefunden|vorhanden)"
        r"|Gesamteinträge:\s*0(?!\d)",
        re.IGNORECASE,
    ),
)
#: The types of entries, by the words and the short forms that lists show; what they say about the procedure.
TYPES = {
    "Ausschreibung": "open",
    "TNW": "open",
    "Beabsichtigte Ausschreibung": "planned",
    "Vergebener Auftrag": "awarded",
}
_TYPE_WORDS = {
    "ausschreibung": "Ausschreibung",
    "tnw": "TNW",
    "teilnahmewettbewerb": "TNW",
    "ba": "Beabsichtigte Ausschreibung",
    "beabsichtigte ausschreibung": "Beabsichtigte Ausschreibung",
    "va": "Vergebener Auftrag",
    "vergebener auftrag": "Vergebener Auftrag",
}

_POSITION = re.compile(r"Seite:?\s*(\d[\d.]*)\s*von\s*(\d[\d.]*)")
_TOTAL = re.compile(r"Gesamteinträge:?\s*(\d[\d.]*)")
_PAGE_LINK = re.compile(r"selectedTablePage\w*=(\d{1,6})(?!\d)")
_CATEGORY = re.compile(r"[?&]cpvCode=(\d{8}-\d)(?!\d)")
_COUNT = re.compile(r"\(\s*(\d[\d.]*)\s*\)")


@dataclass(slots=True)
class ListPage:
    """One page of a list. ``more``: there is a page after it; ``total``: the entries that the whole list names.

    ``entries``: how many the page shows, in any state; ``faults`` say why rows were left out.
    """

    outcome: Outcome
    rows: list[Row] = field(default_factory=list)
    entries: int = 0
    more: bool = False
    total: int | None = None
    faults: list[str] = field(default_factory=list)


def read_list(
    page: Selector,
    url: str,
    base_url: str,
    number: int = 1,
    labels: Mapping[str, tuple[str, ...]] | None = None,
) -> ListPage:
    """Page ``number`` of a list, answered at ``url``: one row for each project and type.

    A project with two titles is no identity: its rows are left out. Relaunched markup has no rows, or none with a
    project, and is ``no_rows_matched``.
    """
    listed = read_rows(page, base_url, labels)
    entries = len(listed.rows) + len(listed.without_project)
    found = ListPage(Outcome.OK, entries=entries, total=_total(page), more=_goes_on(page, number))
    by_project: dict[tuple[str, str], list[Row]] = {}
    for row in listed.rows:
        by_project.setdefault((notice_id(row, base_url), row.kind or ""), []).append(row)
    for (project, _), rows in by_project.items():
        if len({row.title for row in rows if row.title}) > 1:
            found.faults.append(f"{project} stands for several tenders")
        else:
            found.rows.append(max(rows, key=Row.facts))
    found.faults += [f"a row has no project: {title}"[:120] for title in listed.without_project]
    if not listed.rows:
        found.outcome = _without_rows(page, url, listed, found.total)
    return found


def _without_rows(page: Selector, url: str, listed: Listed, total: int | None) -> Outcome:
    if listed.without_project:
        return Outcome.NO_ROWS_MATCHED
    outcome = unexplained(page, url, SIGNS)
    if outcome is Outcome.NO_ROWS_MATCHED and listed.bare_table and not total:
        return Outcome.EMPTY
    return outcome


def _pager(page: Selector) -> str:
    texts = [text_of(node) for node in page.css(".browsePagesText")] or [text_of(main_content(page, SIGNS.main))]
    return next((text for text in texts if _POSITION.search(text) or _TOTAL.search(text)), "")


def _total(page: Selector) -> int | None:
    match = _TOTAL.search(_pager(page))
    return _number(match[1]) if match else None


def _goes_on(page: Selector, number: int) -> bool:
    """By "Seite: 3 von 47"; its links lead nowhere without a script, but where the text is missing they name pages."""
    if match := _POSITION.search(_pager(page)):
        return number < _number(match[2])
    written = page.xpath("//@onclick | //@href").getall()
    return any(int(found) > number for text in written for found in _PAGE_LINK.findall(text))


def _number(text: str) -> int:
    return int(text.replace(".", ""))


def read_categories(page: Selector, url: str) -> tuple[Outcome, list[str]]:
    """The CPV codes (``NNNNNNNN-N``, ascending) of an overview that have entries, each once."""
    counts: dict[str, int] = {}
    for link in page.xpath("//*[@href or @onclick]"):
        match = _CATEGORY.search(link.attrib.get("href", "")) or _CATEGORY.search(link.attrib.get("onclick", ""))
        if match is not None:
            counts[match[1]] = max(counts.get(match[1], 0), _entries(link))
    if not counts:
        return unexplained(page, url, SIGNS), []
    codes = sorted(code for code, count in counts.items() if count)
    return (Outcome.OK if codes else Outcome.EMPTY), codes


def _entries(link: Selector) -> int:
    """The count in brackets in a category's link or in the line around it; one where none is told."""
    line = link.xpath("ancestor::*[self::li or self::tr][1]")
    texts = (text_of(node) for node in (link, *line))
    shown = next((match for text in texts if (match := _COUNT.search(text))), None)
    return _number(shown[1]) if shown else 1


def notice_id(row: Row, base_url: str) -> str:
    """The project's number, with its host where that is another: numbers count per installation."""
    host, own = (urlsplit(url).netloc.lower().removeprefix("www.") for url in (row.href, base_url))
    return row.project if host == own or row.project.startswith("CX") else f"{host}|{row.project}"


def row_digest(row: Row) -> str:
    """Equal for two readings of a row that say the same."""
    facts = (row.title, row.authority, row.regulation, row.kind, row.published, row.deadline)
    return hashlib.sha256("\x1f".join(fact or "" for fact in facts).encode("utf-8", "replace")).hexdigest()[:16]


def entry_type(written: str | None) -> str | None:
    """The type of an entry as one of TYPES; None for words that are not known."""
    return _TYPE_WORDS.get(" ".join((written or "").split()).casefold())


def to_notice(
    row: Row, source_code: str, base_url: str, category: str | None = None, zone: str = "Europe/Berlin"
) -> Notice:
    """What the list says of one project; ``category`` is the CPV code whose list it is, ``zone`` the clock's.

    The list's code is a division and not the tender's: it stands in ``extra`` and leaves the flag ``cpv_coarse``.
    Raises UnreadableDocumentError for a row without title.
    """
    title = clean_title(row.title)
    if not title:
        raise UnreadableDocumentError(f"the row of project {row.project} has no title")
    notice = Notice(source_code, notice_id(row, base_url), url=row.href, country="DE", title_lang="de")
    notice.title = without_contacts(title)
    notice.buyer_name = buyer_name(row.authority)
    kind = entry_type(row.kind)
    notice.notice_type, notice.status = kind or clean_title(row.kind), TYPES.get(kind or "")
    if notice.status is None:
        notice.flag("category_unknown", "status", row.kind or "")
    if regulation := clean_title(row.regulation):
        notice.extra["legal_frame"] = regulation[:60]
    if category and (code := cpv_code(category)):
        notice.extra["discovery_cpv"] = code
        notice.flag("cpv_coarse", "cpv", code)
    notice.extra["list_row"] = row_digest(row)
    notice.published_at = notice.revised_at = published(notice, _stated(row.published), zone)
    if stated := deadline(notice, _stated(row.deadline), zone):
        set_deadline(notice, stated, deadline_kind(notice))
    return notice


def deadline_kind(notice: Notice) -> str:
    """What is to be handed in by the deadline of an entry of this type."""
    return "participation" if notice.notice_type == "TNW" else "tender"


def _stated(text: str | None) -> str | None:
    """None for "nv" (nicht vorhanden)."""
    return None if text is None or text.strip().casefold() in ("nv", "n.v.", "-", "–") else text
