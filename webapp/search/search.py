"""A search: official numbers by key, else meaning and words together."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from tenderscrapy.ai.provider import provider
from tenderscrapy.ai.vectors import as_halfvec
from tenderscrapy.config import config
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import EmbeddingError, EmbeddingUnavailableError
from tenderscrapy.search import ranking, words
from tenderscrapy.search.answers import CANDIDATES, answers
from tenderscrapy.search.statements import rows
from tenderscrapy.search.vectors import Model, Scan, active_model, collection_size
from tenderscrapy.search.within import Within
from webapp.search.identifiers import cpv_branch, key_forms, tenders_with
from webapp.search.passages import Passage, passages

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.search.query import Query
    from webapp.search.filters import Filters

logger = logging.getLogger(__name__)

Mode = Literal["identifier", "hybrid", "text"]

#: For a model that nobody has calibrated. Chosen so that a question in one language finds notices in another; with 0.32
#: half of those were hidden.
DEFAULT_MIN_SCORE = 0.27


@dataclass(frozen=True, slots=True)
class Found:
    """``hits`` best first. ``mode`` says by what they were found: ``text`` means that no vector could be compared."""

    hits: list[ranking.Hit]
    mode: Mode
    scan: Scan | None = None
    marked: str = ""

    @property
    def total(self) -> int:
        """How many tenders were found, at most CANDIDATES."""
        return len(self.hits)

    def passages(self, connection: Connection, hits: list[ranking.Hit]) -> dict[int, Passage]:
        """The passages of ``hits`` by chunk."""
        return passages(connection, [hit.chunk_id for hit in hits if hit.chunk_id is not None], self.marked)


def search(connection: Connection, query: Query, filters: Filters, now: datetime) -> Found:
    """The tenders that answer ``query``, of those that pass ``filters``; at most one call of the embedding model."""
    if found := _by_number(connection, query.text, filters, now):
        return found
    within = Within.of(filters, now, words.required_and_excluded(connection, query))
    model = active_model(connection)
    ranked = answers(connection, query, _vector(query.text, model), model, within)
    hits = ranking.relevant(ranked.hits, _min_score(model))
    return Found(hits[:CANDIDATES], "hybrid" if ranked.scan else "text", ranked.scan, ranked.terms.any)


def passages_of(connection: Connection, tender_id: str, query: Query, count: int = 3) -> list[Passage]:
    """Where one tender answers ``query``: its ``count`` best passages that come near the threshold, best first."""
    size, model = collection_size(connection), active_model(connection)
    vector = _vector(query.text, model)
    terms = words.terms(connection, query, size.chunks)
    chunks = [row[0] for row in queries("tenders").chunks_of(connection, id=tender_id)]
    best = ranking.chunk_hits(connection, chunks, vector, model, terms)
    found = [hit for hit in best if hit.score >= ranking.TAIL * _min_score(model)][: 2 * count]
    shown = passages(connection, [hit.chunk_id for hit in found if hit.chunk_id], terms.any)
    # a card is shown as the description, which has chunks of its own
    said = {shown[hit.chunk_id].text: shown[hit.chunk_id] for hit in reversed(found) if hit.chunk_id in shown}
    return list(reversed(said.values()))[:count]


def _by_number(connection: Connection, text: str, filters: Filters, now: datetime) -> Found | None:
    where, parameters = filters.condition(now)
    ids = tenders_with(connection, key_forms(text))
    found = rows(connection, "tenders_in_order", {"ids": ids} | parameters, where=where) if ids else []
    if not found and (branch := cpv_branch(text)):
        cpv = tuple(code for code in filters.cpv if code.startswith(branch)) or (branch,)
        where, parameters = replace(filters, cpv=cpv).condition(now)
        found = rows(connection, "tenders_of_cpv_branch", {"now": now, "count": CANDIDATES} | parameters, where=where)
    if not found:
        return None
    return Found([ranking.Hit(str(row["id"]), 1.0, None) for row in found], "identifier")


def _vector(text: str, model: Model | None) -> str | None:
    """The query's vector; None when there is nothing to compare it with, or the model cannot be asked now."""
    if model is None:
        return None
    try:
        embedder = provider()
        if embedder.model != model.name:
            logger.error(
                "The index was made with %s, but the configuration names %s: reindex", model.name, embedder.model
            )
            return None
        return as_halfvec(embedder.embed_query(text))
    except (EmbeddingError, EmbeddingUnavailableError) as error:
        logger.warning("Searching by words alone: %s", error)
        return None


def _min_score(model: Model | None) -> float:
    configured: Any = config().min_relevance_score
    if configured is not None:
        return float(configured)
    return DEFAULT_MIN_SCORE if model is None or model.min_score is None else model.min_score
