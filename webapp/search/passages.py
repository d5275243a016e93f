"""The passage that shows why a tender was found: plain text, and the same with the query's words marked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from tenderscrapy.search.statements import rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Private-use characters: the text loses its own before PostgreSQL puts these in.
START, STOP = "\ue000", "\ue001"
LENGTH = 320
#: The section in which the index keeps a tender's structured facts.
CARD = "card"
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

    @property
    def is_card(self) -> bool:
        """Whether it only repeats the facts of the tender."""
        return self.section == CARD


def passages(connection: Connection, chunks: Sequence[int], words: str) -> dict[int, Passage]:
    """The passage of each chunk by its id; ``words`` is a tsquery whose words are marked, empty for none."""
    if not chunks:
        return {}
    parameters = {"chunks": list(chunks), "marked": words, "options": _OPTIONS, "card": CARD}
    return {row["chunk_id"]: _passage(row) for row in rows(connection, "passages", parameters)}


def _passage(row: Mapping[str, Any]) -> Passage:
    headline = row["headline"]
    marked = " ".join(headline.split()) if headline and START in headline else _beginning(row["beginning"])
    return Passage(
        chunk_id=row["chunk_id"],
        tender_id=str(row["tender_id"]),
        text=marked.replace(START, "").replace(STOP, ""),
        html=highlighted(marked),
        attachment_id=row["attachment_id"],
        filename=row["filename"],
        page=row["page"],
        section=row["section"],
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
