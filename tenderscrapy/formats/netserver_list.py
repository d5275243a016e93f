"""The list of a NetServer portal ("AI Vergabemanager"): its rows, what kind of page it is, and a row as a notice."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote, urljoin, urlsplit
from zoneinfo import ZoneInfo

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.netserver_rows import FIELDS, Layout, Row, read_rows
from tenderscrapy.formats.page_outcome import Outcome, Signs, main_content, text_of, unexplained
from tenderscrapy.identity.keys import is_placeholder
from tenderscrapy.items import Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.dates import Deadline, german_deadline
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_title
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from parsel import Selector

SIGNS = Signs(
    main=("main", "[role=main]", "#printarea", "#pagePublicationDetails", "#content"),
    login_url=re.compile(r"LoginControllerServlet\?(?:[^#]*&)?function=Login|/openid-connect/|/login\b", re.IGNORECASE),
    login=("input[type=password]",),
    empty=re.compile(
        r"(?<!\d)0 gefundene Ausschreibung|keine (?:passenden )?(?:Bekanntmachungen|Ausschreibungen) "
        r"(?:gefunden|vorhanden)",
        re.IGNORECASE,
    ),
)
#: What the category of an entry says about its procedure.
STATUS = {"InvitationToTender": "open", "PriorInformation": "planned", "ContractAward": "awarded"}
CONTEXTS = {
    "InvitationToTender": "publications",
    "PriorInformation": "preinformations",
    "ContractAward": "awardPublications",
}

_FOUND = re.compile(r"(\d[\d.]*) gefundene Ausschreibung")
#: "(66-2026-00024)" at the end of a title; not a year or a span of years.
_REFERENCE = re.compile(r"\s*\((?!(?:19|20)\d\d(?:[-/](?:(?:19|20)\d\d|\d\d))?\))([A-Za-z0-9][\w./-]*\d[\w./-]*)\)$")


@dataclass(slots=True)
class ListPage:
    """One page of a list. ``announced`` is the total that it names; ``faults`` say why rows were left out."""

    outcome: Outcome
    rows: list[Row] = field(default_factory=list)
    announced: int | None = None
    faults: list[str] = field(default_factory=list)


def read_list(page: Selector, url: str, layout: Layout) -> ListPage:
    """The rows of the page at ``url`` (as finally answered), one for each OID.

    Portals render a tender twice, in full and as a bare deadline; the fuller one stands. One OID with two titles is no
    identity: all its rows are left out.
    """
    renderings = read_rows(page, layout)
    found = ListPage(Outcome.OK, announced=_announced(page))
    by_oid: dict[str, list[Row]] = {}
    for row in renderings:
        if row.title is None and row.facts() <= 1:
            continue  # the second rendering of a row, whether or not it repeats the OID
        if is_placeholder(row.oid):
            found.faults.append(f"a row has no OID: {row.title or ''}"[:120])
            continue
        by_oid.setdefault(row.oid, []).append(row)
    for oid, rows in by_oid.items():
        titles = {row.title for row in rows if row.title}
        if len(titles) > 1:
            found.faults.append(f"{oid} stands for {len(titles)} tenders")
        else:
            found.rows.append(max(rows, key=Row.facts))
    if not found.rows and not found.faults:
        found.outcome = _without_rows(page, url, layout)
    return found


def _without_rows(page: Selector, url: str, layout: Layout) -> Outcome:
    outcome = unexplained(page, url, SIGNS)
    # a box to sign in beside the list does not make it a login page; an address of one does
    open_ = outcome is Outcome.NO_ROWS_MATCHED or (outcome is Outcome.LOGIN and not SIGNS.login_url.search(url))
    return Outcome.EMPTY if open_ and not _announced(page) and _is_bare_table(page, layout) else outcome


def _is_bare_table(page: Selector, layout: Layout) -> bool:
    """A table of results with its head and no row: nothing is published. A row in other markup is a relaunch."""
    for table in page.css(layout.empty_sign or "table.tableHorizontalHeader, table.table-responsive"):
        heads = table.xpath(".//th")
        rows = table.xpath(".//tr[not(th)][count(td)>1]")
        if heads and not rows:
            return True
    return False


def _announced(page: Selector) -> int | None:
    match = _FOUND.search(text_of(main_content(page, SIGNS.main)))
    return int(match[1].replace(".", "")) if match else None


def row_digest(row: Row) -> str:
    """Equal for two readings of a row that say the same."""
    return hashlib.sha256("\x1f".join(getattr(row, name) or "" for name in FIELDS).encode()).hexdigest()[:16]


def to_notice(row: Row, source_code: str, base_url: str, category: str, zone: str = "Europe/Berlin") -> Notice:
    """What the list says of one tender; ``category`` is the list's, ``zone`` where its clock times are local.

    Raises UnreadableDocumentError for a row without title.
    """
    title = clean_title(row.title)
    if not title:
        raise UnreadableDocumentError(f"the row {row.oid} has no title")
    kind = row.category or category
    notice = Notice(source_code, row.oid, country="DE", title_lang="de", notice_type=kind, status=STATUS.get(kind))
    if notice.status is None:
        notice.flag("category_unknown", "status", kind)
    reference = _REFERENCE.search(title)
    if reference and sum(character.isdigit() for character in reference[1]) >= 3:
        notice.reference, title = reference[1], title[: reference.start()].rstrip() or title
    notice.title = without_contacts(title)
    notice.buyer_name = buyer_name(row.authority)
    notice.procedure_type, frame = procedure_and_frame(row.procedure, row.frame)
    if frame:
        notice.extra["legal_frame"] = frame
    notice.extra["list_row"] = row_digest(row)
    notice.url = detail_url(row, base_url, kind)
    notice.published_at = notice.revised_at = published(notice, row.published, zone)
    if stated := deadline(notice, row.deadline, zone):
        set_deadline(notice, stated)
    return notice


def detail_url(row: Row, base_url: str, category: str) -> str:
    """The page of the notice: the row's own link, else built from its OID. Without session."""
    if row.href and (own := absolute(base_url, row.href)):
        return without_session(own)
    servlet = "PublicationControllerServlet?function=Detail"
    return f"{base_url}{servlet}&TOID={quote(row.oid)}&Category={quote(category)}"


