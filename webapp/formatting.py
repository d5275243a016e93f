"""Dates, money and names as people read them. The texts are English; their reader's locale is English or German."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from babel import Locale, dates, numbers
from flask import g, request

from tenderscrapy.normalise.places import country_name
from webapp.cpv_divisions import division_name

if TYPE_CHECKING:
    from flask import Flask

#: English as it is written where most notices come from: the day before the month.
LOCALES = {"en": "en_GB", "de": "de"}
_LANGUAGES = tuple(LOCALES)


def init_app(app: Flask) -> None:
    """Make the functions below filters of the templates."""
    for function in (
        deadline,
        days_left,
        value,
        country,
        language,
        moment,
        day,
        number,
        division,
        size,
        host,
        web_link,
        instant_of,
    ):
        app.add_template_filter(function)
    app.add_template_global(now)
    app.add_template_global(locale)


def now() -> datetime:
    """One instant for everything in a request."""
    if "now" not in g:
        g.now = datetime.now(UTC)
    at: datetime = g.now
    return at


def locale() -> str:
    """What the browser prefers of English and German; English when it says neither."""
    return LOCALES[request.accept_languages.best_match(_LANGUAGES) or "en"]


@cache
def zone(name: str | None) -> tzinfo:
    """The zone of a deadline: an IANA name or a written offset (``+02:00``); UTC when it is neither."""
    if not name:
        return UTC
    if name[0] in "+-":
        try:
            return timezone(_offset(name))
        except ValueError:
            return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC


def _offset(written: str) -> timedelta:
    hours, _, minutes = written[1:].partition(":")
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return -offset if written[0] == "-" else offset


def deadline(tender: Any) -> str:
    """The deadline in the buyer's time, with its zone; a deadline that is a day has no clock time."""
    at, is_date, zone_name = _deadline_parts(tender)
    if at is None:
        return ""
    local = at.astimezone(zone(zone_name))
    shown = dates.format_date(local, "EEE d MMM y" if locale() != "de" else "EEE d. MMM y", locale=locale())
    if is_date:
        return shown
    clock = dates.format_time(local, "HH:mm", locale=locale(), tzinfo=local.tzinfo)
    return f"{shown}, {clock} {local.tzname()}"


def local_deadline(tender: Any) -> str | None:
    """The deadline for programs: the local date, or the local time with its offset."""
    at, is_date, zone_name = _deadline_parts(tender)
    if at is None:
        return None
    local = at.astimezone(zone(zone_name))
    return local.date().isoformat() if is_date else local.isoformat()


def remaining_days(tender: Any, at: datetime) -> int | None:
    """Midnights in the buyer's zone until the deadline; None without one or when it has passed."""
    end, _, zone_name = _deadline_parts(tender)
    if end is None or end < at:
        return None
    local = zone(zone_name)
    return (end.astimezone(local).date() - at.astimezone(local).date()).days


def days_left(tender: Any) -> str:
    """``today``, ``tomorrow``, ``12 days left``, ``closed``; empty without a deadline."""
    end, _, _ = _deadline_parts(tender)
    if end is None:
        return ""
    days = remaining_days(tender, now())
    if days is None:
        return "closed"
    return {0: "today", 1: "tomorrow"}.get(days, f"{number(days)} days left")


def _deadline_parts(tender: Any) -> tuple[datetime | None, bool, str | None]:
    """From a tender, or from the parts of a snapshot, where the instant is text."""
    if isinstance(tender, dict):
        at, is_date, name = (tender.get(n) for n in ("deadline_at", "deadline_is_date", "deadline_zone"))
    else:
        at, is_date, name = tender.deadline_at, tender.deadline_is_date, tender.deadline_zone
    return instant_of(at), bool(is_date), name


def instant_of(at: datetime | str | None) -> datetime | None:
    """An instant of a row or, as text, of a snapshot. Raises ValueError for a text that is none."""
    return datetime.fromisoformat(at) if isinstance(at, str) else at


def value(tender: Any) -> str:
    """The amount or its range with the currency, and whether tax is in it where the source says so."""
    low, high = tender.value_min_amount, tender.value_amount
    amounts = [money(amount, tender.value_currency) for amount in (low, high) if amount is not None]
    if not amounts:
        return ""
    text = "–".join(dict.fromkeys(amounts)) if high is not None else f"from {amounts[0]}"
    return text + {True: " incl. VAT", False: " excl. VAT", None: ""}[tender.value_is_gross]


def money(amount: Decimal, currency: str | None) -> str:
    """An amount with its currency; cents only where there are some."""
    places = "#,##0" if amount == amount.to_integral_value() else "#,##0.00"
    if not currency:
        return numbers.format_decimal(amount, places, locale=locale())
    if numbers.get_currency_symbol(currency, locale=locale()) == currency:
        # a code is no sign that could stand close to the number
        shown = numbers.format_decimal(amount, places, locale=locale())
        return f"{shown}\xa0{currency}" if locale() == "de" else f"{currency}\xa0{shown}"
    pattern = Locale.parse(locale()).currency_formats["standard"].pattern.split(";")[0].replace("#,##0.00", places)
    return numbers.format_currency(amount, currency, pattern, locale=locale(), currency_digits=False)


def country(code: str | None) -> str:
    """The country's name in the reader's language."""
    return country_name(code, locale()) if code else ""


def known_country(code: str) -> bool:
    """Whether ``code`` is a country's two letters, in either case."""
    return len(code) == 2 and code.isalpha() and code.upper() in Locale.parse("en").territories


def language(code: str | None) -> str:
    """The language's name in the reader's language; the code itself when unknown."""
    return str(Locale.parse(locale()).languages.get(code or "", code or ""))


def moment(at: datetime | None) -> str:
    """Date and time in UTC, for what happened here."""
    return f"{dates.format_datetime(at, 'd MMM y, HH:mm', tzinfo=UTC, locale=locale())} UTC" if at else ""


def day(at: datetime | None) -> str:
    """The day of an instant in UTC."""
    return dates.format_date(at.astimezone(UTC), "d MMM y", locale=locale()) if at else ""


def number(count: int | Decimal | None) -> str:
    """A count with the reader's separators."""
    return numbers.format_decimal(count, locale=locale()) if count is not None else ""


def division(code: str) -> str:
    """The name of a CPV code's division; empty when there is none."""
    return division_name(code, locale()) or ""


def size(octets: int | None) -> str:
    """A file's size: ``340 KB``, ``2.1 MB``."""
    if octets is None:
        return ""
    if octets < 1_000_000:
        return f"{max(1, round(octets / 1000))} KB"
    return f"{numbers.format_decimal(Decimal(octets) / 1_000_000, '#,##0.0', locale=locale())} MB"


def host(url: str | None) -> str:
    """The host name of an address, for the text of a link."""
    try:
        return (urlsplit(url or "").hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def web_link(url: str | None) -> str | None:
    """``url`` when it is http or https, else None: a notice cannot smuggle another scheme into a link."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    return url if parts.scheme in ("http", "https") and parts.hostname else None
