"""The parts of a search that need no database: filters, the fused score, the marked passage."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.search.ranking import TAIL, Hit, fused, relevant
from webapp.search.filters import FilterError, Filters, cpv_prefix, like_pattern
from webapp.search.passages import START, STOP, highlighted

SHARES = st.floats(0, 1)


def test_a_day_is_a_whole_day_in_utc():
    filters = Filters.parse({"deadline_from": "2026-07-15", "deadline_to": "2026-07-15"})

    assert filters.deadline_from == datetime(2026, 7, 15, tzinfo=UTC)
    assert filters.deadline_to == datetime(2026, 7, 16, tzinfo=UTC) - timedelta(microseconds=1)


def test_an_instant_keeps_its_meaning():
    filters = Filters.parse({"published_from": "2026-07-15T12:00:00+02:00"})

    assert filters.published_from == datetime(2026, 7, 15, 12, tzinfo=timezone(timedelta(hours=2)))


def test_values_are_normalised_once():
    filters = Filters.parse(
        {
            "country": ["de", "DE", "gb"],
            "cpv": ["45233120-6", "72000000", "09"],
            "nuts": "de4",
            "value_min": "1000.50",
            "value_currency": "eur",
            "has_documents": "false",
            "buyer": "  Stadt\x00 Beispiel ",
        }
    )

    assert filters.country == ("DE", "GB")
    assert filters.cpv == ("4523312", "72", "09")
    assert filters.nuts == ("DE4",)
    assert (filters.value_min, filters.value_currency) == (Decimal("1000.50"), "EUR")
    assert filters.has_documents is False
    assert filters.buyer == "Stadt Beispiel"


def test_empty_values_do_not_narrow():
    filters = Filters.parse({"country": [], "buyer": "", "deadline_to": None, "cpv": ""})

    assert not filters
    condition, parameters = filters.condition(datetime.now(UTC))
    assert (condition.as_string(None), parameters) == ("TRUE", {})


def test_false_is_a_filter_and_zero_is_one():
    assert Filters.parse({"has_documents": False})
    assert Filters.parse({"value_min": 0})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("colour", "red"),
        ("status", "done"),
        ("cpv", "4"),
        ("cpv", "４５"),
        ("deadline_to", "15.07.2026"),
        ("deadline_to", "2026-13-01"),
        ("deadline_to", 20260715),
        ("value_max", "NaN"),
        ("value_max", "Infinity"),
        ("value_max", True),
        ("has_documents", 1),
        ("has_documents", "yes"),
        ("country", [None]),
        ("country", 5),
        ("buyer", "\x00"),
        ("source", ["x"] * 101),
    ],
)
def test_what_cannot_be_read_is_named(name, value):
    with pytest.raises(FilterError) as refused:
        Filters.parse({name: value})

    assert refused.value.field == name


def test_a_like_pattern_means_itself():
    assert like_pattern("100%_a\\b") == "100\\%\\_a\\\\b"


def test_a_cpv_prefix_never_gets_shorter_than_its_division():
    assert [cpv_prefix(code) for code in ("30000000", "03000000", "45", "30")] == ["30", "03", "45", "30"]


@given(cosine=st.one_of(st.none(), st.floats(-1, 1)), more=SHARES, less=SHARES)
def test_more_evidence_never_lowers_a_score(cosine, more, less):
    less, more = sorted((less, more))

    assert 0 <= fused(cosine, less) <= fused(cosine, more) <= 1


@given(SHARES)
def test_without_words_the_score_is_the_cosine(cosine):
    assert fused(cosine, 0) == pytest.approx(cosine)


def test_a_collection_that_has_no_answer_shows_none_and_one_that_has_shows_its_neighbours():
    hits = [Hit("a", 0.5, 1), Hit("b", 0.4 * TAIL, 2), Hit("c", 0.1, 3)]

    assert relevant(hits, 0.4) == hits[:2]
    assert relevant(hits, 0.6) == []
    assert relevant(hits, 0) == hits
    assert relevant([], 0.4) == []


@pytest.mark.parametrize(
    ("marked", "html"),
    [
        (f"a {START}road{STOP} works", "a <mark>road</mark> works"),
        (f"<b>{START}<i>{STOP}&", "&lt;b&gt;<mark>&lt;i&gt;</mark>&amp;"),
        (f"{START}never closed", "never closed"),
        (f"{STOP}never opened", "never opened"),
        (f"{START}{START}twice{STOP}{STOP}", "<mark>twice</mark>"),
        ("<mark>", "&lt;mark&gt;"),
    ],
)
def test_only_our_own_marks_become_markup(marked, html):
    assert str(highlighted(marked)) == html


@given(st.lists(st.sampled_from([START, STOP, "<", "x"])))
def test_marks_are_always_closed(parts):
    html = str(highlighted("".join(parts)))

    assert html.count("<mark>") == html.count("</mark>")
    assert START not in html
    assert STOP not in html