def absolute(base_url: str, href: str) -> str | None:
    """The http(s) address that ``href`` means on a page of the portal; None when it means none."""
    try:
        url = urljoin(base_url, href.strip())
        return url if urlsplit(url).scheme in ("http", "https") and urlsplit(url).hostname else None
    except ValueError:
        return None


def procedure_and_frame(procedure: str | None, frame: str | None) -> tuple[str | None, str | None]:
    """Two cells as they stand; one cell as "frame, procedure", and without a comma as the procedure."""
    if frame or not procedure or "," not in procedure:
        return procedure, frame
    before, _, after = procedure.rpartition(",")
    return after.strip() or None, before.strip() or None


def deadline(notice: Notice, text: str | None, zone: str) -> Deadline | None:
    """The deadline in ``text``; None, with a flag on the notice, when it is there and cannot be read."""
    if not text or not text.strip():
        return None
    try:
        return german_deadline(text, zone)
    except (ValueError, OverflowError):
        notice.flag("deadline_unreadable", "deadline_at", text)
        return None


def set_deadline(notice: Notice, stated: Deadline, kind: str | None = None) -> None:
    """Put a deadline on the notice; the kind follows the procedure where it is not known."""
    asks_to_take_part = "teilnahme" in (notice.procedure_type or "").casefold()
    notice.deadline_at, notice.deadline_is_date, notice.deadline_zone = stated.at, stated.is_date, stated.zone
    notice.deadline_kind = kind or ("participation" if asks_to_take_part else "tender")


def published(notice: Notice, text: str | None, zone: str) -> datetime | None:
    """The instant of publication; a day alone is its beginning. Flags the notice when unreadable."""
    if not text or not text.strip():
        return None
    try:
        stated = german_deadline(text, zone)
    except (ValueError, OverflowError):
        notice.flag("published_at_unreadable", "published_at", text)
        return None
    if not stated.is_date:
        return stated.at
    day = stated.at.astimezone(ZoneInfo(zone))
    return day.replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
