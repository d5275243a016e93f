"""What comes in, what goes out, and how it goes out."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

JSON = "application/json"


@dataclass(slots=True)
class RecordedRequest:
    """One request as it arrived. Header names are lower case; ``at`` is seconds since the epoch.

    ``status`` is what was answered: 0 until then, and for an answer that was never started.
    """

    number: int
    method: str
    target: str
    headers: dict[str, str]
    body: bytes
    at: float
    connection: int
    status: int = 0

    @property
    def path(self) -> str:
        return unquote(urlsplit(self.target).path)

    @property
    def parameters(self) -> dict[str, str]:
        """The query string; the last value of a repeated name."""
        query = urlsplit(self.target).query
        return {name: values[-1] for name, values in parse_qs(query, keep_blank_values=True).items()}

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(slots=True, frozen=True)
class Delivery:
    """How an answer travels: ``delay`` seconds before the first byte, then ``rate`` bytes a second.

    ``stop_after`` bytes of the body (-1: not even the head) the connection ends as ``ending`` says: ``close``,
    ``reset`` or ``half_close`` (the server's side only, the client's stays open). ``declared_length`` replaces the
    true Content-Length. ``piece`` is the size of one write when there is a rate.
    """

    delay: float = 0.0
    rate: float | None = None
    piece: int = 16_384
    stop_after: int | None = None
    ending: str = "close"
    declared_length: int | None = None
    chunked: bool = False


@dataclass(slots=True)
class Answer:
    """An HTTP answer. ``pieces`` (with ``length``) replaces ``body`` where the body is too large to hold."""

    status: int = 200
    body: bytes = b""
    media_type: str | None = JSON
    headers: list[tuple[str, str]] = field(default_factory=list)
    delivery: Delivery = field(default_factory=Delivery)
    pieces: Iterable[bytes] | None = None
    length: int | None = None

    @classmethod
    def of_json(cls, document: Any, status: int = 200) -> Self:
        text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
        return cls(status, text.encode())

    @classmethod
    def of_html(cls, text: str, status: int = 200, media_type: str = "text/html; charset=utf-8") -> Self:
        return cls(status, text.encode(), media_type)

    @property
    def body_length(self) -> int:
        return len(self.body) if self.length is None else self.length

    def sent(self, **delivery: Any) -> Answer:
        """The same answer, delivered in another way."""
        return replace(self, delivery=replace(self.delivery, **delivery))
