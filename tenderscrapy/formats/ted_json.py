"""Notices of the TED search API (v3) as Notice.

Sources of the rules: the API's OpenAPI text for names and types, recorded answers for the shapes (ted_shapes). Arrays
are flattened over lots, buyers and winners and not aligned with each other, so no two of them are ever paired up,
except the date and time of one kind of deadline when both are equally long.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.notice_text import official_number, one_line, running
from tenderscrapy.formats.ted_codes import page_url, publication_number, status, written_language
from tenderscrapy.formats.ted_files import TED_HOSTS, attachments
from tenderscrapy.formats.ted_json_lots import set_dates, set_lots, set_value
from tenderscrapy.formats.ted_shapes import distinct, in_one_language, scalar, scalars, texts
from tenderscrapy.formats.web_links import add_links
from tenderscrapy.items import Buyer, Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.cpv import cpv_codes
from tenderscrapy.normalise.places import alpha2, is_country, is_nuts, nuts_country

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What to ask the API for. An unknown name makes it refuse the whole request. With ``links``, which always comes,
#: these are 40 fields: the most at which a page may hold 250 notices (fields x notices <= 10,000).
FIELDS: tuple[str, ...] = (
    *("publication-number", "publication-date", "notice-identifier", "notice-version", "procedure-identifier"),
    *("notice-type", "form-type", "procedure-type", "official-language"),
    *("notice-title", "title-proc", "description-proc", "internal-identifier-proc"),
    *("buyer-name", "buyer-country", "buyer-identifier"),
    *("main-classification-proc", "classification-cpv", "place-of-performance"),
    *("identifier-lot", "title-lot", "description-lot"),
    *("estimated-value-proc", "estimated-value-cur-proc", "estimated-value-lot", "estimated-value-cur-lot"),
    *("total-value", "total-value-cur"),
    *("deadline-receipt-tender-date-lot", "deadline-receipt-tender-time-lot"),
    *("deadline-receipt-request-date-lot", "deadline-receipt-request-time-lot"),
    *("deadline-receipt-expressions-date-lot", "deadline-receipt-expressions-time-lot"),
    *("deadline-receipt-request", "document-url-lot"),
    *("change-notice-version-identifier", "change-reason-code", "winner-selection-status"),
)

_OLD_TITLE = re.compile(r"[^:]*-[^:]*:\s+(.+)", re.DOTALL)


def to_notice(
    document: Any,
    *,
    source_code: str | None = None,
    file_hosts: frozenset[str] = TED_HOSTS,
) -> Notice:
    """The notice of one record. Only ``publication-number`` need be there; what cannot be read leaves a flag.

    ``extra``: ``form_type``, ``lot_count``, ``lot_titles`` (several lots), ``lot_deadlines``, ``buyer_countries``
    (several). ``file_hosts``: see ted_files. Raises UnreadableDocumentError without a readable publication number.
    """
    if not isinstance(document, dict):
        raise UnreadableDocumentError(f"a TED record is an object, not {type(document).__name__}")
    number = publication_number(scalar(document, "publication-number"))
    if number is None:
        raise UnreadableDocumentError("a TED record without a readable publication-number")
    notice = Notice(source_code or "ted", number, url=page_url(number))
    languages = [code.lower() for code in distinct(document, "official-language")]
    _set_codes(notice, document)
    _set_texts(notice, document, languages)
    _set_buyers(notice, document, languages)
    _set_subject(notice, document)
    set_dates(notice, document)
    set_lots(notice, document, languages)
    set_value(notice, document)
    add_links(notice, "documents", scalars(document, "document-url-lot"))
    add_links(notice, "submission", scalars(document, "submission-url-lot"))
    notice.attachments = attachments(notice, document.get("links"), languages, file_hosts)
    return notice


def _set_codes(notice: Notice, record: Mapping[str, Any]) -> None:
    form_type = scalar(record, "form-type")
    reasons = distinct(record, "change-reason-code")
    notice.notice_type = scalar(record, "notice-type")
    notice.procedure_type = scalar(record, "procedure-type")
    notice.notice_uuid = _lower(scalar(record, "notice-identifier"))
    notice.notice_version = scalar(record, "notice-version")
    notice.procedure_id = _lower(scalar(record, "procedure-identifier"))
    notice.reference = official_number(scalar(record, "internal-identifier-proc"))
    notice.changes_notice = scalar(record, "change-notice-version-identifier")
    notice.change_reason = reasons[0] if reasons else None
    notice.status = status(form_type, notice.notice_type, scalars(record, "winner-selection-status"), reasons)
    if form_type:
        notice.extra["form_type"] = form_type


def _set_texts(notice: Notice, record: Mapping[str, Any], languages: list[str]) -> None:
    language, titles = in_one_language(texts(record, "title-proc"), languages)
    notice.title = one_line(titles[0]) if titles else None
    if notice.title is None:
        language, titles = in_one_language(texts(record, "notice-title"), languages)
        notice.title = one_line(_buyers_part(titles[0])) if titles else None
        if notice.title:
            # The buyer's part stays in the buyer's language whatever language the label before it has.
            language = languages[0] if languages else ""
            notice.flag("title_from_notice_title", "title")
    if notice.title:
        notice.title_lang = written_language(language)
    _, descriptions = in_one_language(texts(record, "description-proc"), languages)
    notice.description = running(descriptions[0]) if descriptions else None


def _buyers_part(title: str) -> str:
    """What the buyer wrote of ``Country – CPV label – title`` or of the older ``Country-Town: title``.

    The country before it must not be used: in Bulgarian it is published with Latin look-alikes of Cyrillic letters.
    """
    parts = title.split(" – ", 2)
    if len(parts) > 1:
        return parts[-1]
    old = _OLD_TITLE.fullmatch(title)
    return old[1] if old else title


def _set_buyers(notice: Notice, record: Mapping[str, Any], languages: list[str]) -> None:
    by_language = texts(record, "buyer-name")
    most = max(map(len, by_language.values()), default=0)
    if any(len(names) != most for names in by_language.values()):
        notice.flag("buyers_uneven", "buyers", {code: len(names) for code, names in by_language.items()})
    # Equally long lists are translations of each other; a shorter one leaves organisations out.
    complete = {code: names for code, names in by_language.items() if len(names) == most}
    _, names = in_one_language(complete, languages)
    countries = list(dict.fromkeys(alpha2(code) for code in scalars(record, "buyer-country")))
    country = countries[0] if len(countries) == 1 else None
    notice.buyers = [Buyer(name, country=country) for name in dict.fromkeys(map(buyer_name, names)) if name is not None]
    if len(notice.buyers) == 1:
        cities, identifiers = distinct(record, "buyer-city"), distinct(record, "buyer-identifier")
        notice.buyers[0].city = one_line(cities[0]) if len(cities) == 1 else None
        notice.buyers[0].identifier = official_number(identifiers[0]) if len(identifiers) == 1 else None
    notice.buyer_name = notice.buyers[0].name if notice.buyers else None
    notice.country = countries[0] if countries else None
    if len(countries) > 1:
        notice.extra["buyer_countries"] = countries


def _set_subject(notice: Notice, record: Mapping[str, Any]) -> None:
    written = [*scalars(record, "main-classification-proc"), *scalars(record, "classification-cpv")]
    notice.cpv = cpv_codes([*written, *scalars(record, "additional-classification-proc")])
    if written and not notice.cpv:
        notice.flag("cpv_unreadable", "cpv", written[0])
    # Regions and countries come mixed in one list; "anyw" and the like say that the place does not matter.
    places = [code.upper() for code in distinct(record, "place-of-performance") if not code.startswith("anyw")]
    notice.nuts = [code for code in places if is_nuts(code)]
    others = [code for code in places if not is_nuts(code)]
    countries = [*(alpha2(code) for code in others), *(nuts_country(code) for code in notice.nuts)]
    notice.performance_countries = list(dict.fromkeys(countries))
    unknown = [code for code in others if not is_country(code)]
    if unknown:
        notice.flag("place_unknown", "performance_countries", " ".join(unknown))


def _lower(text: str | None) -> str | None:
    return text.lower() if text else None
