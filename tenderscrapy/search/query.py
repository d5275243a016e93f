"""What a reader typed: free words, phrases that must occur, words that must not."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Longer queries are cut on the page and refused by the API.
MAX_LENGTH = 500
MAX_WORDS = 24

_OPERATORS = re.compile(r'(?<!\S)(?P<minus>-)?(?:"(?P<phrase>[^"]+)"|(?P<word>[^\s"]+))')


@dataclass(frozen=True, slots=True)
class Query:
    """``text`` is the meaning looked for: everything but what must not occur.

    ``words`` are looked up one by one; a tender must have each of ``phrases`` and none of ``excluded``. ``typed`` is
    the whole of it, cleaned.
    """

    text: str
    typed: str = ""
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    @classmethod
    def parse(cls, raw: str) -> Query:
        """Read ``words "a phrase" -without -"this phrase"``; never fails, an empty query has no text.

        Control characters and lone surrogates, which PostgreSQL refuses, become spaces. A hyphen inside or between
        words excludes nothing, a quote
        that is not closed opens nothing, and a query of nothing but exclusions is taken word for word.
        """
        cleaned = clean(raw)
        closed = cleaned if cleaned.count('"') % 2 == 0 else " ".join(cleaned.replace('"', " ").split())
        wanted, phrases, excluded = [], [], []
        for part in _OPERATORS.finditer(closed):
            text = (part["phrase"] or part["word"]).strip()
            if not re.search(r"\w", text):
                continue
            if part["minus"]:
                excluded.append(text)
                continue
            wanted.append(text)
            if part["phrase"]:
                phrases.append(text)
        if not wanted:
            wanted, excluded = [cleaned] if re.search(r"\w", cleaned) else [], []
        words = dict.fromkeys(word.casefold() for text in wanted for word in text.split() if re.search(r"\w", word))
        return cls(" ".join(wanted), cleaned, tuple(words)[:MAX_WORDS], tuple(phrases), tuple(excluded))

    def __bool__(self) -> bool:
        return bool(self.text)


def clean(raw: str) -> str:
    """``raw`` on one line without characters that PostgreSQL refuses, cut to MAX_LENGTH."""
    return " ".join("".join(c if c.isprintable() else " " for c in raw).split())[:MAX_LENGTH]
