"""One order out of two kinds of evidence: nearness in meaning, and the query's words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tenderscrapy.database.queries import queries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.search.vectors import Model
    from tenderscrapy.search.words import Terms

#: What the words alone may reach, a word outside the title, and a longer word that begins with a query's word.
#: Chosen on judged queries in seven languages over real notices; docs/api.md has the figures.
WORDS = 0.6
BODY = 0.6
BEGINNING = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """A found tender: ``score`` is between 0 and 1, ``chunk_id`` the chunk that earned it most of that."""

    tender_id: str
    score: float
    chunk_id: int | None


def fused(cosine: float | None, coverage: float) -> float:
    """Both kinds of evidence as one score: without words it is the cosine, without a vector the words' share.

    They are joined as independent reasons to believe, so a missing one never lowers the other: a notice in another
    language has no word in common with the query.
    """
    meaning = min(1.0, max(0.0, cosine or 0.0))
    return 1 - (1 - meaning) * (1 - WORDS * coverage)


def hits(
    connection: Connection, chunks: Iterable[int], vector: str | None, model: Model | None, terms: Terms
) -> list[Hit]:
    """The tenders of the candidate ``chunks``, best first; equal scores in the order of their ids.

    A tender's nearness and its words may come from different chunks.
    """
    tenders: dict[str, list[_Scored]] = {}
    for chunk in _scored(connection, chunks, vector, model, terms):
        tenders.setdefault(chunk.tender_id, []).append(chunk)
    return sorted((_hit(tender, found) for tender, found in tenders.items()), key=lambda h: (-h.score, h.tender_id))


def chunk_hits(
    connection: Connection, chunks: Iterable[int], vector: str | None, model: Model | None, terms: Terms
) -> list[Hit]:
    """One hit a chunk, best first."""
    found = [Hit(c.tender_id, c.score, c.chunk_id) for c in _scored(connection, chunks, vector, model, terms)]
    return sorted(found, key=lambda hit: (-hit.score, hit.chunk_id))


class _Scored(NamedTuple):
    chunk_id: int
    tender_id: str
    cosine: float | None
    coverage: float

    @property
    def score(self) -> float:
        return fused(self.cosine, self.coverage)


def _scored(
    connection: Connection, chunks: Iterable[int], vector: str | None, model: Model | None, terms: Terms
) -> list[_Scored]:
    search: Any = queries("search")
    found = search.chunk_scores(
        connection,
        chunks=list(set(chunks)),
        vector=vector,
        model=model.name if vector and model else None,
        exact=terms.exact,
        begins=terms.begins,
        weights=terms.weights,
        body=BODY,
        beginning=BEGINNING,
    )
    return [_Scored(chunk_id, str(tender_id), cosine, float(share)) for chunk_id, tender_id, cosine, share in found]


def _hit(tender_id: str, found: Sequence[_Scored]) -> Hit:
    best = max(found, key=lambda chunk: (chunk.score, -chunk.chunk_id))
    cosine = max((chunk.cosine for chunk in found if chunk.cosine is not None), default=None)
    return Hit(tender_id, fused(cosine, max(chunk.coverage for chunk in found)), best.chunk_id)


def relevant(hits: Sequence[Hit], min_score: float) -> list[Hit]:
    """Nothing when not even the best hit reaches ``min_score``; else all that come near it."""
    if not hits or hits[0].score < min_score:
        return []
    return [hit for hit in hits if hit.score >= TAIL * min_score]


#: A collection that answers the query may also show what answers it a little less.
TAIL = 0.75
