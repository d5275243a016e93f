"""Texts of notices as Notice holds them: plain, and without contact persons."""

from __future__ import annotations

from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import clean_text, clean_title


def one_line(text: str | None) -> str | None:
    """A title, name or number on one line; None when nothing is left."""
    title = clean_title(text)
    return without_contacts(title) if title else None


def running(text: str | None) -> str | None:
    """A description with its paragraphs; None when nothing is left."""
    cleaned = clean_text(text)
    return without_contacts(cleaned) if cleaned else None
