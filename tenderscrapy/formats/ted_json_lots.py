"""Dates, lots and value of a record of the TED search API; see ted_json for what its arrays cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenderscrapy.formats.notice_text import one_line, running
from tenderscrapy.formats.stated_facts import DEADLINE_KINDS, flag_once, set_deadline, stated_deadline, stated_value
from tenderscrapy.formats.ted_shapes import distinct, in_one_language, scalar, scalars, texts
from tenderscrapy.items import Lot, Notice
from tenderscrapy.normalise.dates import Deadline, instant
from tenderscrapy.normalise.places import zone_of

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Fields of each kind of deadline. ``deadline``, ``deadline-date-lot`` and ``deadline-time-lot`` are not among them:
#: they were seen to say another day than the lots do.
_DEADLINE_FIELDS = dict(
    zip(
        DEADLINE_KINDS,
        ("deadline-receipt-tender", "deadline-receipt-request", "deadline-receipt-expressions"),
        strict=True,
    )
)
#: Procedures in which the first thing to hand in is a request to participate.
_TWO_STAGE = frozenset({"restricted", "neg-w-call", "comp-dial", "innovation"})
#: OJ S appears in Luxembourg.
_TED_ZONE = "Europe/Luxembourg"


def set_dates(notice: Notice, record: Mapping[str, Any]) -> None:
    published = scalar(record, "publication-date")
    if published:
        try:
            notice.published_at = notice.revised_at = instant(published, _TED_ZONE)
        except ValueError:
            flag_once(notice, "published_at_unreadable", "published_at", published)
    zone = zone_of(notice.country)
    by_kind = {
        kind: _deadlines(notice, scalars(record, f"{name}-date-lot"), scalars(record, f"{name}-time-lot"), zone)
        for kind, name in _DEADLINE_FIELDS.items()
    }
    if not any(by_kind.values()):
        kind = "participation" if notice.procedure_type in _TWO_STAGE else "tender"
        by_kind[kind] = _deadlines(notice, scalars(record, "deadline-receipt-request"), [], zone)
    set_deadline(notice, by_kind)


def _deadlines(notice: Notice, dates: list[str], times: list[str], zone: str | None) -> list[Deadline]:
    pairs: list[tuple[str, str | None]]
    if len(dates) == len(times):
        pairs = [*zip(dates, times, strict=True)]
    elif not times:
        pairs = [(date, None) for date in dates]
    elif len(set(times)) == 1 or len(set(dates)) == 1:
        pairs = [(date, time) for date in dict.fromkeys(dates) for time in dict.fromkeys(times)]
    else:
        flag_once(notice, "deadline_times_unclear", "deadline_at", f"{len(dates)} dates, {len(times)} times")
        pairs = [(date, None) for date in dates]
    stated = (stated_deadline(notice, date, time, zone) for date, time in dict.fromkeys(pairs))
    return [found for found in stated if found is not None]


def set_lots(notice: Notice, record: Mapping[str, Any], languages: list[str]) -> None:
    identifiers = distinct(record, "identifier-lot")
    _, titles = in_one_language(texts(record, "title-lot"), languages)
    _, descriptions = in_one_language(texts(record, "description-lot"), languages)
    if not identifiers and titles:
        identifiers = [f"#{ordinal}" for ordinal in range(1, len(titles) + 1)]
        notice.lots = [Lot(name, title=one_line(title)) for name, title in zip(identifiers, titles, strict=True)]
        flag_once(notice, "lot_ids_missing", "lots", len(titles))
    else:
        notice.lots = [Lot(identifier) for identifier in identifiers]
    if len(notice.lots) == 1:
        lot = notice.lots[0]
        lot.title = one_line(titles[0]) if len(titles) == 1 else None
        lot.description = running(descriptions[0]) if len(descriptions) == 1 else None
        notice.description = notice.description or lot.description
        lot.deadline_at, lot.cpv, lot.nuts = notice.deadline_at, list(notice.cpv), list(notice.nuts)
    elif titles and not any(lot.title for lot in notice.lots):
        notice.extra["lot_titles"] = [title for title in map(one_line, dict.fromkeys(titles)) if title]
    if notice.lots:
        notice.extra["lot_count"] = len(notice.lots)


def set_value(notice: Notice, record: Mapping[str, Any]) -> None:
    """The estimate of the procedure, else of its only lot, else (results) the total awarded. TED's values are net."""
    names = [("estimated-value-proc", "estimated-value-cur-proc")]
    if len(notice.lots) == 1:
        names.append(("estimated-value-lot", "estimated-value-cur-lot"))
    if notice.status == "awarded":
        names.append(("total-value", "total-value-cur"))
    for amount_name, currency_name in names:
        amounts, currencies = scalars(record, amount_name), scalars(record, currency_name)
        value = stated_value(notice, amounts, currencies, negative="value_placeholder")
        if value:
            notice.value_amount, notice.value_currency = value
            notice.value_is_gross = False
            break
    if notice.value_amount and len(notice.lots) == 1:
        notice.lots[0].value_amount, notice.lots[0].value_currency = notice.value_amount, notice.value_currency
