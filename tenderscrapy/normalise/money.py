"""Amounts and currencies as Decimals and ISO 4217 codes."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")
_CURRENCY = re.compile(r"[A-Z]{3}")
#: No procurement reaches a quintillion; a number like 1e9999 is a typing error that would fill the database.
_MOST_DIGITS_BEFORE_POINT = 18
_MOST_DIGITS_AFTER_POINT = 30


def amount(value: object) -> Decimal | None:
    """``value`` as an exact, finite Decimal; None and blank text are None.

    Text is read as a machine writes it: a point for the fraction and no grouping. Zero and negative numbers are
    returned as they are, since what they mean depends on the source. Raises ValueError for all else, for numbers
    that are not finite, and for those of absurd size.
    """
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        raise ValueError(f"not an amount: {type(value).__name__}")
    if isinstance(value, int):
        if value.bit_length() > 64:
            raise ValueError("not an amount: too large")
        return Decimal(value)
    written = str(value).strip()
    if not _NUMBER.fullmatch(written):
        raise ValueError(f"not an amount: {written[:60]!r}")
    number = Decimal(written)
    if number and (number.adjusted() >= _MOST_DIGITS_BEFORE_POINT or number.adjusted() < -_MOST_DIGITS_AFTER_POINT):
        raise ValueError(f"not an amount: {written[:60]!r}")
    return number or Decimal(0)


def currency(value: object) -> str | None:
    """The ISO 4217 code in upper case; None when ``value`` is no code of three letters."""
    if not isinstance(value, str):
        return None
    code = value.strip().upper()
    return code if _CURRENCY.fullmatch(code) else None
