"""Texts of notices as Notice holds them: plain, and without contact persons."""

from __future__ import annotations

import re

from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_text, clean_title

#: German buyers without an official number are told to give their telephone number, as "t:0211...".
_NO_NUMBER = re.compile(
    r"\W*|.*@.*|[tf]\s?:.*|(?:tel|fon|fax|telefon|phone)\s?[.:].*"
    r"|n/?\.?a\.?|none|unknown|not (?:available|applicable)|keine angaben?",
    re.IGNORECASE,
)


def official_number(text: str | None) -> str | None:
    """A file or register number as published; None for what stands in for one.

    Not searched for telephone numbers by shape, as texts are: an Italian tax number looks like one.
    """
    number = clean_title(text)
    return None if number is None or _NO_NUMBER.fullmatch(number) else number


def one_line(text: str | None) -> str | None:
    """A title, name or number on one line; None when nothing is left."""
    title = clean_title(text)
    return without_contacts(title) if title else None


def running(text: str | None) -> str | None:
    """A description with its paragraphs; None when nothing is left."""
    cleaned = clean_text(text)
    return without_contacts(cleaned) if cleaned else None
