"""A server that speaks Ollama's ``/api/embed``: its answers, its refusals, and its bad days."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass
class OllamaDouble:
    """Runs as a context manager; ``faults`` are used up one a request, then it behaves.

    A fault is a number (that status with an error body), ``drop`` (the connection ends in the answer), ``json`` (an
    answer that is none), ``nan``, ``short`` (one number less), ``zero``, ``count`` (one vector less) or a function of
    the texts, called before the answer.
    """

    model: str = "test-embed"
    dim: int = 64
    max_tokens: int | None = None
    cuts_silently: bool = False
    delay: float = 0.0
    faults: deque[int | str | Callable[[list[str]], None]] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)
    covered: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        double = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                double.answer(self, body)

            def log_message(self, *_arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What OLLAMA_HOST is set to."""
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def texts(self) -> list[str]:
        """Every text that was ever sent."""
        return [text for request in self.requests for text in _listed(request["input"])]

    @property
    def settings(self) -> dict[str, str]:
        """The environment of a process that uses this server."""
        return {"EMBEDDING_PROVIDER": "ollama", "EMBEDDING_MODEL": self.model, "OLLAMA_HOST": self.url}

    def answer(self, http: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """Answer one request of /api/embed."""
        texts = _listed(body["input"])
        self.requests.append(body)
        fault = self.faults.popleft() if self.faults else None
        time.sleep(self.delay)
        if callable(fault):
            fault(texts)
        if isinstance(fault, int):
            send(http, fault, {"error": "server busy, please try again"})
        elif body["model"] != self.model:
            send(http, 404, {"error": f"model '{body['model']}' not found"})
        elif self._is_refused(texts, truncate=body.get("truncate", True)):
            send(http, 400, {"error": "the input length exceeds the context length"})
        elif fault == "json":
            send_raw(http, 200, b'{"model": "test-embed", "embeddings": [[0.1,')
        elif fault == "drop":
            send_raw(http, 200, b'{"model"', announced=1000)
        else:
            self.covered += [" ".join(self._seen(text)) for text in texts]
            send(http, 200, {"model": self.model, "embeddings": self._vectors(texts, fault), "total_duration": 1})

    def _is_refused(self, texts: list[str], *, truncate: bool) -> bool:
        too_long = self.max_tokens is not None and any(len(tokens(text)) > self.max_tokens for text in texts)
        return too_long and not truncate and not self.cuts_silently

    def _seen(self, text: str) -> list[str]:
        return tokens(text)[: self.max_tokens]

    def _vectors(self, texts: list[str], fault: object) -> list[list[float]]:
        whole = [self.max_tokens is None or len(tokens(text)) <= self.max_tokens for text in texts]
        seen = [text if kept else " ".join(self._seen(text)) for text, kept in zip(texts, whole, strict=True)]
        vectors = [vector(text, self.dim) for text in seen]
        if fault == "nan":
            vectors[0][0] = float("nan")
        elif fault == "short":
            vectors[0].pop()
        elif fault == "zero":
            vectors[0] = [0.0] * self.dim
        elif fault == "count":
            vectors.pop()
        return vectors


def tokens(text: str) -> list[str]:
    """About what a subword tokenizer makes of a text: pieces of four letters, single digits and signs."""
    return re.findall(r"[^\W\d_]{1,4}|\S", text)


def vector(text: str, dim: int) -> list[float]:
    """A unit vector in which shared words bring texts together."""
    total = np.zeros(dim)
    for word in re.findall(r"\w+", text.lower()) or [text]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8])
        total += np.random.default_rng(seed).normal(size=dim)
    return [float(number) for number in total / np.linalg.norm(total)]


def send(http: BaseHTTPRequestHandler, status: int, body: object) -> None:
    """A JSON answer."""
    send_raw(http, status, json.dumps(body).encode())


def send_raw(http: BaseHTTPRequestHandler, status: int, body: bytes, announced: int | None = None) -> None:
    """An answer byte for byte, maybe shorter than it announces."""
    http.send_response(status)
    http.send_header("Content-Type", "application/json")
    http.send_header("Content-Length", str(announced or len(body)))
    http.end_headers()
    http.wfile.write(body)
    http.close_connection = True


def _listed(texts: str | list[str]) -> list[str]:
    return [texts] if isinstance(texts, str) else texts
