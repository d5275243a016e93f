"""Pages beside large files: how long the pages take with and without them, and how much memory that needs."""

from __future__ import annotations

import os
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaos.large_files import page_phase, publish, started

from bench.cores import CLIENTS, SERVERS, on
from bench.measuring import DisqualifiedError, interleaved, ratio_to
from bench.services import databases
from portal_simulator import PortalSimulator

if TYPE_CHECKING:
    from bench.services import Databases

MB = 1_000_000
SIZE = 500 * MB
SLOW_FILES = 4
RATE = 10_000
WITHOUT, WITH = "pages alone", "pages beside four 500 MB files at 10 kB/s"


class _Bench:
    def __init__(self, simulator: PortalSimulator, server: Databases, pages: int, folder: Path) -> None:
        self.simulator, self.server, self.pages, self.folder = simulator, server, pages, folder
        self.seconds: dict[str, list[float]] = {WITHOUT: [], WITH: []}
        self.peaks: dict[str, list[float]] = {WITHOUT: [], WITH: []}

    def alone(self, counted: bool) -> None:
        self._crawl(WITHOUT, [], counted)

    def beside_files(self, counted: bool) -> None:
        urls = [self.simulator.files.file_url(f"f{n}.pdf", size=SIZE, rate=RATE, piece=2000) for n in range(SLOW_FILES)]
        self._crawl(WITH, urls, counted)

    def _crawl(self, name: str, files: list[str], counted: bool) -> None:
        publish(self.simulator, self.pages, files)
        self.simulator.forget_requests()
        database, store = self.server.fresh(), Path(tempfile.mkdtemp(dir=self.folder))
        with on(CLIENTS):
            running = started(database, store, ATTACHMENTS_PER_HOST=SLOW_FILES, DOWNLOAD_DELAY=0.001)
        with running as crawl:
            seconds = page_phase(crawl, self.simulator)
            begun = len(list((store / "files").glob("*.part")))
            crawl.end()
        if begun != len(files):
            raise DisqualifiedError(f"{begun} of {len(files)} files were in flight when the pages were done")
        if counted:
            self.seconds[name].append(seconds)
            self.peaks[name].append(crawl.memory.megabytes)

    def fast_file(self) -> dict[str, float]:
        """One file of 500 MB as fast as it comes: megabytes a second, and the peak of memory."""
        publish(self.simulator, 1, [self.simulator.files.file_url("fast.pdf", size=SIZE)])
        self.simulator.forget_requests()
        database, store = self.server.fresh(), Path(tempfile.mkdtemp(dir=self.folder))
        with started(database, store) as crawl:
            if crawl.process.wait(600) != 0:
                raise DisqualifiedError(crawl.log.read_text(encoding="utf-8")[-1000:])
        size, seconds = crawl.select(
            "SELECT a.size, extract(epoch FROM a.fetched_at - t.created_at)::float "
            "FROM attachment a JOIN tender t ON t.id = a.tender_id WHERE a.status = 'ready'"
        )[0]
        return {"megabytes": size / MB, "seconds": round(seconds, 2), "peak_megabytes": round(crawl.memory.megabytes)}


def run(pages: int, repeats: int) -> dict[str, Any]:
    """Both crawls interleaved, then the fast file."""
    with ExitStack() as stack:
        with on(SERVERS):
            simulator = stack.enter_context(PortalSimulator())
        server = stack.enter_context(databases())
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ |= {"ALLOW_PRIVATE_HOSTS": simulator.host, "TED_API_URL": simulator.ted_url}
        bench = _Bench(simulator, server, pages, Path(folder))
        interleaved(repeats, (bench.alone, bench.beside_files))
        fast = bench.fast_file()
    median = {name: statistics.median(values) for name, values in bench.seconds.items()}
    ratio = median[WITHOUT] / median[WITH]
    return {
        "bench": "files",
        "pages": pages,
        "repeats": repeats,
        "contenders": [
            {
                "name": name,
                "unit": "seconds of pages",
                "median": round(median[name], 2),
                "min": round(min(values), 2),
                "max": round(max(values), 2),
                "peak_megabytes": round(max(bench.peaks[name])),
            }
            for name, values in bench.seconds.items()
        ],
        "fast_file": fast,
        "ratios": [ratio_to(WITHOUT, ratio, 0.9)],
    }
