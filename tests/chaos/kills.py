"""Kills a crawl at drawn moments, again and again, and holds what is left against a crawl that nobody disturbed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chaos.crawls import SINCE
from chaos.dump import missing, swept
from chaos.invariants import State, state, violations

from services.crawling import ROOT, command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from chaos.crawls import Crawl

    from portal_simulator import PortalSimulator

PATIENCE = 240


@dataclass
class Tally:
    """What the kills came to. ``lost`` and ``duplicated`` count rows and files against the undisturbed crawl."""

    tried: int = 0
    landed: int = 0
    walks: int = 0
    lost: int = 0
    duplicated: int = 0
    wrong: list[str] = field(default_factory=list)


class Killer:
    """Crawls one portal over and over; every walk has a database and a folder of its own."""

    def __init__(
        self, crawl: Crawl, simulator: PortalSimulator, folder: Path, new_database: Callable[[], str], seed: int
    ) -> None:
        self.crawl, self.simulator, self.folder = crawl, simulator, folder
        self.tally = Tally()
        self._new_database = new_database
        self._random = random.Random(seed)
        self._begin()
        self.seconds = self._undisturbed()
        self.expected = swept(self.database, self.files)

    def run(self, kills: int) -> Tally:
        """Kill until ``kills`` were tried, then let the last walk end."""
        self._begin()
        while self.tally.tried < kills:
            now = state(self.database, self.crawl)
            if now.walked:
                self._end_undisturbed()
                self._begin()
            elif not self._killed(now):
                self._compare()
                self._begin()
        self._end_undisturbed()
        return self.tally

    def _begin(self) -> None:
        self.tally.walks += 1
        self.database = self._new_database()
        self.files = self.folder / f"walk{self.tally.walks}"
        self.files.mkdir(parents=True)

    def _start(self) -> subprocess.Popen[bytes]:
        # A walk that is complete must not be read once more: that would bring back what it had lost.
        walked = state(self.database, self.crawl).walked
        line = command(self.crawl.spider, **({} if walked else {"since": SINCE}))
        environment = os.environ | {"DATABASE_URL": self.database, "FILES_STORE": str(self.files)}
        with (self.folder / "crawl.log").open("ab") as log:
            return subprocess.Popen(line, cwd=ROOT, env=environment, stdout=log, stderr=log)

    def _undisturbed(self) -> tuple[float, float]:
        """Seconds from the first request to the last commit of a page, and to the last of all."""
        process = self._start()
        self._first_request(process, 0)
        started = time.monotonic()
        while not state(self.database, self.crawl).walked:
            assert process.poll() is None, self.log()
            time.sleep(0.05)
        pages = time.monotonic() - started
        assert process.wait(PATIENCE) == 0, self.log()
        return pages, time.monotonic() - started

    def _moment(self, then: State) -> float:
        """Seconds after the first request: every other time within the pages, else anywhere before the end."""
        return self._random.random() * self.seconds[self.tally.tried % 2] * then.share_left(self.crawl)

    def _first_request(self, process: subprocess.Popen[bytes], before: int) -> None:
        end = time.monotonic() + PATIENCE
        while len(self.simulator.requests_to(self.crawl.path)) <= before and process.poll() is None:
            assert time.monotonic() < end, self.log()
            time.sleep(0.005)

    def _killed(self, then: State) -> bool:
        """Start, wait for the drawn moment, kill; False when the crawl had ended before."""
        asked = len(self.simulator.requests_to(self.crawl.path))
        process = self._start()
        self._first_request(process, asked)
        try:
            process.wait(self._moment(then))
        except subprocess.TimeoutExpired:
            process.kill()
        status = process.wait(PATIENCE)
        killed = status == -signal.SIGKILL
        if not killed and status:
            self.tally.wrong.append(f"a crawl ended by itself with {status}")
        self.tally.tried += killed
        now = state(self.database, self.crawl)
        self.tally.landed += killed and now.unfinished(self.crawl)
        self.tally.wrong += violations(self.database, self.files, self.crawl, now)
        return killed

    def _end_undisturbed(self) -> None:
        status = self._start().wait(PATIENCE)
        if status:
            self.tally.wrong.append(f"the crawl after the kills ended with {status}")
        self._compare()

    def _compare(self) -> None:
        found = swept(self.database, self.files)
        lost, more = missing(self.expected, found), missing(found, self.expected)
        self.tally.lost += len(lost)
        self.tally.duplicated += len(more)
        self.tally.wrong += [f"lost {name} {row}" for name, row in lost[:3]]
        self.tally.wrong += [f"too much: {name} {row}" for name, row in more[:3]]

    def log(self) -> str:
        """The end of what the crawls said."""
        return (self.folder / "crawl.log").read_text(encoding="utf-8", errors="replace")[-3000:]
