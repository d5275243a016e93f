"""Invented notices in the shape of the TED search API's answers; the same for the same arguments."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, overload
from zoneinfo import ZoneInfo

from portal_simulator.words import FACILITIES, PLACE_BEGINNINGS, PLACE_ENDINGS, SENTENCES, SUBJECTS, Subject

Notice = dict[str, Any]

LANGUAGES = (
    "bul", "spa", "ces", "dan", "deu", "est", "ell", "eng", "fra", "gle", "hrv", "ita",
    "lav", "lit", "hun", "mlt", "nld", "pol", "por", "ron", "slk", "slv", "fin", "swe",
)  # fmt: skip

#: country: language, NUTS, currency, how the authority calls itself, name in English
COUNTRIES = {
    "DEU": ("deu", "DE21H", "EUR", "Stadt {}", "Germany"),
    "FRA": ("fra", "FRK24", "EUR", "Commune de {}", "France"),
    "POL": ("pol", "PL225", "PLN", "Gmina {}", "Poland"),
    "AUT": ("deu", "AT312", "EUR", "Marktgemeinde {}", "Austria"),
    "GRC": ("ell", "EL522", "EUR", "Δήμος {}", "Greece"),
    "IRL": ("eng", "IE061", "EUR", "{} County Council", "Ireland"),
}
FIRST_NUMBER = 100_001
BRUSSELS = ZoneInfo("Europe/Brussels")
_FREQUENT = ("DEU", "DEU", "DEU", "FRA", "FRA", "POL", "AUT", "GRC", "IRL")
_NAMESPACE = uuid.UUID("6c0f5b57-7a55-5a0e-9d0c-3f1f1d1a2b3c")


def invented_ted_notices(n: int, seed: int = 1, *, last_day: date | None = None, days: int = 30) -> InventedNotices:
    """``n`` notices of ``days`` days up to ``last_day`` (today in UTC), the oldest first.

    Every notice is a procedure of its own. One in ten is a planning notice without a deadline, one in ten a result,
    one in ten a restricted procedure with a date but no time; the others are open calls with one to three lots.
    """
    return InventedNotices(n, seed, last_day or datetime.now(UTC).date(), days)


class InventedNotices(Sequence[Notice]):
    """Makes each notice when it is asked for, so that a hundred thousand of them cost nothing."""

    def __init__(self, n: int, seed: int, last_day: date, days: int) -> None:
        self._n, self._seed, self._last_day, self._days = n, seed, last_day, days

    def __len__(self) -> int:
        return self._n

    @overload
    def __getitem__(self, index: int) -> Notice: ...

    @overload
    def __getitem__(self, index: slice) -> list[Notice]: ...

    def __getitem__(self, index: int | slice) -> Notice | list[Notice]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._n))]
        if not -self._n <= index < self._n:
            raise IndexError(index)
        index %= self._n
        day = self._last_day - timedelta(days=self._days - 1 - index * self._days // self._n)
        return _notice(index, self._seed, day)

    def numbered(self, publication_number: str) -> Notice | None:
        """The notice of that number, without making all the others."""
        number, _, _ = publication_number.partition("-")
        index = int(number) - FIRST_NUMBER
        notice = self[index] if 0 <= index < self._n else None
        return notice if notice and notice["publication-number"] == publication_number else None

    def __iter__(self) -> Iterator[Notice]:
        return (self[i] for i in range(self._n))


def _notice(index: int, seed: int, day: date) -> Notice:
    draw = random.Random(f"{seed}/{index}")
    country = draw.choice(_FREQUENT)
    language, nuts, currency, authority, country_name = COUNTRIES[country]
    subject = draw.choice(SUBJECTS)
    place = draw.choice(PLACE_BEGINNINGS) + draw.choice(PLACE_ENDINGS)
    facility = draw.choice(FACILITIES[language])
    title = f"{getattr(subject, language)}, {facility} {place}, {draw.randint(1, 99)}/{day:%Y}-{index + 1}"
    text = " ".join(SENTENCES[language]).format(
        subject=getattr(subject, language), facility=facility, place=place, months=draw.choice((12, 24, 36, 48))
    )
    notice: Notice = {
        "publication-number": f"{FIRST_NUMBER + index}-{day.year}",
        "publication-date": _dated(day),
        "notice-identifier": str(uuid.uuid5(_NAMESPACE, f"notice {seed} {index}")),
        "notice-version": 1,
        "procedure-identifier": str(uuid.uuid5(_NAMESPACE, f"procedure {seed} {index}")),
        "notice-title": dict.fromkeys(LANGUAGES, f"{country_name} – {subject.label} – {title}"),
        "title-proc": {language: title},
        "description-proc": {language: text},
        "buyer-name": {language: [authority.format(place)]},
        "buyer-country": [country],
        "buyer-city": {language: [place]},
        "buyer-email": [f"vergabe{index}@example.org"],
        "buyer-identifier": [f"{country}-{draw.randrange(10**8):08d}"],
        "official-language": [language.upper()],
        "place-of-performance": [nuts, country],
        "classification-cpv": [subject.cpv, *subject.related, subject.cpv],
        "main-classification-proc": [subject.cpv],
        "contract-nature": [subject.nature],
        "contract-nature-main-proc": subject.nature,
    }
    _KINDS[index % 10](notice, draw, subject, day, currency)
    return notice


def _dated(day: date) -> str:
    """The day with the offset of Brussels on it, as TED writes days."""
    noon = datetime(day.year, day.month, day.day, 12, tzinfo=BRUSSELS)
    return day.isoformat() + noon.isoformat()[-6:]


def _deadline(draw: random.Random, day: date) -> date:
    return day + timedelta(days=draw.randint(35, 70))


def _money(draw: random.Random) -> str:
    return f"{draw.randint(20_000, 9_000_000)}.{draw.randint(0, 99):02d}"


def _lots(notice: Notice, draw: random.Random, subject: Subject) -> int:
    """One lot, or up to three; with one, the id is LOT-0000."""
    count = draw.choice((1, 1, 1, 2, 3))
    language = next(iter(notice["title-proc"]))
    title = notice["title-proc"][language]
    ids = ["LOT-0000"] if count == 1 else [f"LOT-{i:04d}" for i in range(1, count + 1)]
    notice["identifier-lot"] = ids
    notice["title-lot"] = {language: [title] if count == 1 else [f"{title} – {i}" for i in ids]}
    notice["description-lot"] = {language: [notice["description-proc"][language]] * count}
    notice["classification-cpv"] = [*notice["classification-cpv"], *[subject.cpv] * count]
    notice["document-url-lot"] = [f"https://vergabe.example.org/verfahren/{notice['publication-number']}"] * count
    notice["submission-url-lot"] = [f"https://vergabe.example.org/abgabe/{notice['publication-number']}"] * count
    return count


def _open_call(notice: Notice, draw: random.Random, subject: Subject, day: date, currency: str) -> None:
    count = _lots(notice, draw, subject)
    deadline = _deadline(draw, day)
    offset = _dated(deadline)[10:]
    time = f"{draw.randint(9, 14):02d}:00:00{offset}"
    notice |= {
        "notice-type": "cn-standard",
        "notice-subtype": "16",
        "form-type": "competition",
        "procedure-type": "open",
        "deadline-receipt-tender-date-lot": [_dated(deadline)] * count,
        "deadline-receipt-tender-time-lot": [time] * count,
        "deadline-receipt-request": [f"{deadline.isoformat()}T{time}"] * count,
        "contract-duration-period-lot": [{"unit": "MONTH", "value": "24"}] * count,
    }
    if draw.random() < 0.6:
        notice |= {"estimated-value-proc": _money(draw), "estimated-value-cur-proc": currency}


def _restricted_call(notice: Notice, draw: random.Random, subject: Subject, day: date, currency: str) -> None:
    del currency
    count = _lots(notice, draw, subject)
    notice |= {
        "notice-type": "cn-standard",
        "notice-subtype": "16",
        "form-type": "competition",
        "procedure-type": "restricted",
        "deadline-receipt-request-date-lot": [_dated(_deadline(draw, day))] * count,
        "buyer-city": {},
    }


def _planning(notice: Notice, draw: random.Random, subject: Subject, day: date, currency: str) -> None:
    del draw, subject, day, currency
    notice |= {"notice-type": "pin-only", "notice-subtype": "4", "form-type": "planning"}


def _result(notice: Notice, draw: random.Random, subject: Subject, day: date, currency: str) -> None:
    del day
    _lots(notice, draw, subject)
    language = next(iter(notice["title-proc"]))
    notice |= {
        "notice-type": "can-standard",
        "notice-subtype": "29",
        "form-type": "result",
        "procedure-type": "open",
        "winner-name": {language: [f"Musterbau {draw.randint(1, 400)} GmbH"]},
        "winner-selection-status": ["selec-w"],
        "result-value-notice": _money(draw),
        "result-value-cur-notice": currency,
    }
    del notice["document-url-lot"], notice["submission-url-lot"]


_KINDS = (_open_call, _open_call, _open_call, _planning, _open_call, _restricted_call, _open_call, _result,
          _open_call, _open_call)  # fmt: skip
