"""What readers are shown of a text that changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from webapp.wording import CUT, wording

BEFORE = "Cleaning of six schools every day. " + "Floors, windows and stairs are part of it. " * 4 + "Start in May."


def kinds(parts):
    return [(kind, text) for kind, text in parts if kind != "kept"]


def test_of_a_long_text_only_the_changed_words_are_told():
    parts = wording(BEFORE, BEFORE.replace("six", "eight").replace("May.", "June."))

    assert kinds(parts) == [("gone", "six"), ("come", "eight"), ("gone", "May."), ("come", "June.")]
    assert parts[0] == ("kept", "Cleaning of")
    assert parts[3] == ("kept", "schools every day. Floors, windows and … are part of it. Start in")


def test_added_words_are_told_with_those_before_them():
    parts = wording(BEFORE, BEFORE + " Two more schools were added.")

    assert parts == [("kept", "… part of it. Start in May."), ("come", "Two more schools were added.")]


def test_short_texts_are_told_as_a_whole():
    assert wording("Fri 18 Dec", "Fri 25 Dec") == [("gone", "Fri 18 Dec"), ("come", "Fri 25 Dec")]
    assert wording("", "Fri 25 Dec") == [("come", "Fri 25 Dec")]
    assert wording("Fri 18 Dec", "") == [("gone", "Fri 18 Dec")]


def test_texts_without_much_in_common_are_told_as_a_whole():
    other = "Supply of rock salt for winter roads in three deliveries to the depots of the county. " * 2

    assert wording(BEFORE, other) == [("gone", BEFORE), ("come", other)]


def test_a_very_long_text_is_cut_and_not_compared():
    parts = wording("word " * 3000, "other " * 3000)

    assert [len(text) for _, text in parts] == [CUT + 2, CUT + 2]


WORDS = st.lists(st.sampled_from("abcdefgh"), min_size=45, max_size=120).map(" ".join)


@given(WORDS, WORDS)
def test_nothing_that_changed_is_left_out(old, new):
    parts = wording(old, new)
    gone = " ".join(text for kind, text in parts if kind == "gone").replace(" …", "").split()
    come = " ".join(text for kind, text in parts if kind == "come").replace(" …", "").split()

    assert len(old.split()) - len(gone) == len(new.split()) - len(come)
