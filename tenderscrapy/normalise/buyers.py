"""Names of contracting authorities."""

from __future__ import annotations

import re

from tenderscrapy.normalise.privacy import MARK, without_contacts
from tenderscrapy.normalise.text import clean_title

_ATTENTION = re.compile(
    r"[\s,;(–-]*\b(?:z\.?\s?h(?:d|d\.)?\.?(?:\s?v(?:on|\.))?|zu\s+h[äa]nden|f\.?a\.?o\.?|attn)\b[.:]?\s.*$",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"[\W_]*|n\.?\s?/?\s?a\.?|k\.\s?a\.?|keine\s+angaben?|unknown|unbekannt|none|null|not\s+(?:applicable|specified)",
    re.IGNORECASE,
)


def buyer_name(value: object) -> str | None:
    """The authority's name on one line, without contact persons; None for text that only stands in for a name."""
    name = clean_title(value) if isinstance(value, str) else None
    if name is None:
        return None
    name = without_contacts(_ATTENTION.sub("", name))
    name = name.removesuffix(MARK).rstrip(" ,;:–-") or MARK
    return None if name == MARK or _NO_NAME.fullmatch(name) else name
