"""What a queue must do for the indexer, and what happened in one run."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from indexer_worker.jobs import Fate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from threading import Event

    from indexer_worker.jobs import Result

logger = logging.getLogger(__name__)

#: Events taken at once: enough to fill the model's batches, few enough to share the queue with other workers.
BATCH = 32
#: All tries of one event, the first included.
DELIVERIES = 5
#: Seconds before an event is tried again, and between two looks at a service that is down.
RETRY_AFTER = 10.0


@dataclass(slots=True)
class Tally:
    """Counts of a run for its last line."""

    started: float = field(default_factory=time.monotonic)
    counts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("indexed", "unchanged", "retried", "dead"), 0)
    )
    #: Tenders that other workers were at when the run ended.
    held: int = 0

    def add(self, results: Iterable[Result], dead: int = 0) -> None:
        """Count a batch; ``dead`` are those of its results that became dead letters."""
        names = {Fate.INDEXED: "indexed", Fate.NOTHING_TO_DO: "unchanged", Fate.RETRY: "retried", Fate.FAILED: ""}
        for result in results:
            if name := names[result.fate]:
                self.counts[name] += 1
        self.counts["dead"] += dead

    def __str__(self) -> str:
        done = ", ".join(f"{n} {name}" for name, n in self.counts.items())
        held = f"; {self.held} still in the hands of another worker" if self.held else ""
        return f"{done}, {time.monotonic() - self.started:.1f} s{held}"


class Consumer(Protocol):
    """Takes events from a queue, has them indexed, and settles each by its result."""

    tally: Tally

    def run(self, stopping: Event, *, once: bool) -> None:
        """Work until ``stopping`` is set, or with ``once`` until nothing waits. Raises ConfigurationError."""

    def close(self) -> None:
        """Let go of what the consumer holds."""
