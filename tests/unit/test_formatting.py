"""Dates, money and names as readers of two locales see them."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace

import pytest

from webapp import create_app, formatting, presentation
from webapp.cpv_divisions import DIVISIONS, division_name


@pytest.fixture(scope="module")
def app():
    return create_app({"DATABASE_URL": "postgresql://127.0.0.1:9/none"})


@pytest.fixture
def reading(app):
    """``reading("de")`` as the block in which a German reader's request is answered."""
    return lambda accept: app.test_request_context(headers={"Accept-Language": accept})


def tender(at=None, *, zone="Europe/Berlin", is_date=False, **more):
    deadline = {"deadline_at": at, "deadline_zone": zone, "deadline_is_date": is_date}
    value = {"value_amount": None, "value_min_amount": None, "value_currency": "EUR", "value_is_gross": None}
    return SimpleNamespace(**(deadline | value | more))


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("de", "de"),
        ("de-CH, fr;q=0.8", "de"),
        ("fr, en;q=0.1", "en_GB"),
        ("fr", "en_GB"),
        ("", "en_GB"),
        ("*", "en_GB"),
    ],
)
def test_the_locale_is_english_or_german(reading, accept, chosen):
    with reading(accept):
        assert formatting.locale() == chosen


@pytest.mark.parametrize(
    ("deadline", "shown"),
    [
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC)), "Wed 15 Jul 2026, 12:00 CEST"),
        (tender(datetime(2026, 12, 15, 11, tzinfo=UTC)), "Tue 15 Dec 2026, 12:00 CET"),
        (tender(datetime(2026, 7, 15, 11, tzinfo=UTC), zone="Europe/London"), "Wed 15 Jul 2026, 12:00 BST"),
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC), zone="+02:00"), "Wed 15 Jul 2026, 12:00 UTC+02:00"),
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC), zone="-03:30"), "Wed 15 Jul 2026, 06:30 UTC-03:30"),
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC), zone="Nowhere/Land"), "Wed 15 Jul 2026, 10:00 UTC"),
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC), zone="../../etc/passwd"), "Wed 15 Jul 2026, 10:00 UTC"),
        (tender(datetime(2026, 7, 15, 10, tzinfo=UTC), zone=None), "Wed 15 Jul 2026, 10:00 UTC"),
        (tender(datetime(2026, 7, 15, 21, 59, 59, tzinfo=UTC), is_date=True), "Wed 15 Jul 2026"),
        (tender(datetime(2026, 7, 15, 22, tzinfo=UTC)), "Thu 16 Jul 2026, 00:00 CEST"),
        (tender(None), ""),
    ],
)
def test_a_deadline_is_shown_in_the_buyers_time(reading, deadline, shown):
    with reading("en"):
        assert formatting.deadline(deadline) == shown


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        (datetime(2026, 7, 12, 22, 30, tzinfo=UTC), "2 days left"),
        (datetime(2026, 7, 12, 21, 30, tzinfo=UTC), "3 days left"),
        (datetime(2026, 7, 14, 10, tzinfo=UTC), "tomorrow"),
        (datetime(2026, 7, 15, 9, tzinfo=UTC), "today"),
        (datetime(2026, 7, 15, 10, 0, 1, tzinfo=UTC), "closed"),
        (datetime(2023, 7, 15, 10, tzinfo=UTC), "1,096 days left"),
    ],
)
def test_days_are_counted_by_the_buyers_midnights(reading, monkeypatch, now, shown):
    deadline = tender(datetime(2026, 7, 15, 10, tzinfo=UTC))
    monkeypatch.setattr(formatting, "now", lambda: now)
    with reading("en"):
        assert formatting.days_left(deadline) == shown


def test_a_day_is_open_until_its_end(reading):
    day = tender(datetime(2026, 7, 15, 21, 59, 59, tzinfo=UTC), is_date=True)

    assert formatting.remaining_days(day, datetime(2026, 7, 15, 21, 59, 58, tzinfo=UTC)) == 0
    assert formatting.remaining_days(day, datetime(2026, 7, 15, 22, 0, 0, tzinfo=UTC)) is None
    assert formatting.local_deadline(day) == "2026-07-15"
    assert formatting.local_deadline(tender(datetime(2026, 7, 15, 10, tzinfo=UTC))) == "2026-07-15T12:00:00+02:00"


@pytest.mark.parametrize(
    ("value", "english", "german"),
    [
        (
            {"value_amount": Decimal(2_160_000), "value_is_gross": False},
            "€2,160,000 excl. VAT",
            "2.160.000\xa0€ excl. VAT",
        ),
        ({"value_amount": Decimal("99.5"), "value_is_gross": True}, "€99.50 incl. VAT", "99,50\xa0€ incl. VAT"),
        ({"value_amount": Decimal(7), "value_min_amount": Decimal(5)}, "€5–€7", "5\xa0€–7\xa0€"),
        ({"value_amount": Decimal(7), "value_min_amount": Decimal(7)}, "€7", "7\xa0€"),
        ({"value_min_amount": Decimal(5), "value_currency": "GBP"}, "from £5", "from 5\xa0£"),
        ({"value_amount": Decimal(5), "value_currency": "XQQ"}, "XQQ\xa05", "5\xa0XQQ"),
        ({"value_amount": Decimal(1000), "value_currency": None}, "1,000", "1.000"),
        ({"value_amount": Decimal(0)}, "€0", "0\xa0€"),
        ({}, "", ""),
    ],
)
def test_a_value_is_shown_with_its_currency(reading, value, english, german):
    for accept, shown in (("en", english), ("de", german)):
        with reading(accept):
            assert formatting.value(tender(**value)) == shown


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://example.org/a", "https://example.org/a"),
        ("http://example.org", "http://example.org"),
        ("javascript:alert(1)", None),
        ("JavaScript:alert(1)", None),
        ("data:text/html,x", None),
        ("//example.org", None),
        ("https://", None),
        ("https://[bad", None),
        ("", None),
        (None, None),
    ],
)
def test_only_web_addresses_become_links(url, link):
    assert formatting.web_link(url) == link


def test_all_divisions_have_both_names():
    assert len(DIVISIONS) == 45
    assert (division_name("45233120", "en_GB"), division_name("45233120", "de")) == ("Construction work", "Bauarbeiten")
    assert division_name("99", "en") is None


def test_a_files_size_is_short(reading):
    with reading("de"):
        assert [formatting.size(n) for n in (None, 0, 37_400, 2_140_000)] == ["", "1 KB", "37 KB", "2,1 MB"]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ({"filename": "Plan.pdf", "description": "x", "source_url": "https://e.org/a"}, "Plan.pdf"),
        ({"filename": None, "description": "The plan", "source_url": "https://e.org/a"}, "The plan"),
        ({"filename": None, "description": None, "source_url": "https://e.org/d/%C3%9Cber.pdf?x=1"}, "Über.pdf"),
        ({"filename": None, "description": None, "source_url": "https://e.org/"}, "https://e.org/"),
    ],
)
def test_a_file_always_has_a_name(file, name):
    assert presentation.file_name(file) == name


def test_a_contradicting_deadline_at_the_end_of_a_day_is_shown_as_a_day(reading):
    with reading("en"):
        shown = [
            presentation.said(at, "deadline_at", tender()) for at in ("2026-07-15T21:59:59Z", "2026-07-15T10:00:00Z")
        ]

    assert shown == ["Wed 15 Jul 2026", "Wed 15 Jul 2026, 12:00 CEST"]
