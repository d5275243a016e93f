"""When a request may be tried again, and how long it has to wait before that."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: Answers that may be different next time, whoever gives them.
TRANSIENT_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})

_LONGEST = 366 * 86_400.0
_SECONDS = re.compile(r"\d{1,18}(?:\.\d*)?", re.ASCII)


def retry_after(value: str | bytes | None, now: datetime, served_at: str | bytes | None = None) -> float | None:
    """Seconds to wait that a Retry-After header asks for; None when there is none or it says nothing.

    Reads seconds and HTTP dates. A date is measured by our clock and, where the answer has a Date header
    (``served_at``), by the server's too: the longer wait counts, so that neither clock undercuts it. A date that is
    over is 0; negative numbers and words are nothing; more than a year is a year.
    """
    text = _text(value)
    if _SECONDS.fullmatch(text):
        return min(float(text), _LONGEST)
    moment = _http_date(text)
    if moment is None:
        return None
    waits = [(moment - now).total_seconds()]
    served = _http_date(_text(served_at))
    if served is not None:
        waits.append((moment - served).total_seconds())
    return min(max(0.0, *waits), _LONGEST)


def _text(value: str | bytes | None) -> str:
    return (value.decode("latin-1") if isinstance(value, bytes) else value or "").strip()


def _http_date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


@dataclass(frozen=True)
class RetryPolicy:
    """Bounded attempts with growing waits. All times in seconds; ``attempts`` includes the first one."""

    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    longest_retry_after: float = 900.0
    spread: Callable[[], float] = random.random

    def wait(self, attempt: int, asked: float | None = None) -> float | None:
        """How long to wait after failed attempt number ``attempt`` (from 1); None when it was the last.

        Never less than ``asked``, what the server's Retry-After says; whether that is more than
        ``longest_retry_after`` the caller looks at first. The back-off doubles, and half of it is random, so that
        many clients do not come back together.
        """
        if attempt >= self.attempts:
            return None
        step = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return max(step * (0.5 + self.spread() / 2), asked or 0.0)
