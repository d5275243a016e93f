"""Small decisions of the templates that are no matter of locale."""

from __future__ import annotations

import json
from datetime import time
from decimal import Decimal
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from webapp import formatting
from webapp.code_names import code_name
from webapp.cpv_divisions import DIVISIONS
from webapp.lots import told_lots
from webapp.request_state import LABELS
from webapp.source_names import source_name
from webapp.versions import SHOWN
from webapp.wording import wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from flask import Flask

    from webapp.versions import FieldChange
    from webapp.wording import Part

#: Days before a deadline from which it is shown as urgent.
URGENT = 3
LAST_SECOND = time(23, 59, 59)
#: Characters of a description in a list; the stylesheet cuts at whole lines.
EXCERPT = 320


def init_app(app: Flask) -> None:
    """Make the functions below filters of the templates."""
    for function in (
        urgent,
        country_choices,
        division_choices,
        chip,
        field_label,
        pieces,
        plain_value,
        said,
        excerpt,
        paragraphs,
        code_name,
        told_lots,
        file_name,
    ):
        app.add_template_filter(function)


def urgent(tender: Any) -> bool:
    """Whether the deadline is at most URGENT days away."""
    days = formatting.remaining_days(tender, formatting.now())
    return days is not None and days <= URGENT


def country_choices(counts: dict[str, int], chosen: list[str] | None) -> list[tuple[str, str]]:
    """Codes and labels with counts, by name; a chosen country without tenders stays in the list."""
    codes = counts | {code.upper(): counts.get(code.upper(), 0) for code in chosen or []}
    labelled = [(code, f"{formatting.country(code)} ({formatting.number(count)})") for code, count in codes.items()]
    return sorted(labelled, key=lambda choice: choice[1].casefold())


def division_choices(chosen: list[str] | None) -> list[tuple[str, str]]:
    """The divisions of the CPV; a finer chosen code comes first so that the form keeps it."""
    divisions = [(code, f"{code} {formatting.division(code)}") for code in DIVISIONS]
    finer = [(code, f"{code} {formatting.division(code)}") for code in chosen or [] if code not in DIVISIONS]
    return finer + divisions


def chip(name: str, value: str) -> str:
    """A filter in use, as a reader calls it."""
    label = LABELS.get(name, name)
    if name == "country":
        value = formatting.country(value.upper())
    elif name == "cpv":
        value = f"{value} {formatting.division(value)}".strip()
    elif name == "source":
        value = source_name(value)
    elif name in ("notice_type", "procedure_type"):
        value = code_name(value, name)
    elif name == "has_documents":
        value = "yes" if value in ("true", "1") else "no"
    return f"{label}: {value}"


def field_label(name: str) -> str:
    """The name of a field as a reader calls it."""
    return SHOWN.get(name, name.replace("_", " ").capitalize())


def plain_value(value: Any, field: str) -> str:
    """A value of a snapshot as text: a deadline in its zone, an amount with separators, a list by its parts."""
    try:
        if field in _SHOWN_AS:
            return _SHOWN_AS[field](value)
    except (ValueError, ArithmeticError, TypeError):
        return str(value)
    if isinstance(value, list):
        return ", ".join(str(part) for part in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def pieces(change: FieldChange) -> list[Part]:
    """What went and what came; of a long text only the words that changed and those around them."""
    old, new = (plain_value(value, change.field) if value else "" for value in (change.old, change.new))
    return wording(old, new)


def said(value: Any, field: str, tender: Any) -> str:
    """What one source says of a field in which the sources disagree; a deadline in the tender's zone.

    Only the instant is kept of a contradicting deadline: the last second of a day is what a date without a clock time
    is stored as, and is shown as one.
    """
    if field != "deadline_at":
        return plain_value(value, field)
    instant = formatting.instant_of(value)
    last_second = (
        instant is not None and instant.astimezone(formatting.zone(tender.deadline_zone)).time() == LAST_SECOND
    )
    parts = {"deadline_at": value, "deadline_zone": tender.deadline_zone, "deadline_is_date": last_second}
    return plain_value(parts, field)


def _amount(value: Any) -> str:
    return formatting.number(Decimal(str(value)))


_SHOWN_AS: dict[str, Callable[[Any], str]] = {
    "deadline_at": lambda value: formatting.deadline(value if isinstance(value, dict) else {"deadline_at": value}),
    "value_amount": _amount,
    "value_min_amount": _amount,
    "country": lambda value: formatting.country(str(value)),
    "notice_type": lambda value: code_name(str(value), "notice_type"),
    "change_reason": lambda value: code_name(str(value), "change_reason"),
    "procedure_type": lambda value: code_name(str(value), "procedure_type"),
}


def excerpt(text: str) -> str:
    """The beginning of a text on one line, as much as two lines of a list may show."""
    return " ".join(text[: 2 * EXCERPT].split())[:EXCERPT]


def paragraphs(text: str) -> list[str]:
    """The lines of a text that say something."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def file_name(file: dict[str, Any]) -> str:
    """The name a source gave a file; else its description, else the end of its address."""
    if file["filename"]:
        return str(file["filename"])
    try:
        last = PurePosixPath(unquote(urlsplit(file["source_url"]).path)).name
    except ValueError:
        last = ""
    return file["description"] or last or file["source_url"]
