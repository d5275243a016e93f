"""Money and deadlines of OCDS releases."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from ocds_releases import PROCEDURE, codes, release, utc

from tenderscrapy.formats.ocds import to_notice

if TYPE_CHECKING:
    from datetime import datetime


def test_d8_a_missing_currency_is_not_guessed() -> None:
    notice = to_notice(release(tender={"value": {"amount": 5000}}))
    assert (notice.value_amount, notice.value_currency, codes(notice)) == (Decimal(5000), None, ["currency_missing"])


def test_d9_zero_is_unknown() -> None:
    zero = {"amount": 0, "currency": "GBP"}
    notice = to_notice(release(tender={"value": zero, "minValue": zero}))
    assert (notice.value_amount, notice.value_min_amount, notice.value_currency) == (None, None, None)
    assert [(f.code, f.field) for f in notice.flags] == [
        ("value_zero", "value_amount"),
        ("value_zero", "value_min_amount"),
    ]


def test_d10_a_lower_bound_is_not_promoted() -> None:
    notice = to_notice(release(tender={"minValue": {"amount": 5000, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_min_amount, notice.value_currency) == (None, Decimal(5000), "GBP")


@pytest.mark.parametrize("written", [Decimal("118.10"), 118.1, "118.10"])
def test_an_amount_is_exact_in_whatever_form_it_comes(written: Any) -> None:
    notice = to_notice(release(tender={"value": {"amount": written, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_is_gross) == (Decimal("118.10"), None)


def test_an_amount_with_tax_only_is_marked_gross() -> None:
    notice = to_notice(release(tender={"value": {"amountGross": 120, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_is_gross, codes(notice)) == (Decimal(120), True, ["gross"])
    both = to_notice(release(tender={"value": {"amount": 100, "amountGross": 120, "currency": "GBP"}}))
    assert (both.value_amount, both.value_is_gross, both.flags) == (Decimal(100), False, [])
    assert to_notice(release(tender={"value": {"amountGross": 0, "currency": "GBP"}})).value_amount is None


@pytest.mark.parametrize("written", [" 000,", "about 5", True, [5], float("inf"), Decimal("1E+9999"), {"x": 1}])
def test_an_amount_that_is_no_number_is_flagged_and_the_release_kept(written: Any) -> None:
    notice = to_notice(release(tender={"value": {"amount": written, "currency": "GBP"}}))
    assert (notice.title, notice.value_amount, codes(notice)) == ("Road repairs", None, ["value_unreadable"])


def test_a_number_beyond_floats_in_the_json_text_is_flagged() -> None:
    text = json.dumps(release(tender={"value": {"amount": 1, "currency": "GBP"}})).replace(
        '"amount": 1', '"amount": 1e9999'
    )
    for document in (json.loads(text), json.loads(text, parse_float=Decimal)):
        assert codes(to_notice(document)) == ["value_unreadable"]


def test_values_of_lots_are_not_summed() -> None:
    lots = [{"id": str(n), "value": {"amount": 10, "currency": "GBP"}} for n in (1, 2)]
    assert to_notice(release(tender={"lots": lots})).value_amount is None
    assert to_notice(release(tender={"lots": lots, "value": {"amount": 15, "currency": "GBP"}})).value_amount == 15
    only = to_notice(release(tender={"lots": lots[:1]}))
    assert (only.value_amount, only.value_currency) == (Decimal(10), "GBP")


def test_bounds_in_two_currencies_do_not_mix() -> None:
    notice = to_notice(
        release(tender={"value": {"amount": 9, "currency": "GBP"}, "minValue": {"amount": 5, "currency": "EUR"}})
    )
    assert (notice.value_amount, notice.value_min_amount, codes(notice)) == (Decimal(9), None, ["currency_conflict"])


@pytest.mark.parametrize(
    ("written", "at", "is_date", "zone"),
    [
        ("2025-02-14T17:00:00Z", utc(2025, 2, 14, 17), False, "Europe/London"),
        ("2025-04-14T23:59:59+01:00", utc(2025, 4, 14, 22, 59, 59), False, "Europe/London"),
        ("2026-07-15T12:00:00", utc(2026, 7, 15, 11), False, "Europe/London"),
        ("2025-07-07", utc(2025, 7, 7, 22, 59, 59), True, "Europe/London"),
        ("2025-01-07", utc(2025, 1, 7, 23, 59, 59), True, "Europe/London"),
    ],
)
def test_d11_a_deadline_is_an_instant_or_a_day(written: str, at: datetime, is_date: bool, zone: str) -> None:
    notice = to_notice(release(tender={"tenderPeriod": {"endDate": written}}))
    assert (notice.deadline_at, notice.deadline_is_date, notice.deadline_zone) == (at, is_date, zone)
    assert notice.deadline_kind == "tender"


def test_a_german_deadline_without_zone_is_local_to_berlin() -> None:
    notice = to_notice(
        release(ocid=f"ocds-mnwr74-{PROCEDURE}", tender={"tenderPeriod": {"endDate": "2026-07-15T12:00:00"}})
    )
    assert (notice.deadline_at, notice.deadline_zone) == (utc(2026, 7, 15, 10), "Europe/Berlin")


def test_the_earliest_lot_sets_the_deadline_when_the_tender_has_none() -> None:
    lots = [{"id": str(day), "tenderPeriod": {"endDate": f"2025-03-{day}T12:00:00Z"}} for day in (20, 18, 19)]
    notice = to_notice(release(tender={"lots": lots}))
    assert notice.deadline_at == utc(2025, 3, 18, 12)
    assert [lot.deadline_at for lot in notice.lots] == [utc(2025, 3, day, 12) for day in (20, 18, 19)]
    assert to_notice(release(tender={"lots": lots, "tenderPeriod": {"endDate": "2025-04-01"}})).deadline_is_date


@pytest.mark.parametrize("written", ["soon", "2025-02-30", "31/12/2025", 20250101, ["2025-01-01"]])
def test_a_deadline_that_cannot_be_read_is_flagged(written: Any) -> None:
    notice = to_notice(release(tender={"tenderPeriod": {"endDate": written}}))
    assert notice.deadline_at is None
    assert len(notice.flags) == 1
    assert notice.flags[0].field == "deadline_at"


def test_first_publication_and_edition_are_told_apart() -> None:
    notice = to_notice(release(date="2025-01-23T18:30:29Z", tender={"datePublished": "2025-01-16T14:26:39Z"}))
    assert (notice.published_at, notice.revised_at) == (utc(2025, 1, 16, 14, 26, 39), utc(2025, 1, 23, 18, 30, 29))
    assert to_notice(release()).published_at == utc(2025, 1, 23, 16, 17, 12)


def test_a_date_that_cannot_be_read_is_flagged() -> None:
    notice = to_notice(release(date="yesterday"))
    assert (notice.revised_at, notice.published_at, codes(notice)) == (None, None, ["date_unreadable"])
