"""Values and deadlines as TED states them, per procedure and per lot, brought to the one of each that Notice has."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tenderscrapy.items import Notice, to_json
from tenderscrapy.normalise import money
from tenderscrapy.normalise.dates import Deadline, deadline

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Values below two are entered where the form demands a number and the buyer has none to tell.
_PLACEHOLDERS_END = Decimal(1)

#: In the order in which they count: who may still tender need not know until when others could ask to take part.
DEADLINE_KINDS = ("tender", "participation", "expression")


def flag_once(notice: Notice, code: str, field: str, detail: object = "") -> None:
    """As ``notice.flag``; a notice with a hundred lots repeats itself a hundred times."""
    if not any((flag.code, flag.field) == (code, field) for flag in notice.flags):
        notice.flag(code, field, detail)


def stated_value(
    notice: Notice, amounts: Sequence[str], currencies: Iterable[str], *, negative: str
) -> tuple[Decimal, str] | None:
    """The one amount and its currency that the texts agree on; None, and a flag on ``notice``, where they do not.

    Flags: ``value_unreadable``, ``value_conflict`` (several amounts), ``value_placeholder`` (0 and 1, TED's usual
    dummies), the code ``negative`` for -1, ``currency_missing``, ``currency_conflict``.
    """
    numbers: set[Decimal] = set()
    for text in dict.fromkeys(amounts):
        try:
            number = money.amount(text)
        except ValueError:
            flag_once(notice, "value_unreadable", "value_amount", text)
            continue
        if number is not None:
            numbers.add(number)
    codes = {code for text in currencies if (code := money.currency(text))}
    if not numbers:
        return None
    fault = _fault(numbers, codes, negative)
    if fault:
        flag_once(notice, fault, "value_amount", " ".join([*map(str, sorted(numbers)), *sorted(codes)]))
        return None
    return numbers.pop(), codes.pop()


def _fault(numbers: set[Decimal], codes: set[str], negative: str) -> str | None:
    if len(numbers) > 1:
        return "value_conflict"
    (number,) = numbers
    if number <= _PLACEHOLDERS_END:
        return negative if number < 0 else "value_placeholder"
    if len(codes) != 1:
        return "currency_conflict" if codes else "currency_missing"
    return None


def stated_deadline(notice: Notice, date: str, time: str | None, zone: str | None) -> Deadline | None:
    """The deadline of one date and time; an unreadable time leaves the date, each with a flag on ``notice``."""
    try:
        return deadline(date, time, zone)
    except ValueError as error:
        flag_once(notice, "deadline_unreadable", "deadline_at", error)
    if time is None:
        return None
    try:
        return deadline(date.split("T", maxsplit=1)[0], None, zone)
    except ValueError:
        return None


def set_deadline(notice: Notice, by_kind: dict[str, list[Deadline]]) -> None:
    """Set the procedure's deadline: of the first kind that has any, the earliest.

    Lots may close on different days. The earliest is the one that a reader must not miss; where they differ the flag
    ``lot_deadlines_differ`` says so and ``extra["lot_deadlines"]`` lists all, each once.
    """
    for kind in DEADLINE_KINDS:
        deadlines = sorted(by_kind.get(kind, []), key=lambda stated: stated.at)
        if not deadlines:
            continue
        first = deadlines[0]
        notice.deadline_at, notice.deadline_is_date, notice.deadline_zone = first.at, first.is_date, first.zone
        notice.deadline_kind = kind
        instants = list(dict.fromkeys(stated.at for stated in deadlines))
        if len(instants) > 1:
            notice.extra["lot_deadlines"] = to_json(instants)
            flag_once(notice, "lot_deadlines_differ", "deadline_at", len(instants))
        return
