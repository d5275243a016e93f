"""What turns text into vectors: one interface, chosen by the configuration."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

from tenderscrapy.config import config

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np


class EmbeddingProvider(Protocol):
    """Texts in, unit vectors out; thread-safe. Vectors of different ``model`` are never compared.

    Raises EmbeddingUnavailableError when trying later may help, TextTooLongError when a text must be split,
    EmbeddingError when the answer is no vector.
    """

    @property
    def model(self) -> str:
        """The name that is stored beside each vector."""

    @property
    def dim(self) -> int:
        """Length of a vector; may ask the service once."""

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors as float32 of shape (len(texts), dim), in the order of ``texts``."""

    def embed_query(self, text: str) -> np.ndarray:
        """The unit vector of a search query, float32 of shape (dim,)."""


@cache
def provider() -> EmbeddingProvider:
    """The provider that the configuration names, one a process."""
    settings = config()
    if settings.embedding_provider == "ollama":
        from tenderscrapy.ai.ollama import OllamaProvider

        return OllamaProvider(settings.ollama_host, settings.embedding_model)
    from tenderscrapy.ai.embedded import embedded_provider

    return embedded_provider()
