"""Codes of the Common Procurement Vocabulary as strings of eight digits."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_CODE = re.compile(r"(?:CPV)?\W*([0-9]{2,8})(?:\s*-\s*[0-9])?", re.IGNORECASE)
_SEPARATORS = re.compile(r"[,;|\n\t]+|(?<=[0-9])\s+(?=[0-9])")
_LENGTH = 8


def cpv_code(value: object) -> str | None:
    """The eight digits of one code, without check digit; None when unreadable.

    Short codes (``45``, division only) are filled with zeros on the right. A number of seven digits has lost the zero
    of divisions 03 and 09, and gets it back.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = f"{value:08d}" if 1_000_000 <= value < 10_000_000 else str(value)
    if not isinstance(value, str) or not value.isascii():
        return None
    match = _CODE.fullmatch(value.strip())
    if not match or match[1].startswith("00"):
        return None
    return match[1].ljust(_LENGTH, "0")


def cpv_codes(values: Iterable[object]) -> list[str]:
    """All readable codes in ``values``, each once, in the order given; a text may list several codes."""
    codes: dict[str, None] = {}
    for value in values:
        for part in _SEPARATORS.split(value) if isinstance(value, str) else (value,):
            code = cpv_code(part)
            if code:
                codes[code] = None
    return list(codes)
