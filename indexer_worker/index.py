"""Tenders out of the database, chunks and vectors into it."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any

from psycopg2 import sql
from psycopg2.extras import RealDictCursor

from indexer_worker.language import language
from indexer_worker.tender_text import CARD, File, Tender
from tenderscrapy.ai.vectors import as_halfvec
from tenderscrapy.database.pool import transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from indexer_worker.embedding import Passage
    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)

_LABEL = re.compile(r"^[A-Z][A-Za-z ]+: ", re.MULTILINE)
#: pgvector's limit of an HNSW index on halfvec; longer vectors are searched exactly.
MAX_INDEXED_DIM = 4000


def load(connection: Connection, ids: Sequence[str]) -> list[Tender]:
    """The tenders that exist among ``ids``, with sources and ready files; ``unchanged`` where nothing is to be done."""
    index = queries("index")
    with transaction(connection), connection.cursor(cursor_factory=RealDictCursor) as cursor:
        cursor.execute(index.load_tenders.sql, {"ids": list(ids)})
        rows = cursor.fetchall()
        tenders = {row["id"]: Tender(row["id"], row["content_hash"], dict(row)) for row in rows}
        for tender_id, code, notice_id in index.sources_of(connection, ids=list(ids)):
            if tender_id in tenders:
                tenders[tender_id].sources.append((code, notice_id))
        for tender_id, *file in index.files_of(connection, ids=list(ids)):
            if tender_id in tenders:
                tenders[tender_id].files.append(File(*file))
    for tender in tenders.values():
        tender.unchanged = tender.facts["indexed_hash"] == tender.content_hash
    return list(tenders.values())


def replace(
    connection: Connection,
    tender: Tender,
    passages: Sequence[Passage],
    extraction: Mapping[int, str | None],
    provider: EmbeddingProvider,
) -> bool:
    """Put the passages in the place of all that the index has of the tender, in one transaction.

    False, and nothing is written, when the tender changed or went away since it was loaded: its newer event brings
    it back. ``extraction`` is each file's error, None where its text was read.
    """
    index = queries("index")
    with transaction(connection):
        active = index.active_model(connection)
        if active is None or active[0] != provider.model:
            raise ConfigurationError(
                f"Search has switched away from the embedding model {provider.model}: start again."
            )
        if index.lock_hash(connection, id=tender.id) != tender.content_hash:
            return False
        ids = _swap_chunks(connection, tender, passages)
        index.put_embeddings(
            connection,
            model=provider.model,
            dim=provider.dim,
            ids=[ids[ordinal] for ordinal in range(len(passages))],
            vectors=[as_halfvec(passage.vector) for passage in passages if passage.vector is not None],
        )
        errors = [{"id": file_id, "error": error} for file_id, error in extraction.items()]
        index.set_extraction_errors(connection, rows=json.dumps(errors))
        index.set_ready(connection, id=tender.id, content_hash=tender.content_hash)
        failpoint("commit.before")
    failpoint("commit.after")
    return True


def _swap_chunks(connection: Connection, tender: Tender, passages: Sequence[Passage]) -> dict[int, int]:
    """New chunks in the place of the tender's old ones; their ids by ordinal."""
    index = queries("index")
    failpoint("chunk_delete.before")
    index.delete_chunks(connection, id=tender.id)
    failpoint("chunk_delete.after")
    rows = json.dumps([_row(passage, ordinal) for ordinal, passage in enumerate(passages)])
    failpoint("chunk_insert.before")
    put = list(index.put_chunks(connection, id=tender.id, title=tender.title, buyer=tender.buyer, rows=rows))
    failpoint("chunk_insert.after")
    return {ordinal: chunk_id for chunk_id, ordinal in put}


def _row(passage: Passage, ordinal: int) -> dict[str, Any]:
    chunk, section = passage.chunk, passage.chunk.section
    return {
        "attachment_id": section.attachment_id,
        "ordinal": ordinal,
        "text": chunk.text,
        "words": searched_words(section.name, chunk.text),
        "lang": section.lang or language(chunk.text, passage.tender.lang),
        "page": section.page,
        "section": section.name,
        "start_offset": chunk.start,
        "end_offset": chunk.end,
    }


def searched_words(section: str, text: str) -> str:
    """The text whose words are searched: a card's without its labels, which every card has."""
    return _LABEL.sub("", text) if section == CARD else text


def ensure_model(connection: Connection, provider: EmbeddingProvider) -> None:
    """Make the provider's model the active one, with its search index, where no other one has vectors.

    Raises ConfigurationError when another model is in use or the model's dimension is another one now.
    """
    index = queries("index")
    with transaction(connection):
        index.model_lock(connection)
        active = index.active_model(connection)
        if active and active[0] != provider.model and index.model_has_vectors(connection, model=active[0]):
            raise ConfigurationError(
                f"The index was built with the embedding model {active[0]}, EMBEDDING_MODEL says {provider.model}. "
                f"Run `python -m indexer_worker reindex --model {provider.model}`, or set EMBEDDING_MODEL back."
            )
        register_model(connection, provider)
        index.deactivate_models(connection, model=provider.model)
        index.activate_model(connection, model=provider.model)


def register_model(connection: Connection, provider: EmbeddingProvider) -> None:
    """The model's row and its partial search index, part of the caller's transaction."""
    index = queries("index")
    index.put_model(connection, model=provider.model, dim=provider.dim)
    known = index.model_dim(connection, model=provider.model)
    if known != provider.dim:
        raise ConfigurationError(
            f"The embedding model {provider.model} had {known} dimensions and now answers with {provider.dim}; "
            "give the other model a name of its own."
        )
    if provider.dim > MAX_INDEXED_DIM:
        logger.warning("vectors of %s dimensions cannot be indexed, search stays exact", provider.dim)
        return
    statement = sql.SQL(
        "CREATE INDEX IF NOT EXISTS {name} ON chunk_embedding "
        "USING hnsw ((embedding::halfvec({dim})) halfvec_cosine_ops) WHERE model = {model}"
    ).format(
        name=sql.Identifier(index_name(provider.model)),
        dim=sql.Literal(provider.dim),
        model=sql.Literal(provider.model),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement)


def index_name(model: str) -> str:
    """The name of a model's partial index; a PostgreSQL name has at most 63 bytes."""
    return "chunk_embedding_" + re.sub(r"[^a-z0-9]+", "_", model.lower())[:46]
