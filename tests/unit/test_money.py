"""Amounts and currencies."""

from decimal import Decimal

import pytest

from tenderscrapy.normalise.money import amount, currency


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (5000, Decimal(5000)),
        (73415.22, Decimal("73415.22")),
        ("12614228.74", Decimal("12614228.74")),
        (" 350000 ", Decimal(350000)),
        (Decimal("0.10"), Decimal("0.10")),
        (0, Decimal(0)),
        ("0.00", Decimal(0)),
        (-1, Decimal(-1)),
        ("1.5e6", Decimal(1500000)),
        (Decimal("0E+9999"), Decimal(0)),
    ],
)
def test_an_amount_is_read_exactly(written: object, read: Decimal) -> None:
    assert amount(written) == read


@pytest.mark.parametrize("nothing", [None, "", "  "])
def test_no_amount_is_none(nothing: object) -> None:
    assert amount(nothing) is None


@pytest.mark.parametrize(
    "written",
    [
        True,
        " 000,",
        "1,000",
        "EUR 5",
        "abc",
        float("inf"),
        float("nan"),
        "NaN",
        "Infinity",
        Decimal("1E+9999"),
        "1e9999",
        Decimal("1E-9999"),
        10**40,
        "９",
        [],
        {},
    ],
)
def test_what_is_no_finite_sane_number_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="not an amount"):
        amount(written)


@pytest.mark.parametrize(
    ("written", "read"), [("GBP", "GBP"), (" eur ", "EUR"), ("", None), ("£", None), (None, None), (978, None)]
)
def test_a_currency_is_a_code_of_three_letters(written: object, read: str | None) -> None:
    assert currency(written) == read
