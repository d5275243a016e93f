"""Misbehaviour by rule: which requests, how often, in which way."""

from __future__ import annotations

import fnmatch
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import cache
from typing import Any

from portal_simulator.exchange import Answer, RecordedRequest

#: ``"POST /v3/*"``, ``"/files/*"`` (shell patterns on the path) or a function of the request.
Match = str | Callable[[RecordedRequest], bool]

LONGEST_DELAY = 120.0
LARGEST_BOMB = 1024 * 1024 * 1024


@dataclass(eq=False)
class Fault:
    """One rule. ``left`` counts down, ``seen`` counts up; ``after`` matching requests pass unharmed first."""

    match: Match
    left: int | None
    kind: str
    options: dict[str, Any] = field(default_factory=dict)
    after: int = 0
    seen: int = 0

    def concerns(self, request: RecordedRequest) -> bool:
        if callable(self.match):
            return self.match(request)
        method, _, path = self.match.rpartition(" ")
        return method in ("", request.method) and fnmatch.fnmatchcase(request.path, path)


class Faults:
    """The rules in force, oldest first; one fault at most befalls a request."""

    def __init__(self) -> None:
        self._rules: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, match: Match, times: int | None, kind: str, options: dict[str, Any]) -> Fault:
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is none of the faults {sorted(KINDS)}")
        fault = Fault(match, times, kind, options, after=options.pop("after", 0))
        with self._lock:
            self._rules.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._rules.clear()

    def apply(self, request: RecordedRequest, answer: Callable[[], Answer]) -> Answer:
        """The answer, spoilt by the first rule that still has force."""
        fault = self._taken(request)
        return answer() if fault is None else KINDS[fault.kind](answer, **fault.options)

    def _taken(self, request: RecordedRequest) -> Fault | None:
        with self._lock:
            for fault in self._rules:
                if fault.left == 0 or not fault.concerns(request):
                    continue
                if fault.after:
                    fault.after -= 1
                    continue
                fault.seen += 1
                if fault.left is not None:
                    fault.left -= 1
                return fault
        return None


def retry_after(value: float | str | datetime | None) -> list[tuple[str, str]]:
    """The header: seconds, a moment, ``"date:30"`` (the HTTP date in 30 seconds), any other text as it is."""
    if value is None:
        return []
    if isinstance(value, str) and value.startswith("date:"):
        value = datetime.now(UTC) + timedelta(seconds=float(value.removeprefix("date:")))
    if isinstance(value, datetime):
        return [("Retry-After", format_datetime(value.astimezone(UTC).replace(microsecond=0), usegmt=True))]
    return [("Retry-After", str(value))]


def _status(
    answer: Callable[[], Answer],
    *,
    status: int = 500,
    body: str | bytes = "",
    media_type: str = "text/html",
    wait: float | str | datetime | None = None,
    headers: list[tuple[str, str]] | None = None,
) -> Answer:
    """The portal is not asked at all. ``wait`` becomes Retry-After."""
    del answer
    content = body.encode() if isinstance(body, str) else body
    return Answer(status, content, media_type, [*(headers or []), *retry_after(wait)])


def _reset(answer: Callable[[], Answer], *, after_bytes: int = -1) -> Answer:
    """A TCP reset in place of the answer, or within its body."""
    return answer().sent(stop_after=after_bytes, ending="reset")


def _half_close(answer: Callable[[], Answer], *, share: float = 0.5) -> Answer:
    """Headers promise the whole body, a share of it comes, then the server's side is closed."""
    whole = answer()
    return whole.sent(stop_after=int(whole.body_length * share), ending="half_close")


def _delay(answer: Callable[[], Answer], *, seconds: float = 1.0) -> Answer:
    return answer().sent(delay=min(seconds, LONGEST_DELAY))


def _drip(answer: Callable[[], Answer], *, rate: float = 1000.0, piece: int = 100) -> Answer:
    """The body in small pieces, so slowly that a client's patience is tried."""
    return answer().sent(rate=rate, piece=piece)


def _silence(answer: Callable[[], Answer], *, seconds: float = 10.0) -> Answer:
    """The request is taken, nothing comes, the connection is closed."""
    return answer().sent(delay=min(seconds, LONGEST_DELAY), stop_after=-1)


def _invalid_json(answer: Callable[[], Answer]) -> Answer:
    """The first half of the body, sent as if it were all."""
    whole = answer()
    return replace(whole, body=whole.body[: len(whole.body) // 2])


def _not_utf8(answer: Callable[[], Answer], *, encoding: str | None = None) -> Answer:
    """A byte that UTF-8 does not know in front of the first blank, or the whole body in another encoding."""
    whole = answer()
    if encoding is not None:
        return replace(whole, body=whole.body.decode().encode(encoding, "replace"))
    return replace(whole, body=whole.body.replace(b" ", b"\xe9 ", 1))


def _html(
    answer: Callable[[], Answer], *, status: int = 200, text: str = "<html><body>Please wait</body></html>"
) -> Answer:
    """A page for people, in place of what was asked for."""
    del answer
    return Answer.of_html(text, status)


def _empty(answer: Callable[[], Answer]) -> Answer:
    return replace(answer(), body=b"", pieces=None, length=None)


def _gzip_bomb(answer: Callable[[], Answer], *, size: int = 64 * 1024 * 1024) -> Answer:
    """A few kilobytes that unpack to ``size`` blanks; the media type is that of the true answer."""
    whole = answer()
    packed = bomb(min(size, LARGEST_BOMB))
    return Answer(200, packed, whole.media_type, [("Content-Encoding", "gzip")])


@cache
def bomb(size: int) -> bytes:
    """``size`` blanks, gzipped without ever being held."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * min(size, 1024 * 1024)
    parts = [packer.compress(block) for _ in range(size // len(block))] if size else []
    return b"".join([*parts, packer.flush()])


KINDS: dict[str, Callable[..., Answer]] = {
    "status": _status,
    "reset": _reset,
    "half_close": _half_close,
    "delay": _delay,
    "drip": _drip,
    "silence": _silence,
    "invalid_json": _invalid_json,
    "not_utf8": _not_utf8,
    "html": _html,
    "empty": _empty,
    "gzip_bomb": _gzip_bomb,
}
