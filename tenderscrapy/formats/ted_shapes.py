"""Reading a record of the TED search API, whose fields come as scalar, list, language map, or map of lists.

Which shape a field has is not fixed: the same field is a string in one record and a list in the next, a field without
value is left out, and an empty object may stand for one. Nothing here raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenderscrapy.formats.ted_codes import preferred_language
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_DEEPEST = 4


def scalars(record: Mapping[str, Any], name: str) -> list[str]:
    """All values of a field as texts, repeats kept, in order; of a language map those of all languages."""
    return list(_walk(record.get(name), _DEEPEST))


def distinct(record: Mapping[str, Any], name: str) -> list[str]:
    """As ``scalars``, each once."""
    return list(dict.fromkeys(scalars(record, name)))


def scalar(record: Mapping[str, Any], name: str) -> str | None:
    """The first value of a field."""
    return next(iter(scalars(record, name)), None)


def texts(record: Mapping[str, Any], name: str) -> dict[str, list[str]]:
    """The texts of a field by language code, lower case, empty ones left out; without languages under ``""``."""
    value = record.get(name)
    by_language = value if isinstance(value, dict) else {"": value}
    found = {str(language).strip().lower(): list(_walk(text, _DEEPEST)) for language, text in by_language.items()}
    return {language: values for language, values in found.items() if values}


def in_one_language(by_language: Mapping[str, list[str]], languages: Sequence[str]) -> tuple[str, list[str]]:
    """The language code and the texts to read of ``texts``; ``languages`` are the notice's own, in order.

    Texts without a language key, or under ``mul``, are taken to be in the notice's first language.
    """
    code = preferred_language(by_language, languages)
    if code is None:
        return "", []
    return code if code not in {"", "mul"} else next(iter(languages), ""), by_language[code]


def _walk(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, dict | list) and depth:
        for part in value.values() if isinstance(value, dict) else value:
            yield from _walk(part, depth - 1)
    elif isinstance(value, str):
        text = printable(value).strip()
        if text:
            yield text
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield repr(value)
