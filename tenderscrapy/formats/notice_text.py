"""Texts of notices as Notice holds them: plain, and without contact persons."""

from __future__ import annotations

import re
from functools import lru_cache

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


# The only lot of a notice repeats its title and description: nothing costs as much as looking for people in them.
@lru_cache(maxsize=256)
def _without_people(text: str) -> str:
    return without_contacts(text)


def one_line(text: str | None) -> str | None:
    """A title, name or number on one line; None when nothing is left."""
    title = clean_title(text)
    return _without_people(title) if title else None


def running(text: str | None) -> str | None:
    """A description with its paragraphs; None when nothing is left."""
    cleaned = clean_text(text)
    return _without_people(cleaned) if cleaned else None
