"""The chunks nearest to a query in meaning: exactly while that is fast, else by the model's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from psycopg2 import sql

from tenderscrapy.database.queries import queries
from tenderscrapy.search.statements import rows

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.search.within import Within

Scan = Literal["exact", "approximate"]

#: So many vectors are compared one by one: faster than the index is exact enough, and exact.
EXACT_CHUNKS = 50_000
EXACT_WITHIN = 20_000
#: Candidates that the index looks at a time, and altogether before it gives up.
EF_SEARCH = 200
MAX_SCAN_TUPLES = 60_000
#: Chunks compared for each wanted tender before a tender with very many is suspected of crowding out the others.
CHUNKS_PER_TENDER = 5


@dataclass(frozen=True, slots=True)
class Model:
    """The model whose vectors are searched; ``min_score`` is its calibrated threshold, where there is one."""

    name: str
    dim: int
    min_score: float | None


@dataclass(frozen=True, slots=True)
class Size:
    """``chunks`` are counted up to one more than EXACT_CHUNKS: an order must not change when the planner looks anew.

    ``embeddings`` (vectors of all models) and ``tenders`` are its estimates, 0 where it has not looked yet: they only
    decide whether a large collection is compared exactly.
    """

    embeddings: int
    chunks: int
    tenders: int


def active_model(connection: Connection) -> Model | None:
    """The model that the index is switched to; None before the first tender is indexed."""
    row = queries("search").active_model(connection)
    return Model(*row) if row else None


def collection_size(connection: Connection) -> Size:
    """How large the collection is, see Size."""
    found = queries("search").collection_size(connection, enough=EXACT_CHUNKS + 1)
    return Size(*(max(0, count) for count in found))


def nearest(
    connection: Connection, vector: str, model: Model, within: Within, size: Size, count: int
) -> tuple[list[int], Scan]:
    """The nearest chunk of each of the ``count`` nearest tenders, best first, and how they were found.

    There are never fewer than the filters leave: where the index comes back short, all vectors are compared.
    """
    near = _Near(connection, vector, model, within, count)
    if size.chunks > EXACT_CHUNKS and not _selective(connection, within, size):
        found, _ = near.approximate()
        if len(found) >= count:
            return found, "approximate"
    chunks = CHUNKS_PER_TENDER * count
    found, seen = near.exact(chunks)
    if len(found) < count and seen >= chunks:
        found, _ = near.exact(None)
    return found, "exact"


@dataclass(frozen=True, slots=True)
class _Near:
    connection: Connection
    vector: str
    model: Model
    within: Within
    count: int

    def exact(self, chunks: int | None) -> tuple[list[int], int]:
        among = _ALLOWED if self.within.narrowed else _EVERY
        return self._rows("nearest_exact", chunks, within=self.within.condition, among=among)

    def approximate(self) -> tuple[list[int], int]:
        settings = {
            "hnsw.ef_search": EF_SEARCH,
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.max_scan_tuples": MAX_SCAN_TUPLES,
        }
        with self.connection.cursor() as cursor:
            for name, value in settings.items():
                cursor.execute("SELECT set_config(%s, %s, true)", (name, str(value)))
        operand = sql.SQL("CAST(e.embedding AS halfvec({}))").format(sql.Literal(self.model.dim))
        among = _ONE_BY_ONE.format(self.within.condition) if self.within.narrowed else _EVERY
        return self._rows("nearest_approximate", 2 * self.count, operand=operand, among=among)

    def _rows(self, query: str, chunks: int | None, **parts: sql.Composable) -> tuple[list[int], int]:
        parameters = {"vector": self.vector, "model": self.model.name, "chunks": chunks, "count": self.count}
        found = rows(self.connection, query, parameters | self.within.parameters, file="search", **parts)
        return [row["chunk_id"] for row in found], int(found[0]["seen"]) if found else 0


_EVERY = sql.SQL("TRUE")
_ALLOWED = sql.SQL("e.chunk_id IN (SELECT allowed.id FROM allowed)")
_ONE_BY_ONE = sql.SQL("(SELECT TRUE FROM chunk c WHERE c.id = e.chunk_id AND {})")


def _selective(connection: Connection, within: Within, size: Size) -> bool:
    if not within.narrowed or not size.tenders or not size.embeddings:
        return False
    enough = max(1, EXACT_WITHIN * size.tenders // size.embeddings)
    [row] = rows(connection, "count_within", {"enough": enough} | within.parameters, where=within.tenders)
    return row[0] < enough
