"""Notices of the German publication service from its CSV form: tables that are joined by notice and version.

The poorest of its three forms: it has neither deadlines nor addresses of documents.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from typing import TYPE_CHECKING

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.doe import completed, notice_page, older_than_eforms
from tenderscrapy.formats.notice_text import official_number, one_line, running
from tenderscrapy.formats.stated_facts import stated_value
from tenderscrapy.formats.ted_codes import status
from tenderscrapy.formats.web_links import add_links
from tenderscrapy.items import Buyer, Lot, Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.cpv import cpv_codes
from tenderscrapy.normalise.dates import instant
from tenderscrapy.normalise.places import alpha2, is_nuts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tenderscrapy.formats.zip_archive import Member
    from tenderscrapy.formats.zip_salvage import SalvagedMember

Row = dict[str, str]
#: Of one notice the rows of each table.
Rows = dict[str, list[Row]]

TABLES = (
    *("notice", "purpose", "organisation", "classification", "placeOfPerformance", "procedure", "noticeResult"),
    *("procedureLotResult", "changes"),
)
#: Unpacked, of one table; a day's largest has 1 MB.
MAX_TABLE = 64_000_000
_LONGEST_CELL = 4_000_000
_KEY = ("noticeIdentifier", "noticeVersion")


def notices_of(members: Iterable[Member | SalvagedMember]) -> Iterator[Rows]:
    """The rows of each notice of an archive, in the order of the table ``notice``.

    Raises UnreadableDocumentError when a table that is needed is missing or cannot be read.
    """
    files = {member.name.rsplit("/", 1)[-1].lower(): member for member in members}
    tables: dict[str, dict[tuple[str, str], list[Row]]] = {}
    for name in TABLES:
        member = files.get(f"{name.lower()}.csv")
        if member is None and name == "notice":
            raise UnreadableDocumentError("it has no table notice.csv")
        tables[name] = _grouped(name, member.read(MAX_TABLE)) if member else {}
    for key in tables["notice"]:
        yield {name: table[key] for name, table in tables.items() if key in table}


def _grouped(name: str, content: bytes) -> dict[tuple[str, str], list[Row]]:
    csv.field_size_limit(_LONGEST_CELL)
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    try:
        reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline=""), restval="")
        if not set(_KEY) <= set(reader.fieldnames or ()):
            raise UnreadableDocumentError(f"{name}.csv has no columns {' and '.join(_KEY)}")
        for row in reader:
            found[row[_KEY[0]], row[_KEY[1]]].append({column: text for column, text in row.items() if column})
    except (csv.Error, UnicodeDecodeError) as error:
        raise UnreadableDocumentError(f"{name}.csv cannot be read: {str(error)[:100]}") from error
    return dict(found)


def to_notice(rows: Rows, *, source_code: str = "doe") -> Notice:
    """The notice of its rows; any eForms edition of it counts as newer.

    Raises UnreadableDocumentError when it has no identifier.
    """
    head = rows["notice"][0]
    identifier = head[_KEY[0]].strip().lower()
    if not identifier:
        raise UnreadableDocumentError("a row of notice.csv has no noticeIdentifier")
    notice = Notice(source_code, identifier, url=notice_page(identifier))
    notice.notice_uuid = identifier if "-" in identifier else None
    version = head[_KEY[1]].strip()
    notice.notice_version = version.zfill(2) if version else None
    notice.procedure_id = head.get("procedureIdentifier", "").strip().lower() or None
    _set_buyers(notice, rows.get("organisation", ()))
    _set_codes(notice, head, rows)
    _set_subject(notice, rows)
    if written := head.get("publicationDate", "").strip():
        try:
            notice.published_at = instant(written, "Europe/Berlin")
        except ValueError:
            notice.flag("published_at_unreadable", "published_at", written)
    return completed(older_than_eforms(notice))


def _set_buyers(notice: Notice, rows: Sequence[Row]) -> None:
    for row in rows:
        name = buyer_name(row.get("organisationName"))
        person = row.get("organisationNaturalPerson", "").lower() == "true"
        if row.get("organisationRole") != "buyer" or name is None or person:
            continue
        country = row.get("organisationCountryCode", "").strip()
        buyer = Buyer(
            name, official_number(row.get("organisationIdentifier")), city=one_line(row.get("organisationCity"))
        )
        buyer.country = alpha2(country) if country else None
        notice.buyers.append(buyer)
        add_links(notice, "other", [row.get("buyerProfileURL", "")])
    if notice.buyers:
        notice.buyer_name = notice.buyers[0].name
        notice.country = next((buyer.country for buyer in notice.buyers if buyer.country), None)
    else:
        notice.flag("buyer_unknown", "buyers")


def _set_codes(notice: Notice, head: Row, rows: Rows) -> None:
    reasons = _column(rows, "changes", "changeReasonCode")
    notice.notice_type = head.get("noticeType") or None
    notice.status = status(
        head.get("formType"), notice.notice_type, _column(rows, "procedureLotResult", "winnerChosen"), reasons
    )
    notice.procedure_type = next(iter(_column(rows, "procedure", "procedureType")), None)
    notice.change_reason = reasons[0] if reasons else None
    changed = _column(rows, "changes", "changeNoticeVersionIdentifier")
    # National notices name the version alone.
    notice.changes_notice = next((text for text in changed if "-" in text), None)
    if form := head.get("formType"):
        notice.extra["form_type"] = form


def _set_subject(notice: Notice, rows: Rows) -> None:
    purposes = rows.get("purpose", [])
    whole = next((row for row in purposes if not row.get("lotIdentifier")), {})
    notice.title, notice.description = one_line(whole.get("title")), running(whole.get("description"))
    notice.reference = official_number(whole.get("internalIdentifier"))
    notice.cpv = _cpv(rows.get("classification", []))
    places = rows.get("placeOfPerformance", [])
    notice.nuts = _nuts(places)
    countries = [row["placePerformanceCountryCode"] for row in places if row.get("placePerformanceCountryCode")]
    notice.performance_countries = list(dict.fromkeys(map(alpha2, countries)))
    for row in purposes:
        if lot := row.get("lotIdentifier"):
            notice.lots.append(_lot(lot, row, rows))
    if notice.title is None and notice.lots:
        notice.title = notice.lots[0].title
    result = next(iter(rows.get("noticeResult", [])), {})
    for owner, name in ((whole, "estimatedValue"), (result, "noticeValue")):
        amounts = [text for text in [owner.get(name, "").strip()] if text]
        value = stated_value(notice, amounts, [owner.get(f"{name}Currency", "")], negative="withheld")
        if value:
            notice.value_amount, notice.value_currency = value
            notice.value_is_gross = False
            return


def _lot(lot_id: str, row: Row, rows: Rows) -> Lot:
    own = {name: [part for part in rows.get(name, []) if part.get("lotIdentifier") == lot_id]
           for name in ("classification", "placeOfPerformance")}  # fmt: skip
    return Lot(
        lot_id,
        title=one_line(row.get("title")),
        description=running(row.get("description")),
        cpv=_cpv(own["classification"]),
        nuts=_nuts(own["placeOfPerformance"]),
    )


def _cpv(rows: Iterable[Row]) -> list[str]:
    codes: list[str] = []
    for row in rows:
        if row.get("classificationType", "cpv") == "cpv":
            codes += [row.get("mainClassificationCode", ""), *row.get("additionalClassificationCodes", "").split(",")]
    return cpv_codes(code.strip() for code in codes if code.strip())


def _nuts(rows: Iterable[Row]) -> list[str]:
    codes = (row.get("placePerformanceCountrySubdivision", "").strip().upper() for row in rows)
    return list(dict.fromkeys(code for code in codes if is_nuts(code)))


def _column(rows: Rows, table: str, name: str) -> list[str]:
    return [text for row in rows.get(table, ()) if (text := row.get(name, "").strip())]
