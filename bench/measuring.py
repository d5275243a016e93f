"""Repeats, medians and ranges."""

from __future__ import annotations

import gc
import resource
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.cores import CLIENTS, on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class DisqualifiedError(Exception):
    """A contender did not do the work that is measured."""


@dataclass
class Figures:
    """What one contender reached: one value a repeat, ``unit`` says of what."""

    name: str
    unit: str
    guarantees: str = ""
    values: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "unit": self.unit,
            "median": round(self.median, 1),
            "min": round(min(self.values), 1),
            "max": round(max(self.values), 1),
            "runs": [round(value, 1) for value in self.values],
            "cpu_seconds": round(statistics.median(self.cpu), 2) if self.cpu else None,
            "guarantees": self.guarantees,
        }


@dataclass(frozen=True)
class Spent:
    """Of one finished process: seconds on the clock and on the processor."""

    seconds: float
    cpu: float


def timed_process(command: Sequence[str], environment: Mapping[str, str], folder: Any) -> Spent:
    """Run a process to its end, from its start to its exit. Raises DisqualifiedError when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with on(CLIENTS):
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise DisqualifiedError(f"{' '.join(command[:5])} ended with {done.returncode}: {done.stderr[-1000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(seconds, cpu)


def timed(work: Callable[[], Any]) -> float:
    """Seconds that ``work`` takes in this process, garbage of what was before it left aside."""
    gc.collect()
    with on(CLIENTS):
        started = time.perf_counter()
        work()
        return time.perf_counter() - started


def interleaved(repeats: int, contenders: Iterable[Callable[[bool], None]]) -> None:
    """A, B, C, A, B, C ...: one round to warm up, which does not count, then ``repeats`` that do."""
    every = list(contenders)
    for round_ in range(repeats + 1):
        for contender in every:
            contender(round_ > 0)


def ratio_to(peer: str, ratio: float, goal: float | None) -> dict[str, Any]:
    """Our median by the peer's, and whether that is enough; without a goal it is told for completeness."""
    return {"to": peer, "ratio": round(ratio, 2), "goal": goal, "reached": None if goal is None else ratio >= goal}
