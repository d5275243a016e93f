"""A crawl of many pages, with large files beside it: one that runs, and what can be seen of it from outside."""

from __future__ import annotations

import os
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg2
from chaos.crawls import SINCE
from chaos.memory import PeakMemory

from portal_simulator import invented_ted_notices
from portal_simulator.ted import SEARCH_PATH
from services.crawling import ROOT, command

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

PER_PAGE = 250
PATIENCE = 240


def publish(simulator: PortalSimulator, pages: int, files: list[str]) -> None:
    """Full pages of notices; the newest ones, which come first, have a PDF each at the addresses ``files``."""
    notices = list(invented_ted_notices(PER_PAGE * pages))
    for notice in notices:
        notice["links"] = {}
    for notice, address in zip(reversed(notices), files, strict=False):
        notice["links"] = {"pdf": dict.fromkeys(notice["official-language"], address)}
    simulator.ted.notices = notices


@dataclass
class Running:
    """A crawl in a process of its own."""

    process: subprocess.Popen[str]
    memory: PeakMemory
    database: str
    log: Path

    def pages_done(self) -> bool:
        """Whether the cursor says that the walk is complete."""
        query = (
            "SELECT cursor ->> 'position' IS NULL AND cursor ->> 'watermark' IS NOT NULL FROM source WHERE code = 'ted'"
        )
        return (True,) in self.select(query)

    def select(self, query: str) -> list[tuple[Any, ...]]:
        with closing(psycopg2.connect(self.database)) as connection, connection.cursor() as cursor:
            cursor.execute(query)
            return cursor.fetchall()

    def wait_until_pages_are_done(self) -> float:
        """The moment at which they were (seconds since the epoch)."""
        end = time.monotonic() + PATIENCE
        while not self.pages_done():
            assert self.process.poll() is None, self.log.read_text(encoding="utf-8")[-2000:]
            assert time.monotonic() < end, self.log.read_text(encoding="utf-8")[-2000:]
            time.sleep(0.02)
        return time.time()

    def end(self) -> int:
        """SIGTERM if it still runs; the exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(40)

    def __enter__(self) -> Running:
        self.memory.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.memory.__exit__(*exc)


def started(database: str, folder: Path, spider: str = "ted", **options: object) -> Running:
    """Start a crawl whose files go to ``folder/files``; use it as a context manager."""
    folder.mkdir(parents=True, exist_ok=True)
    line = command(spider, **{"since": SINCE, **options})
    environment = os.environ | {"DATABASE_URL": database, "FILES_STORE": str(folder / "files")}
    log = folder / "crawl.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(line, cwd=ROOT, env=environment, stdout=output, stderr=output, text=True)
    return Running(process, PeakMemory(process.pid), database, log)


def page_phase(running: Running, simulator: PortalSimulator) -> float:
    """Seconds from the first request for a page to the commit of the last page."""
    done = running.wait_until_pages_are_done()
    return done - simulator.requests_to(SEARCH_PATH)[0].at
