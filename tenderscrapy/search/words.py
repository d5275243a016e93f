"""The words of a query in the languages that notices are written in, and what each of them tells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from psycopg2 import sql

from tenderscrapy.database.queries import queries
from tenderscrapy.search.statements import rows

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.search.query import Query
    from tenderscrapy.search.within import Within

#: The configurations that chunks are stemmed with (text_config in the schema), and the two that keep words whole.
#: A short query's language cannot be told, so its words are looked up in all of them.
CONFIGS = [
    "plain",
    "simple",
    "danish",
    "dutch",
    "english",
    "finnish",
    "french",
    "german",
    "greek",
    "hungarian",
    "irish",
    "italian",
    "lithuanian",
    "norwegian",
    "portuguese",
    "romanian",
    "spanish",
    "swedish",
]
#: Of these, the languages that write compounds, and the words as they are.
COMPOUNDING = ["plain", "simple", "danish", "dutch", "finnish", "german", "hungarian", "norwegian", "swedish"]
#: Shorter stems begin too many words to be taken for the first part of a compound.
MIN_STEM = 5
#: Occurrences are counted so far: a word in more chunks than that tells next to nothing.
ENOUGH = 5_000
#: Chunks of one word that are ranked.
PER_TERM = 20_000


@dataclass(frozen=True, slots=True)
class Terms:
    """A query's words as text of tsqueries: ``exact`` stems, ``begins`` also longer words, ``weights`` their idf.

    ``frequencies`` are the chunks that have the word, counted up to ENOUGH.
    """

    exact: list[str]
    begins: list[str]
    weights: list[float]
    frequencies: list[int]

    def __bool__(self) -> bool:
        return bool(self.exact)

    @property
    def any(self) -> str:
        """One tsquery that any of the words satisfies; empty without words."""
        return " | ".join(self.begins)


def terms(connection: Connection, query: Query, chunks: int) -> Terms:
    """The words of ``query`` that some language keeps, weighed by how rare they are among ``chunks`` chunks."""
    search: Any = queries("search")
    found = list(
        search.query_terms(
            connection,
            words=list(query.words),
            configs=CONFIGS,
            compounding=COMPOUNDING,
            min_stem=str(MIN_STEM),
        )
    )
    if not found:
        return Terms([], [], [], [])
    exact, begins = [row[1] for row in found], [row[2] for row in found]
    frequencies = [row[0] for row in search.chunk_frequencies(connection, terms=exact, enough=ENOUGH)]
    total = max(chunks, *frequencies)
    return Terms(exact, begins, [_idf(frequency, total) for frequency in frequencies], frequencies)


def _idf(frequency: int, total: int) -> float:
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5))


def required_and_excluded(connection: Connection, query: Query) -> list[sql.Composable]:
    """Conditions on ``c.tender_id`` for the quoted phrases and the words after a minus, values bound in."""
    conditions: list[sql.Composable] = []
    for phrase, form in [(p, _WITH) for p in query.phrases] + [(p, _WITHOUT) for p in query.excluded]:
        said = queries("search").phrase_query(connection, phrase=phrase, configs=CONFIGS)
        if said:
            conditions.append(form.format(sql.Literal(said)))
    return conditions


_WITH = sql.SQL("EXISTS (SELECT FROM chunk p WHERE p.tender_id = c.tender_id AND p.words @@ CAST({} AS tsquery))")
_WITHOUT = sql.SQL(
    "NOT EXISTS (SELECT FROM chunk p WHERE p.tender_id = c.tender_id AND p.words @@ CAST({} AS tsquery))"
)


def matching(connection: Connection, terms: Terms, within: Within, count: int) -> list[int]:
    """The telling chunk of each of the ``count`` tenders that say most of the query's words.

    Words that are everywhere find nothing beside rarer ones; they still count in the score.
    """
    telling = [n for n, frequency in enumerate(terms.frequencies) if frequency < ENOUGH]
    chosen = telling or range(len(terms.begins))
    if not chosen:
        return []
    parameters = {
        "terms": [terms.begins[n] for n in chosen],
        "weights": [terms.weights[n] for n in chosen],
        "per_term": PER_TERM,
        "count": count,
    }
    every = sql.SQL("TRUE")
    found = rows(
        connection,
        "matching_words",
        parameters | within.parameters,
        early=every if telling else within.condition,
        late=within.condition if telling else every,
    )
    return [row["chunk_id"] for row in found]
