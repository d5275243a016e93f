"""Another embedding model: its vectors are built beside the old ones, and only then does search switch to it."""

from __future__ import annotations

import logging
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from indexer_worker import index
from indexer_worker.tender_text import embedded_text, heading
from tenderscrapy.ai.provider import EMBEDDED_MODEL, provider_of
from tenderscrapy.ai.vectors import as_halfvec
from tenderscrapy.config import config
from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import TextTooLongError

if TYPE_CHECKING:
    from threading import Event

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)

_ROWS = 512


def reindex(database_url: str, model: str, stopping: Event) -> str:
    """Build what is missing of the model's vectors, then make it the active one; says what was done.

    May be stopped and run again. Search goes on with the old model meanwhile. Raises what the provider raises.
    """
    provider = provider_of("embedded" if model == EMBEDDED_MODEL else "ollama", model)
    with closing(connect(database_url, application_name="tenderscrapy reindex")) as connection:
        with transaction(connection):
            queries("index").model_lock(connection)
            index.register_model(connection, provider)
        built = after = 0
        while not stopping.is_set():
            rows = _missing(connection, model, after)
            if rows:
                _build(connection, provider, rows)
                built, after = built + len(rows), rows[-1][0]
                logger.info("%s vectors of %s built", built, model)
            elif _switched(connection, provider):
                return f"{built} vectors built, {model} is the active model; set EMBEDDING_MODEL={model}"
            else:
                after = 0
        return f"{built} vectors built, stopped before the end; run it again to go on"


def _missing(connection: Connection, model: str, after: int, count: int = _ROWS) -> list[tuple[int, str]]:
    with transaction(connection):
        rows = queries("index").chunks_without(connection, model=model, after=after, count=count)
        return [
            (chunk_id, embedded_text(heading(title, description, section), section, text))
            for chunk_id, title, description, section, text in rows
        ]


def _build(connection: Connection, provider: EmbeddingProvider, rows: list[tuple[int, str]]) -> None:
    size = config().embedding_batch_size
    for start in range(0, len(rows), size):
        batch = rows[start : start + size]
        vectors = _vectors(provider, [text for _, text in batch])
        with transaction(connection):
            queries("index").put_embeddings(
                connection,
                model=provider.model,
                dim=provider.dim,
                ids=[chunk_id for chunk_id, _ in batch],
                vectors=[as_halfvec(vector) for vector in vectors],
            )


def _vectors(provider: EmbeddingProvider, texts: list[str]) -> np.ndarray:
    """One vector a text. Chunks keep their borders, so one too long for this model gets the mean of its halves'."""
    try:
        return provider.embed_documents(texts)
    except TextTooLongError:
        if len(texts) > 1:
            return np.concatenate([_vectors(provider, [text]) for text in texts])
        middle = len(texts[0]) // 2
        if not middle:
            raise
        mean = (_vectors(provider, [texts[0][:middle]]) + _vectors(provider, [texts[0][middle:]])) / 2
        return np.asarray(mean / np.linalg.norm(mean))


def _switched(connection: Connection, provider: EmbeddingProvider) -> bool:
    """Switch unless a chunk came up since the last look."""
    if _missing(connection, provider.model, 0, 1):
        return False
    with transaction(connection):
        queries("index").model_lock(connection)
        queries("index").deactivate_models(connection, model=provider.model)
        queries("index").activate_model(connection, model=provider.model)
    return True
