"""Text into chunks that a model can take whole: no chunk crosses a section, neighbours overlap a little."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Estimated tokens of a chunk and of its heading: together below the 512 of the smallest models in use, so that a
#: server that cuts long texts silently has nothing to cut.
TOKENS = 350
HEADING_TOKENS = 100
OVERLAP = 42
#: A chunk ends at a paragraph, line or sentence when one lies in its last part.
_LATEST_PART = 0.35

_WORD = re.compile(r"\S+")
_WIDE = re.compile("[\u0250-\U0010ffff]")
_LETTERS = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r"[.!?;:][\"'»“)\]]*$")


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text that belongs together. ``page`` counts from 1; ``attachment_id`` is None for the notice."""

    name: str
    text: str
    page: int | None = None
    attachment_id: int | None = None
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """Part of a section: ``text`` is ``section.text[start:end]``."""

    section: Section
    text: str
    start: int
    end: int


class _Word(NamedTuple):
    start: int
    end: int
    cost: int


def estimated_tokens(word: str) -> int:
    """Tokens of one word, estimated high: digits and punctuation count one each, as numbers and dot leaders do."""
    if word.isascii() and word.isalpha():
        return -(-len(word) // 4)
    wide = len(_WIDE.findall(word))
    letters = len(_LETTERS.findall(word))
    latin = max(0, letters - wide)
    return -(-latin // 4) + wide + (len(word) - letters)


def shortened(text: str, tokens: int) -> str:
    """The beginning of ``text``, on a word's border, that has at most so many estimated tokens."""
    total = 0
    for word in _words(text):
        total += word.cost
        if total > tokens:
            return text[: word.start].rstrip()
    return text


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        start, end = match.span()
        cost = estimated_tokens(match[0])
        if cost <= TOKENS // 2:
            yield _Word(start, end, cost)
            continue
        # A "word" longer than half a chunk (base64, a table without blanks) is cut; a character costs at most one.
        for at in range(start, end, TOKENS // 2):
            upto = min(at + TOKENS // 2, end)
            yield _Word(at, upto, estimated_tokens(text[at:upto]))


def _strength(text: str, words: list[_Word], index: int) -> int:
    """How well a chunk may end before ``words[index]``: 3 paragraph, 2 line, 1 sentence, 0 between words."""
    gap = text[words[index - 1].end : words[index].start]
    if "\n\n" in gap:
        return 3
    if "\n" in gap:
        return 2
    return 1 if gap and _SENTENCE_END.search(text[max(0, words[index - 1].end - 4) : words[index - 1].end]) else 0


def chunks(section: Section) -> Iterator[Chunk]:
    """The section in order: every word is in at least one chunk, some are in two. A section of blanks has none."""
    text = section.text
    words = list(_words(text))
    total = [0, *accumulate(word.cost for word in words)]
    first = 0
    while first < len(words):
        last = bisect_right(total, total[first] + TOKENS) - 1
        if last < len(words):
            earliest = min(last, max(first + 1, bisect_left(total, total[first] + int(TOKENS * (1 - _LATEST_PART)))))
            last = max(range(earliest, last + 1), key=lambda i: (_strength(text, words, i), i))
        start, end = words[first].start, words[last - 1].end
        yield Chunk(section, text[start:end], start, end)
        if last == len(words):
            return
        first = max(first + 1, bisect_left(total, total[last] - OVERLAP))


def halves(chunk: Chunk) -> tuple[Chunk, Chunk] | None:
    """The chunk in two parts without overlap, at the blank nearest to its middle; None when it is one character."""
    text = chunk.text
    if len(text) < 2:
        return None
    middle = len(text) // 2
    blanks = [match.start() for match in re.finditer(r"\s", text) if 0 < match.start() < len(text) - 1]
    cut = min(blanks, key=lambda at: abs(at - middle)) if blanks else middle
    return _part(chunk, 0, cut), _part(chunk, cut, len(text))


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    text = chunk.text[start:end]
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    at = chunk.start + start + lead
    return replace(chunk, text=text, start=at, end=at + len(text))
