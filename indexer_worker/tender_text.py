"""What of a tender is searched: a card of its facts, its description, its lots, and the texts of its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from indexer_worker.chunking import HEADING_TOKENS, Section, shortened
from tenderscrapy.normalise.places import country_name
from tenderscrapy.normalise.text import clean_text

if TYPE_CHECKING:
    from collections.abc import Iterator

CARD = "card"
DESCRIPTION = "description"
LOTS = "lots"
#: Estimated tokens of what stands for a card.
CARD_TOKENS = HEADING_TOKENS + 100
_SHORT_LOT = 200


@dataclass(slots=True)
class File:
    """A ready attachment; ``path`` is relative to the folder of files."""

    id: int
    filename: str
    media_type: str | None
    path: str


@dataclass(slots=True)
class Tender:
    """A tender as it is loaded for the index. ``facts`` are the columns of its row, ``sources`` (code, notice id)."""

    id: str
    content_hash: str
    facts: dict[str, Any]
    sources: list[tuple[str, str]] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    unchanged: bool = False

    @property
    def title(self) -> str:
        """The title, made safe for the database again: rows may come from elsewhere."""
        return clean_text(self.facts["title"]) or ""

    @property
    def buyer(self) -> str:
        """The buyer's name, or an empty string."""
        return clean_text(self.facts["buyer_name"]) or ""

    @property
    def lang(self) -> str | None:
        """The language of the title as the source states it."""
        return self.facts["title_lang"]

    def heading(self, section: str) -> str:
        """What is embedded with each chunk of a section."""
        return heading(self.title, self.facts["description"] or "", section)


def heading(title: str, description: str, section: str) -> str:
    """What says of which tender a passage speaks: embedded with it, but no part of its text.

    The title alone: buyer, codes and section beside it pulled the vectors of a sentence encoder away from the subject
    (nDCG@10 of judged queries in another language .37, with the title alone .45). A card is represented by title and
    description for the same reason; its facts are found by their words.
    """
    if section != CARD:
        return shortened(title, HEADING_TOKENS)
    description = clean_text(description) or ""
    return shortened(title if description in ("", title) else f"{title}. {description}", CARD_TOKENS)


def embedded_text(heading: str, section: str, text: str) -> str:
    """What a model is given of a passage; without a heading, which is left out when it is too long, the text."""
    if section == CARD and heading:
        return heading
    return f"{heading}. {text}" if heading else text


def notice_sections(tender: Tender) -> Iterator[Section]:
    """The sections that come from the notices alone; the card first."""
    yield Section(CARD, card(tender), lang=tender.lang)
    description = clean_text(tender.facts["description"])
    if description and description != tender.title:
        yield Section(DESCRIPTION, description)
    yield from _lots(tender, description)


def _lots(tender: Tender, description: str | None) -> Iterator[Section]:
    short = []
    for lot in tender.facts["lots"]:
        title, body = clean_text(lot.get("title")), clean_text(lot.get("description"))
        said = [text for text in (title, body) if text and text not in (tender.title, description)]
        if not said:
            continue
        text = f"{lot.get('id') or 'LOT'}: " + "\n".join(dict.fromkeys(said))
        if len(text) < _SHORT_LOT:
            short.append(text)
        else:
            yield Section(str(lot.get("id") or "LOT")[:60], text)
    if short:
        yield Section(LOTS, "\n".join(short))


def card(tender: Tender) -> str:
    """The structured facts as lines, so that a question for a deadline, a value or a number meets a passage."""
    facts = tender.facts
    country = facts["country"]
    names = dict.fromkeys(country_name(country, locale) for locale in ("en", tender.lang or "en")) if country else {}
    lines = {
        "Title": tender.title,
        "Buyer": tender.buyer,
        "Country": f"{' / '.join(names)} ({country})" if country else "",
        "Region": ", ".join(facts["nuts"][:20]),
        "CPV": ", ".join(facts["cpv"][:20]),
        "Notice type": facts["notice_type"],
        "Procedure": facts["procedure_type"],
        "Status": facts["status"],
        "Published": _day(facts["published_at"]),
        "Deadline": deadline(facts),
        "Value": _value(facts),
        "Reference": facts["reference"],
        "OCID": facts["ocid"],
        "Sources": ", ".join(f"{code} {notice_id}" for code, notice_id in tender.sources[:20]),
    }
    text = "\n".join(f"{name}: {value}" for name, value in lines.items() if value)
    return clean_text(text) or tender.title


def deadline(facts: dict[str, Any]) -> str:
    """The deadline in the buyer's time with its zone; a deadline that is a day has no clock time."""
    at: datetime | None = facts["deadline_at"]
    if at is None:
        return ""
    name = facts["deadline_zone"] or "UTC"
    local = at.astimezone(_zone(name))
    return f"{local:%Y-%m-%d}" if facts["deadline_is_date"] else f"{local:%Y-%m-%d %H:%M} {name}"


def _zone(name: str) -> ZoneInfo | timezone:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        pass
    try:
        hours, minutes = name[1:].split(":")
        sign = -1 if name.startswith("-") else 1
        return timezone(sign * timedelta(hours=int(hours), minutes=int(minutes)))
    except ValueError:
        return UTC


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else ""


def _value(facts: dict[str, Any]) -> str:
    low, high = facts["value_min_amount"], facts["value_amount"]
    amounts = [format(Decimal(amount), "f") for amount in (low, high) if amount is not None]
    gross = {True: " gross", False: " net", None: ""}[facts["value_is_gross"]]
    return f"{' to '.join(amounts)} {facts['value_currency'] or ''}{gross}".strip() if amounts else ""
