"""What a typed query means, and which numbers it may be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.search.query import MAX_LENGTH, MAX_WORDS, Query, clean
from webapp.search.identifiers import cpv_branch, key_forms


def test_words_phrases_and_exclusions_are_told_apart():
    query = Query.parse('cleaning "primary schools" -windows -"night shift" daily')

    assert query.text == "cleaning primary schools daily"
    assert query.words == ("cleaning", "primary", "schools", "daily")
    assert query.phrases == ("primary schools",)
    assert query.excluded == ("windows", "night shift")
    assert query.typed == 'cleaning "primary schools" -windows -"night shift" daily'


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("Bau- und Planungsleistungen", "Bau- und Planungsleistungen"),
        ("TSF-W - Feuerwehr", "TSF-W Feuerwehr"),
        ("-windows", "-windows"),
        ('an "open quote', "an open quote"),
        ("  ", ""),
        ("?!", ""),
        ('""', ""),
        ("", ""),
    ],
)
def test_what_is_looked_for(raw, text):
    assert Query.parse(raw).text == text


def test_an_empty_query_is_false():
    assert not Query.parse(" \x00 ")
    assert Query.parse("x")


def test_characters_that_postgresql_refuses_become_spaces():
    assert clean("road\x00works\ud800 now\u202e\n") == "road works now"


def test_a_long_query_is_cut():
    query = Query.parse(" ".join(f"word{n}" for n in range(1000)))

    assert len(query.typed) <= MAX_LENGTH
    assert len(query.words) == MAX_WORDS


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_any_text_can_be_parsed(raw):
    query = Query.parse(raw)

    assert "\x00" not in query.typed
    query.typed.encode()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("00123456-2026", "123456-2026"),
        ("123456-2026", "123456-2026"),
        ("2026/S 012-345678", "345678-2026"),
        ("OJ 2026/S 012-0345", "345-2026"),
        ("2026 / s 12 - 345678", "345678-2026"),
        ("OCDS-B5FD17-AbC", "ocds-b5fd17-abc"),
        ('"VG 24/077"', "VG 24/077"),
        ("24742824", "24742824"),
    ],
)
def test_a_number_is_looked_up_in_the_form_that_is_stored(text, form):
    assert form in key_forms(text)


@pytest.mark.parametrize("text", ["road works", "", "x1", "a1", "a sentence of many words about 7 schools", "x" * 500])
def test_words_are_no_number(text):
    assert key_forms(text) == []


@pytest.mark.parametrize(
    ("text", "branch"),
    [
        ("45233120", "4523312"),
        ("45233120-6", "4523312"),
        ("45000000", "45"),
        ("CPV 45", "45"),
        ("cpv:4521", "4521"),
        ("30000000", "30"),
        ("45", None),
        ("452331", None),
        ("CPV", None),
        ("phone 45233120", None),
    ],
)
def test_a_cpv_code_names_its_branch(text, branch):
    assert cpv_branch(text) == branch
