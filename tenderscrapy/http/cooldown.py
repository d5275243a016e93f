"""Hosts that asked to be left alone for a while."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Cooldown:
    """Until when each host rests; a rest is only ever made longer. ``clock`` counts seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._until: dict[str, float] = {}

    def extend(self, host: str, seconds: float) -> None:
        """Let ``host`` rest for at least ``seconds`` from now."""
        self._until[host] = max(self._until.get(host, 0.0), self.clock() + seconds)

    def remaining(self, host: str) -> float:
        """Seconds until ``host`` may be asked again; 0 when it may be asked now."""
        until = self._until.get(host)
        if until is None:
            return 0.0
        left = until - self.clock()
        if left <= 0:
            del self._until[host]
            return 0.0
        return left

    def resting(self) -> list[str]:
        """The hosts that may not be asked now."""
        return [host for host in list(self._until) if self.remaining(host) > 0]
