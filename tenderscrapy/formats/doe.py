"""Notices of the German publication service (Bekanntmachungsservice, oeffentlichevergabe.de) from its three forms.

eForms XML has everything and is preferred. The OCDS and CSV forms lack the deadline for submission, which national
notices write into their text (formats/german_prose.py).
"""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats import eforms, ocds
from tenderscrapy.formats.german_prose import deadline_in
from tenderscrapy.formats.ocds_publishers import UUID

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

#: The service's registered prefix; its OCIDs are this and the procedure's number.
OCID_PREFIX = "ocds-mnwr74-"
_UNTIL_PUBLISHED = timedelta(days=30)
_AWARDED_TITLE = "vergebener auftrag"


def from_eforms(document: bytes, *, source_code: str = "doe") -> Notice:
    """The notice of one member of an eForms archive, as eforms.to_notice.

    ``ocid`` as in the service's OCDS form.
    """
    return completed(in_order(eforms.to_notice(document, source_code=source_code)))


def from_ocds(release: Any, *, source_code: str = "doe") -> Notice:
    """The notice of one OCDS release, as ocds.to_notice; any eForms edition of it counts as newer."""
    return completed(older_than_eforms(ocds.to_notice(release, source_code=source_code)))


def from_package(content: bytes) -> list[Notice]:
    """The notices of one member of an OCDS archive: a release package, mostly of one release.

    Raises UnreadableDocumentError.
    """
    try:
        package = json.loads(content, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise UnreadableDocumentError(f"not JSON: {str(error)[:100]}") from error
    return [from_ocds(release) for release in ocds.releases(package)]


def older_than_eforms(notice: Notice) -> Notice:
    """The notice, dated so that its eForms edition replaces it.

    Those are dated by their dispatch, the other forms by their publication, which may come weeks later.
    """
    notice.revised_at = notice.published_at - _UNTIL_PUBLISHED if notice.published_at else None
    return in_order(notice)


def notice_page(number: str) -> str:
    """The service's page of a notice, for people."""
    return f"{eforms.DOE_PAGE}{number}"


def in_order(notice: Notice) -> Notice:
    """The notice, a microsecond later in ``revised_at`` for each version: several may bear one date."""
    version = notice.notice_version or ""
    if notice.revised_at and version.isdecimal() and len(version) <= 3:
        notice.revised_at += timedelta(microseconds=int(version))
    return notice


def completed(notice: Notice) -> Notice:
    """The notice with what holds for all of the service's forms: its OCID, its country, awards labelled as calls, and
    a deadline that stands in the text only (flag ``deadline_from_text``).
    """
    notice.country = notice.country or "DE"
    if notice.ocid is None:
        notice.ocid = OCID_PREFIX + (notice.procedure_id or notice.notice_id)
    # National notices are numbered where others have a UUID.
    notice.notice_uuid = notice.notice_uuid if UUID.fullmatch(notice.notice_uuid or "") else None
    notice.procedure_id = notice.procedure_id if UUID.fullmatch(notice.procedure_id or "") else None
    if (notice.title or "").lower().startswith(_AWARDED_TITLE):
        notice.status = "awarded"
    if notice.deadline_at is None and notice.status in (None, "open") and notice.description:
        found = deadline_in(notice.description)
        if found:
            kind, stated = found
            notice.deadline_at, notice.deadline_is_date = stated.at, stated.is_date
            notice.deadline_zone, notice.deadline_kind = stated.zone, kind
            notice.flag("deadline_from_text", "deadline_at")
    return notice
