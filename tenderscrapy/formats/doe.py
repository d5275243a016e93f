"""Notices of the German publication service (Bekanntmachungsservice, oeffentlichevergabe.de) from its three forms.

eForms XML has everything and is preferred. The OCDS and CSV forms lack the deadline for submission, which national
notices write into their text (formats/german_prose.py).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tenderscrapy.formats import eforms, ocds
from tenderscrapy.formats.german_prose import deadline_in

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

#: The service's registered prefix; its OCIDs are this and the procedure's number.
OCID_PREFIX = "ocds-mnwr74-"
_AWARDED_TITLE = "vergebener auftrag:"


def from_eforms(document: bytes, *, source_code: str = "doe") -> Notice:
    """The notice of one member of an eForms archive, as eforms.to_notice.

    ``ocid`` as in the service's OCDS form.
    """
    return completed(in_order(eforms.to_notice(document, source_code=source_code)))


def from_ocds(release: Any, *, source_code: str = "doe") -> Notice:
    """The notice of one OCDS release, as ocds.to_notice; any eForms edition of it counts as newer."""
    notice = ocds.to_notice(release, source_code=source_code)
    # The date is the release's, later than the dispatch that eForms editions are dated by.
    notice.revised_at = None
    return completed(notice)


def in_order(notice: Notice) -> Notice:
    """The notice, a microsecond later in ``revised_at`` for each version: several may bear one date."""
    version = notice.notice_version or ""
    if notice.revised_at and version.isdecimal() and len(version) <= 3:
        notice.revised_at += timedelta(microseconds=int(version))
    return notice


def completed(notice: Notice) -> Notice:
    """The notice with what holds for all of the service's forms: its OCID, awards labelled as calls, and a deadline
    that stands in the text only (flag ``deadline_from_text``).
    """
    number = notice.procedure_id or notice.notice_id
    if notice.ocid is None and number:
        notice.ocid = OCID_PREFIX + number
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
