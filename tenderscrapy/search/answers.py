"""The tenders that answer a query, with the score that the threshold is compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenderscrapy.search import ranking, words
from tenderscrapy.search.vectors import Model, Scan, collection_size, nearest

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.search.query import Query
    from tenderscrapy.search.within import Within

#: Tenders that are ranked for one query.
CANDIDATES = 200


@dataclass(frozen=True, slots=True)
class Answers:
    """``hits`` best first, below no threshold yet; ``scan`` is None where no vector was compared."""

    hits: list[ranking.Hit]
    scan: Scan | None
    terms: words.Terms


def answers(connection: Connection, query: Query, vector: str | None, model: Model | None, within: Within) -> Answers:
    """Rank what is near ``vector``, the query in the space of ``model``, and what says the query's words."""
    size = collection_size(connection)
    terms = words.terms(connection, query, size.chunks)
    chunks = words.matching(connection, terms, within, CANDIDATES)
    scan: Scan | None = None
    if vector and model:
        near, scan = nearest(connection, vector, model, within, size, CANDIDATES)
        chunks += near
    return Answers(ranking.hits(connection, chunks, vector, model, terms), scan, terms)
