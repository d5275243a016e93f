"""The documents tab of a cosinex project: the files that may be downloaded, of each only the newest version."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urljoin, urlsplit

from tenderscrapy.formats.cosinex_detail import CLOSED, GATED
from tenderscrapy.formats.cosinex_list import SIGNS
from tenderscrapy.formats.netserver_detail import UnexpectedPageError, add_link
from tenderscrapy.formats.page_outcome import Outcome, main_content, text_of, unexplained
from tenderscrapy.items import Attachment
from tenderscrapy.normalise.dates import german_deadline
from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.urls import without_session

if TYPE_CHECKING:
    from datetime import datetime

    from parsel import Selector

    from tenderscrapy.items import Notice

_NONE = re.compile(r"keine (?:Vergabe)?(?:unterlagen|dokumente|dateien)", re.IGNORECASE)
_FILE_LINK = re.compile(r"/documents/.+|/download|[?&](?:method=)?download|fileId=|documentId=", re.IGNORECASE)
_ARCHIVE = re.compile(r"/documents/archive/", re.IGNORECASE)
_NAME_HEADS = ("name", "dateiname", "datei", "dokument", "bezeichnung")
_FILE_NAME = re.compile(r"[^/\\<>|]+\.[A-Za-z][A-Za-z0-9]{1,4}")
_VERSION = re.compile(r"[\s,(_–-]*\b(?:Version|V\.)\s*(\d+(?:\.\d+)*)\)?", re.IGNORECASE)
_DATE = re.compile(
    r"(?<!\d)\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?!\d)(?:,?\s*(?:um\s*)?\d{1,2}:\d{2}(?::\d{2})?(?:\s*Uhr)?)?"
)


@dataclass(slots=True)
class _File:
    url: str
    name: str
    place: str
    version: tuple[int, ...] | None
    date: datetime | None


def read_documents(notice: Notice, page: Selector, url: str) -> None:
    """Put the tab's files on the notice; addresses without session, of the answering host alone.

    ``documents_expired`` and ``documents_need_login`` are flags of a tab that says so. The archive of all files stands
    only where single ones are not named. Raises UnexpectedPageError when the page is none of these.
    """
    main = main_content(page, SIGNS.main)
    files, archives = _files(main, url)
    text = text_of(main)
    if files or archives:
        notice.attachments = [_attachment(file) for file in _newest(files)] or [
            Attachment(address, media_type="application/zip", filename=_name_in(address)) for address in archives[:1]
        ]
        add_link(notice, without_session(url), "documents")
    elif CLOSED.search(text):
        notice.status = "awarded"
        notice.flag("documents_expired", "attachments")
    elif GATED.search(text):
        notice.flag("documents_need_login", "attachments")
    elif not (_NONE.search(text) or any(_name_column(table) is not None for table in main.css("table"))):
        outcome = unexplained(page, url, SIGNS)
        raise UnexpectedPageError(Outcome.NO_ROWS_MATCHED if outcome.clean else outcome, page, url)


def _files(main: Selector, url: str) -> tuple[list[_File], list[str]]:
    files: dict[str, _File] = {}
    archives: dict[str, None] = {}
    for link in main.css("a[href]"):
        try:
            address = without_session(urljoin(url, link.attrib["href"].strip()))
            parts = urlsplit(address)
        except ValueError:
            continue
        if parts.scheme not in ("http", "https") or parts.netloc.lower() != urlsplit(url).netloc.lower():
            continue
        if _ARCHIVE.search(parts.path):
            archives[address] = None
        elif _FILE_LINK.search(address) and (row := link.xpath("ancestor::*[self::tr or self::li][1]")):
            files.setdefault(address, _file(address, link, row[0]))
    return list(files.values()), list(archives)


def _file(address: str, link: Selector, row: Selector) -> _File:
    shown = _named(row) or text_of(link) or link.attrib.get("title", "")
    text = text_of(row)
    version = _VERSION.search(text)
    # a folder's headline, so that files of one name in two folders stay two
    place = row.xpath("ancestor::table[1]/preceding::*[self::h3 or self::h4 or self::h5][1]")
    return _File(
        address,
        _VERSION.sub("", shown).strip() or _name_in(address) or "",
        text_of(place[0]) if place else "",
        tuple(int(part) for part in version[1].split(".")) if version else None,
        _newest_date(text),
    )


def _named(row: Selector) -> str:
    """The cell under the head that says name; in a table without heads the first that reads like a file."""
    cells = row.xpath("./td")
    table = row.xpath("ancestor::table[1]")
    column = _name_column(table[0]) if table else None
    if column is not None and column < len(cells):
        return text_of(cells[column])
    return next((text for cell in cells if _FILE_NAME.fullmatch(text := text_of(cell))), "")


def _name_column(table: Selector) -> int | None:
    heads = [text_of(head).rstrip(": ").casefold() for head in table.xpath("(.//tr[th])[1]/th")]
    return next((heads.index(name) for name in _NAME_HEADS if name in heads), None)


def _newest_date(text: str) -> datetime | None:
    dates = []
    for written in _DATE.findall(text):
        try:
            dates.append(german_deadline(written).at)
        except (ValueError, OverflowError):
            continue
    return max(dates, default=None)


def _newest(files: list[_File]) -> list[_File]:
    """One of those with the same name in one place, where a version or a date tells which is newer."""
    groups: dict[tuple[str, str], list[_File]] = {}
    for file in files:
        groups.setdefault((file.place, file.name.casefold()), []).append(file)
    kept: list[_File] = []
    for members in groups.values():
        if all(file.version for file in members):
            kept.append(max(members, key=lambda file: file.version or ()))
        elif all(file.date for file in members) and len({file.date for file in members}) == len(members):
            kept.append(max(members, key=lambda file: file.date or 0))
        else:
            kept += members
    return kept


def _attachment(file: _File) -> Attachment:
    name = next((text for text in (file.name, _name_in(file.url)) if text and _FILE_NAME.fullmatch(text)), None)
    shown = without_contacts(file.name)
    return Attachment(file.url, filename=name, description=shown if shown and shown != name else None)


def _name_in(address: str) -> str | None:
    """The file name at the end of an address."""
    last = unquote(urlsplit(address).path.rpartition("/")[2])
    return last if _FILE_NAME.fullmatch(last) and not last.endswith(".do") else None
