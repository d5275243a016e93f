"""How a long text changed, word by word."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

#: Shorter texts are easier to read as a whole, old and new.
LONG = 80
#: Words that stay around a change; what is further away is left out.
CONTEXT = 6
#: Comparing takes time that grows with the square of the length: longer texts are shown as a whole, cut.
MOST_WORDS = 600
CUT = 600


class Part(NamedTuple):
    """Words that were ``kept``, ``gone`` or ``come``."""

    kind: Literal["kept", "gone", "come"]
    text: str


def wording(old: str, new: str) -> list[Part]:
    """The changes with the words around them; both texts as they are when they are short, very long or unlike."""
    before, after = old.split(), new.split()
    if max(len(old), len(new)) < LONG or max(len(before), len(after)) > MOST_WORDS:
        return _whole(old, new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < 0.4:
        return _whole(old, new)
    parts: list[Part] = []
    operations = matcher.get_opcodes()
    for place, (kind, i, j, k, m) in enumerate(operations):
        if kind == "equal":
            parts.append(Part("kept", _near(before[i:j], first=place == 0, last=place == len(operations) - 1)))
            continue
        parts += [Part("gone", " ".join(before[i:j]))] if j > i else []
        parts += [Part("come", " ".join(after[k:m]))] if m > k else []
    return parts


def _whole(old: str, new: str) -> list[Part]:
    said: tuple[tuple[Literal["gone", "come"], str], ...] = (("gone", old), ("come", new))
    return [Part(kind, text if len(text) <= CUT else text[:CUT] + " …") for kind, text in said if text]


def _near(words: list[str], *, first: bool, last: bool) -> str:
    head = [] if first else words[:CONTEXT]
    tail = [] if last else words[len(words) - CONTEXT :] if len(words) > CONTEXT else words
    if len(head) + len(tail) >= len(words):
        return " ".join(words)
    return re.sub(r"^ | $", "", " … ".join((" ".join(head), " ".join(tail))))
