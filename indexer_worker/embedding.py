"""Chunks into vectors, many tenders at once; one bad text fails its tender alone."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from indexer_worker.chunking import halves
from indexer_worker.jobs import StoppingError
from indexer_worker.tender_text import embedded_text
from tenderscrapy.exceptions import EmbeddingError, TextTooLongError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from threading import Event

    import numpy as np

    from indexer_worker.chunking import Chunk
    from indexer_worker.tender_text import Tender
    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class Passage:
    """A chunk of a tender on its way to its vector. ``heading`` is embedded with the text but not stored in it."""

    tender: Tender
    chunk: Chunk
    heading: str
    vector: np.ndarray | None = None

    @property
    def embedded_text(self) -> str:
        """What the model is given."""
        return embedded_text(self.heading, self.chunk.section.name, self.chunk.text)


@dataclass(slots=True)
class Embedded:
    """Passages with their vectors in order, and why the others' tenders failed, by tender id."""

    passages: list[Passage]
    failed: dict[str, EmbeddingError]


def embed(provider: EmbeddingProvider, passages: Sequence[Passage], batch_size: int, stopping: Event) -> Embedded:
    """The passages with vectors. One that is too long becomes several, so that all of its text is covered.

    Raises EmbeddingUnavailableError when the service is away, StoppingError once ``stopping`` is set.
    """
    done = Embedded([], {})
    for start in range(0, len(passages), batch_size):
        if stopping.is_set():
            raise StoppingError("asked to stop")
        _embed(provider, list(passages[start : start + batch_size]), done)
    return done


def _embed(provider: EmbeddingProvider, batch: list[Passage], done: Embedded) -> None:
    batch = [passage for passage in batch if passage.tender.id not in done.failed]
    if not batch:
        return
    try:
        vectors = provider.embed_documents([passage.embedded_text for passage in batch])
    except EmbeddingError as error:
        if len(batch) > 1:
            middle = len(batch) // 2
            _embed(provider, batch[:middle], done)
            _embed(provider, batch[middle:], done)
        elif isinstance(error, TextTooLongError) and (parts := _parts(batch[0])):
            _embed(provider, parts, done)
        else:
            done.failed[batch[0].tender.id] = error
        return
    for passage, vector in zip(batch, vectors, strict=True):
        passage.vector = vector
    done.passages += batch


def _parts(passage: Passage) -> list[Passage] | None:
    """Halves of a passage; the heading goes when it is longer than what it heads."""
    two = halves(passage.chunk)
    if two is None:
        return None
    heading = passage.heading if len(passage.heading) < len(two[0].text) else ""
    logger.debug("a chunk of %s characters is split further for the model", len(passage.chunk.text))
    return [Passage(passage.tender, chunk, heading) for chunk in two if chunk.text]
