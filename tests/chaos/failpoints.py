"""Kills a piece of work at drawn failpoints, several times in a row, and holds its end against undisturbed work."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from chaos.dump import missing

from services.crawling import ROOT
from tenderscrapy.failpoints import POINTS

if TYPE_CHECKING:
    from chaos.dump import Dump

PATIENCE = 240
_PASSED = re.compile(r"^failpoint ([a-z_.]+) (\d+)$", re.MULTILINE)


class Work(Protocol):
    """What one process does from ``begin`` to ``result``, however often it is killed between them."""

    #: As the table names it.
    name: str
    #: Kills in a row that the product promises to survive.
    longest: int
    #: Messages that a consumer heard more than once, which it must be able to bear.
    twice: int

    def begin(self) -> None:
        """Lay everything out afresh."""

    def line(self) -> list[str]:
        """The command that does the work, or goes on with it."""

    def environment(self) -> dict[str, str]:
        """What the command needs beside the environment of the test."""

    def after_death(self) -> list[str]:
        """Wait until nothing is left of the killed process; what must not be true at this instant, in words."""

    def result(self) -> Dump:
        """What the work has left behind."""


@dataclass
class Deaths:
    """What the kills came to. ``tried`` counts starts with a failpoint, ``places`` the deaths at each."""

    tried: int = 0
    lost: int = 0
    duplicated: int = 0
    places: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class FailpointKiller:
    """Does one kind of work over and over; ``passings`` is how often an undisturbed process comes to each place."""

    def __init__(self, work: Work, seed: int) -> None:
        self.work = work
        self.deaths = Deaths()
        self.log = ""
        self._random = random.Random(f"{work.name} {seed}")
        self._deck: list[str] = []
        work.begin()
        status, said = self._run(",".join(f"{name}:trace" for name in sorted(POINTS)))
        assert status == 0, said[-3000:]
        self.passings = Counter(name for name, _ in _PASSED.findall(said))
        self.expected = work.result()

    def run(self, kills: int) -> Deaths:
        """Kill until ``kills`` processes have died at their failpoint; each chain of kills ends in a comparison."""
        while (left := kills - self.deaths.places.total()) > 0:
            assert self.deaths.tried <= 3 * kills, f"too few kills land: {self.deaths}"
            self.work.begin()
            if not self._chain(min(left, self.work.longest)):
                self._compare()
                continue
            status, said = self._run("")
            if status:
                self.deaths.wrong.append(f"the process after the kills ended with {status}: {said[-500:]}")
            self._compare()
        return self.deaths

    def _chain(self, length: int) -> bool:
        """Kill, start again, kill ...; False when a process came to the end of the work before its failpoint."""
        for number in range(length):
            name = self._draw()
            most = self.passings[name] if number == 0 else -(-self.passings[name] // 3)
            passing = self._random.randint(1, most)
            status, said = self._run(f"{name}:kill@{passing}")
            self.deaths.tried += 1
            if status == 0:
                self._deck.append(name)
                return False
            if status != -signal.SIGKILL or _PASSED.findall(said) != [(name, str(passing))]:
                self.deaths.wrong.append(f"{name}:kill@{passing} ended with {status}: {said[-500:]}")
                continue
            self.deaths.places[name] += 1
            self.deaths.wrong += [f"after {name}:kill@{passing}: {text}" for text in self.work.after_death()]
        return True

    def _draw(self) -> str:
        """The next place; all have had their turn before one comes again."""
        if not self._deck:
            self._deck = sorted(self.passings)
            self._random.shuffle(self._deck)
        return self._deck.pop()

    def _run(self, failpoints: str) -> tuple[int, str]:
        environment = os.environ | self.work.environment() | {"FAILPOINTS": failpoints}
        ended = subprocess.run(
            self.work.line(), cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, timeout=PATIENCE, check=False,
        )  # fmt: skip
        self.log = f"{self.log}\n--- {failpoints[:60]}\n{_PASSED.sub('', ended.stderr)}"[-6000:]
        return ended.returncode, ended.stderr

    def _compare(self) -> None:
        found = self.work.result()
        lost, more = missing(self.expected, found), missing(found, self.expected)
        self.deaths.lost += len(lost)
        self.deaths.duplicated += len(more)
        self.deaths.wrong += [f"lost {name} {row}" for name, row in lost[:3]]
        self.deaths.wrong += [f"too much: {name} {row}" for name, row in more[:3]]
