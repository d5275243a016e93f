"""The language of a text, out of those that European notices are written in."""

from __future__ import annotations

from functools import cache

import py3langid

# fmt: off
_LANGUAGES = [
    "bg", "cs", "da", "de", "el", "en", "es", "et", "fi", "fr", "ga", "hr", "hu", "is", "it", "lt", "lv", "mk", "mt",
    "nl", "nn", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sr", "sv", "tr", "uk",
]
# fmt: on
_WRITTEN_AS = {"nn": "no"}

#: Below this many characters a guess is wrong too often; the language of the title is the better one.
MIN_CHARACTERS = 120


@cache
def _restricted() -> None:
    py3langid.set_languages(_LANGUAGES)


def language(text: str, otherwise: str | None) -> str | None:
    """ISO 639-1 of ``text``; ``otherwise`` when the text is too short to tell."""
    if len(text) < MIN_CHARACTERS:
        return otherwise
    _restricted()
    guess = py3langid.classify(text[:2000])[0]
    return _WRITTEN_AS.get(guess, guess)
