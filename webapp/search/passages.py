"""The passage that shows why a tender was found: plain text, and the same with the query's words marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from tenderscrapy.database.queries import queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Private-use characters: the text loses its own before PostgreSQL puts these in.
START, STOP = "\ue000", "\ue001"
LENGTH = 320
_OPTIONS = f"StartSel={START}, StopSel={STOP}, MaxFragments=2, MaxWords=32, MinWords=12, FragmentDelimiter=' … '"


@dataclass(frozen=True, slots=True)
class Passage:
    """``html`` is ``text`` escaped, with ``<mark>`` around the query's words; it is the only markup in it."""

    chunk_id: int
    tender_id: str
    text: str
    html: Markup
    attachment_id: int | None
    filename: str | None
    page: int | None
    section: str | None


def passages(connection: Connection, chunks: Sequence[int], words: str) -> dict[int, Passage]:
    """The passage of each chunk by its id; ``words`` is a tsquery whose words are marked, empty for none."""
    if not chunks:
        return {}
    search: Any = queries("search")
    found = search.passages(connection, chunks=list(chunks), marked=words, options=_OPTIONS)
    return {row[0]: _passage(*row) for row in found}


def _passage(
    chunk_id: int,
    tender_id: object,
    attachment_id: int | None,
    filename: str | None,
    page: int | None,
    section: str | None,
    headline: str | None,
    text: str,
) -> Passage:
    marked = headline if headline and START in headline else _beginning(text)
    marked = " ".join(marked.split())
    return Passage(
        chunk_id,
        str(tender_id),
        marked.replace(START, "").replace(STOP, ""),
        highlighted(marked),
        attachment_id,
        filename,
        page,
        section,
    )


def highlighted(marked: str) -> Markup:
    """``marked`` escaped, START and STOP turned into ``<mark>`` elements that are always closed."""
    parts = marked.split(START)
    html = escape(parts[0].replace(STOP, ""))
    for part in parts[1:]:
        word, stop, rest = part.partition(STOP)
        html += Markup("<mark>{}</mark>{}").format(word, rest.replace(STOP, "")) if stop else escape(word)
    return html


def _beginning(text: str) -> str:
    text = " ".join(text.replace(START, "").replace(STOP, "").split())
    if len(text) <= LENGTH:
        return text
    cut = text.rfind(" ", LENGTH // 2, LENGTH)
    return text[: cut if cut > 0 else LENGTH] + " …"
