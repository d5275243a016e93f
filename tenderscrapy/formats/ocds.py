"""Releases of the Open Contracting Data Standard 1.1, as public publishers write them, to notices. Pure.

Rules are those of the standard's release schema, and beyond it what the publishers do: several lack ids, buyers,
statuses or currencies, one publishes no deadlines. Unknown members are ignored.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ocds_documents import read_documents
from tenderscrapy.formats.ocds_parties import read_buyers
from tenderscrapy.formats.ocds_publishers import UUID, Publisher, documents_of, notice_id, publisher_of
from tenderscrapy.formats.ocds_tender import masked, read_codes, read_deadline, read_lots, read_value
from tenderscrapy.formats.reading import Reader
from tenderscrapy.items import Notice
from tenderscrapy.normalise.dates import instant
from tenderscrapy.normalise.places import language2, zone_of
from tenderscrapy.normalise.text import clean_text, clean_title, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tenderscrapy.formats.reading import Json

_CANCELLED = frozenset({"cancelled", "canceled", "withdrawn", "unsuccessful"})
_STATUS = {"planned": "planned", "planning": "planned", "active": "open", "complete": "awarded"}
_AWARDED_TAGS = ("award", "contract", "implementation")
_TITLE_FROM_DESCRIPTION = 120
#: German exports label some awards as calls; their title tells.
_AWARDED_TITLE = "vergebener auftrag:"


def to_notice(document: Any, *, source_code: str | None = None, base_url: str | None = None) -> Notice:
    """The notice that one release publishes.

    ``source_code`` defaults to the publisher's own, told by the OCID's prefix; ``base_url`` replaces the publisher's
    where relative document addresses start. Raises UnreadableDocumentError when ``document`` is no JSON object or
    has neither an OCID nor an id.
    """
    if not isinstance(document, dict):
        raise UnreadableDocumentError(f"an OCDS release is an object, not {type(document).__name__}")
    ocid = Reader.identifier(document, "ocid")
    if ocid is None and Reader.identifier(document, "id") is None:
        raise UnreadableDocumentError("the OCDS release has neither an ocid nor an id")
    publisher = publisher_of(ocid, source_code)
    notice = Notice(source_code or publisher.source_code, "", ocid=ocid)
    reader = Reader(notice)
    notice.notice_id = notice_id(document, publisher, reader)
    tender = reader.part(document, "tender")
    _read_texts(document, tender, reader)
    read_buyers(document, publisher, reader)
    zone = publisher.zone or zone_of(notice.country)
    _read_dates(document, tender, zone, reader)
    _read_tender(document, tender, zone, reader)
    _read_status(document, tender, publisher, reader)
    _read_identity(document, tender, publisher, reader)
    read_documents(document, publisher, base_url or publisher.base_url, reader)
    return notice


def releases(package: Any) -> list[Any]:
    """The releases in a release package, a record package or a single release, in their order.

    Members are not looked into. Raises UnreadableDocumentError when there is no list of releases.
    """
    if isinstance(package, dict):
        records = package.get("records")
        if isinstance(package.get("releases"), list):
            return list(package["releases"])
        if isinstance(records, list):
            return [release for record in records for release in releases(record)]
        if "releases" in package and package["releases"] is None:
            return []
        if "ocid" in package and "tag" in package:
            return [package]
    raise UnreadableDocumentError("no list of OCDS releases")


def order_editions(notices: Sequence[Notice]) -> list[Notice]:
    """The notices, oldest edition first: stored in this order, the newest stands in the end.

    One without date is the oldest; of two with the same date the later in the sequence is the newer.
    """
    return sorted(notices, key=lambda notice: notice.revised_at or datetime.min.replace(tzinfo=UTC))


def _read_texts(release: Json, tender: Json, reader: Reader) -> None:
    notice = reader.notice
    language = reader.text(release, "language")
    notice.title_lang = language2(language) if language and language.strip() else None
    descriptions = [reader.text(owner, "description") for owner in (tender, release)]
    notice.description = next((text for text in map(masked, map(clean_text, descriptions)) if text), None)
    titles = [reader.text(owner, "title") for owner in (tender, release)]
    notice.title = next((text for text in map(masked, map(clean_title, titles)) if text), None)
    if notice.title is None and notice.description:
        notice.title = _beginning(notice.description)
        reader.flag("title_from_description", "title")
    elif notice.title is None:
        reader.flag("title_missing", "title")


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _TITLE_FROM_DESCRIPTION:
        return line
    cut = line[: _TITLE_FROM_DESCRIPTION - 1]
    return (cut.rpartition(" ")[0] or cut).rstrip(" ,;:-") + "…"


def _read_dates(release: Json, tender: Json, zone: str | None, reader: Reader) -> None:
    """Contracts Finder's tender.datePublished is the first publication, release.date this edition's."""
    notice = reader.notice
    notice.revised_at = _instant(reader.text(release, "date"), "revised_at", zone, reader)
    first = _instant(reader.text(tender, "datePublished"), "published_at", zone, reader)
    notice.published_at = first or notice.revised_at


def _instant(written: str | None, field: str, zone: str | None, reader: Reader) -> datetime | None:
    if not written or not written.strip():
        return None
    try:
        return instant(written, zone)
    except ValueError:
        reader.flag("date_unreadable", field, written)
        return None


def _read_tender(release: Json, tender: Json, zone: str | None, reader: Reader) -> None:
    notice = reader.notice
    lots = read_lots(tender, zone, reader)
    notice.lots = [lot for lot, _ in lots]
    read_value(tender, notice.lots, reader)
    of_lots = [end for _, end in lots if end]
    ends = read_deadline(tender, zone, "deadline_at", reader) or min(of_lots, key=lambda end: end.at, default=None)
    if ends:
        notice.deadline_at, notice.deadline_is_date = ends.at, ends.is_date
        notice.deadline_zone, notice.deadline_kind = ends.zone, "tender"
    awarded = [item for name in ("awards", "contracts") for part in reader.parts(release, name)
               for item in reader.parts(part, "items")]  # fmt: skip
    read_codes(tender, awarded, reader)
    notice.procedure_type = clean_title(reader.text(tender, "procurementMethod"))
    details = clean_title(reader.text(tender, "procurementMethodDetails"))
    period = reader.part(tender, "contractPeriod")
    more = {
        "procedure_details": details.rstrip(" -") if details else None,
        "main_category": clean_title(reader.text(tender, "mainProcurementCategory")),
        "contract_start": reader.text(period, "startDate", "contract_period"),
        "contract_end": reader.text(period, "endDate", "contract_period"),
    }
    notice.extra |= {name: masked(clean_title(text)) for name, text in more.items() if text and text.strip()}


def _read_status(release: Json, tender: Json, publisher: Publisher, reader: Reader) -> None:
    """What the notice announces (its tags) before the state of the tender: an award may come while lots are open."""
    notice = reader.notice
    tags = (clean_title(tag) for tag in _words(release.get("tag")) if isinstance(tag, str))
    names = [tag for tag in tags if tag]
    notice.notice_type = ",".join(names) or None
    written = reader.text(tender, "status", "status")
    status = (written or "").strip().lower()
    if "tenderCancellation" in names or status in _CANCELLED:
        notice.status = "cancelled"
    elif any(tag.startswith(_AWARDED_TAGS) for tag in names):
        notice.status = "awarded"
    elif status in _STATUS:
        notice.status = _STATUS[status]
    elif any(tag.startswith("planning") for tag in names):
        notice.status = "planned"
    elif any(tag.startswith("tender") for tag in names):
        notice.status = "open"
    if status and status not in _STATUS and status not in _CANCELLED:
        reader.flag("status_unknown", "status", written)
    if publisher.source_code == "doe" and (notice.title or "").lower().startswith(_AWARDED_TITLE):
        notice.status = "awarded"


def _read_identity(release: Json, tender: Json, publisher: Publisher, reader: Reader) -> None:
    """Numbers of the procedure; a tender.id that repeats the OCID is no reference of the buyer's own."""
    notice = reader.notice
    tender_id = reader.identifier(tender, "id")
    if publisher.source_code == "doe":
        notice.notice_uuid = notice.notice_id if UUID.fullmatch(notice.notice_id) else None
        notice.procedure_id = tender_id.lower() if tender_id and UUID.fullmatch(tender_id) else None
    elif tender_id and tender_id != notice.ocid and not tender_id.lower().startswith("ocds-"):
        notice.reference = masked(clean_title(tender_id))
    related = [
        {
            "relationship": [printable(str(word)) for word in _words(process.get("relationship"))],
            "scheme": reader.identifier(process, "scheme") or "",
            "identifier": reader.identifier(process, "identifier"),
        }
        for owner in (release, tender)
        for process in reader.parts(owner, "relatedProcesses")
        if reader.identifier(process, "identifier")
    ]
    if related:
        notice.extra["related_processes"] = related
    forms = [d["noticeType"] for d in documents_of(release, reader) if isinstance(d.get("noticeType"), str)]
    if forms:
        notice.extra["notice_form"] = clean_title(forms[-1])
    for amendment in reader.parts(tender, "amendments"):
        reason = reader.text(amendment, "rationale", "amendment") or reader.text(amendment, "description", "amendment")
        notice.change_reason = masked(clean_text(reason)) or notice.change_reason


def _words(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
