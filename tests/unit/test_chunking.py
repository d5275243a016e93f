"""Chunks: whole coverage, bounds, borders, overlap."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from indexer_worker.chunking import (
    OVERLAP,
    TOKENS,
    Section,
    chunks,
    estimated_tokens,
    halves,
    shortened,
)

SENTENCE = "The contractor cleans all windows of the school twice a year. "


def cost(text):
    return sum(map(estimated_tokens, text.split()))


def test_a_short_text_is_one_chunk():
    (chunk,) = chunks(Section("s", "  Windows and doors. "))
    assert (chunk.text, chunk.start, chunk.end) == ("Windows and doors.", 2, 20)


def test_blanks_are_no_chunk():
    assert list(chunks(Section("s", " \n\t "))) == []


def test_neighbours_overlap_a_little():
    first, second, *_ = chunks(Section("s", SENTENCE * 60))
    shared = first.end - second.start
    assert shared > 0
    assert OVERLAP - 10 <= cost(first.text[-shared:]) <= OVERLAP + 10


def test_a_chunk_ends_at_a_sentence_where_it_can():
    made = list(chunks(Section("s", SENTENCE * 60)))
    assert all(chunk.text.endswith(".") for chunk in made)


def test_a_paragraph_is_a_better_end_than_a_sentence():
    text = SENTENCE * 18 + "\n\n" + SENTENCE * 40
    first = next(chunks(Section("s", text)))
    assert first.text == (SENTENCE * 18).strip()


def test_numbers_and_dot_leaders_cost_what_they_cost_a_model():
    assert estimated_tokens("45261210-9") == 10
    assert estimated_tokens("." * 50) == 50
    assert estimated_tokens("Dachdeckerarbeiten") == 5
    assert estimated_tokens("道路工事") == 4


@settings(deadline=None)
@given(st.text(st.sampled_from("ab1.\n ä道-"), max_size=6000))
def test_every_character_but_blanks_is_in_a_chunk(text):
    covered = [False] * len(text)
    made = list(chunks(Section("s", text)))
    for chunk in made:
        assert chunk.text == text[chunk.start : chunk.end]
        assert cost(chunk.text) <= TOKENS
        covered[chunk.start : chunk.end] = [True] * (chunk.end - chunk.start)
    assert all(seen or character.isspace() for seen, character in zip(covered, text, strict=True))
    assert [chunk.start for chunk in made] == sorted({chunk.start for chunk in made})


@given(st.text(min_size=2, max_size=300))
def test_halves_cover_a_chunk(text):
    for chunk in chunks(Section("s", text)):
        parts = halves(chunk)
        if parts is None:
            assert len(chunk.text) == 1
        else:
            assert "".join("".join(part.text for part in parts).split()) == "".join(chunk.text.split())
            assert all(len(part.text) < len(chunk.text) for part in parts)
            assert all(part.text == text[part.start : part.end] for part in parts)


def test_a_heading_is_shortened_at_a_word():
    assert shortened("one two three", 2) == "one two"
    assert shortened("one two", 10) == "one two"
