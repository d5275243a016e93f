"""Embeddings from a local Ollama server."""

from __future__ import annotations

import logging
import time
from threading import Lock
from typing import TYPE_CHECKING, Any

import httpx
import numpy as np
import ollama
from pydantic import ValidationError

from tenderscrapy.exceptions import EmbeddingError, EmbeddingUnavailableError, TextTooLongError

if TYPE_CHECKING:
    from collections.abc import Sequence

logger = logging.getLogger(__name__)

#: What the cards of the models ask for: (before a document, before a query). A model not named here wants neither.
PREFIXES = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed": ("", "Represent this sentence for searching relevant passages: "),
    "snowflake-arctic-embed2": ("", "query: "),
    "qwen3-embedding": ("", "Instruct: Given a search query, retrieve passages that answer it\nQuery: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
    "multilingual-e5-small": ("passage: ", "query: "),
    "multilingual-e5-base": ("passage: ", "query: "),
    "multilingual-e5-large": ("passage: ", "query: "),
}
#: A model that is loaded first answers late; a host that is away should not cost that long.
TIMEOUT = httpx.Timeout(300.0, connect=5.0)
#: Seconds before a busy server is asked again, within one call.
BUSY_WAITS = (0.5, 2.0)
_TOO_LONG = ("context length", "input length", "too long", "too large")


class OllamaProvider:
    """The provider that asks ``/api/embed`` of ``host``; the vectors' dimension is what the first answer shows."""

    def __init__(self, host: str, model: str) -> None:
        self.model = model
        self._client = ollama.Client(host, timeout=TIMEOUT, follow_redirects=False)
        self._document_prefix, self._query_prefix = PREFIXES.get(_family(model), ("", ""))
        self._dim: int | None = None
        self._asking = Lock()

    @property
    def dim(self) -> int:
        """Length of a vector. Raises what embed_documents raises when no answer was seen yet."""
        if self._dim is None:
            self.embed_documents(["dimension"])
        return self._dim or 0

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape (len(texts), dim). A server that is busy is asked again twice."""
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        prefixed = [self._document_prefix + text for text in texts]
        for wait in BUSY_WAITS:
            try:
                return self._embed(prefixed)
            except EmbeddingUnavailableError as error:
                logger.info("the embedding service is not ready, asking again: %s", error)
                time.sleep(wait)
        return self._embed(prefixed)

    def embed_query(self, text: str) -> np.ndarray:
        """The unit vector of a query; asks once, since someone waits for it."""
        return self._embed([self._query_prefix + text])[0]

    def _embed(self, texts: list[str]) -> np.ndarray:
        try:
            # truncate: the server would cut a long text without a word
            answer = self._client.embed(model=self.model, input=texts, truncate=False)
        except ollama.ResponseError as error:
            raise _refusal(self.model, error) from error
        except (ConnectionError, httpx.HTTPError) as error:
            raise EmbeddingUnavailableError(f"the embedding service does not answer: {_text(error)}") from error
        except (ValidationError, ValueError) as error:
            raise EmbeddingError(f"the embedding service's answer cannot be read: {_text(error)}") from error
        return self._checked(answer.embeddings, len(texts))

    def _checked(self, embeddings: Any, count: int) -> np.ndarray:
        if len(embeddings) != count:
            raise EmbeddingError(f"{count} texts were sent and {len(embeddings)} vectors came back")
        try:
            vectors = np.asarray(embeddings, dtype=np.float32)
        except (ValueError, TypeError) as error:
            raise EmbeddingError("the vectors of one answer have different lengths") from error
        lengths = np.linalg.norm(vectors, axis=1) if vectors.ndim == 2 and vectors.shape[1] else np.zeros(1)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise EmbeddingError("an answer holds an empty vector, one of zeros or one that is not finite")
        with self._asking:
            self._dim = self._dim or vectors.shape[1]
        if vectors.shape[1] != self._dim:
            raise EmbeddingError(f"a vector has {vectors.shape[1]} dimensions, the model's others have {self._dim}")
        return np.asarray(vectors / lengths[:, None])


def _refusal(model: str, error: ollama.ResponseError) -> EmbeddingError | EmbeddingUnavailableError:
    text = _text(error)
    if error.status_code == 404:
        return EmbeddingUnavailableError(f"Ollama does not have the model {model}; run: ollama pull {model}")
    if error.status_code == 400 and any(sign in text.lower() for sign in _TOO_LONG):
        return TextTooLongError(text)
    if error.status_code in (400, 413, 422):
        return EmbeddingError(f"Ollama refuses the texts: {text}")
    return EmbeddingUnavailableError(f"Ollama answered {error.status_code}: {text}")


def _family(model: str) -> str:
    """``registry/user/name:tag`` -> ``name``."""
    return model.rsplit("/", 1)[-1].split(":", 1)[0].lower()


def _text(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
