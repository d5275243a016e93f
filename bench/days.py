"""A day of the German publication service: notices a second, and whether memory depends on how many the day has."""

from __future__ import annotations

import os
import tempfile
import time
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chaos.large_files import started

from bench.cores import CLIENTS, SERVERS, on
from bench.measuring import DisqualifiedError, interleaved, ratio_to
from bench.services import databases
from portal_simulator import PortalSimulator
from portal_simulator.doe import members_of, packed, today
from portal_simulator.doe_notices import invented_german_notices

if TYPE_CHECKING:
    from bench.services import Databases

#: Of one notice's description, so that a day has the size of a real one.
CHARACTERS = 15_000
DAY = today() - timedelta(days=1)


class _Bench:
    def __init__(self, simulator: PortalSimulator, server: Databases, sizes: list[int], folder: Path) -> None:
        self.simulator, self.server, self.folder = simulator, server, folder
        self.bodies = {size: _archive(size) for size in sizes}
        self.seconds: dict[int, list[float]] = {size: [] for size in sizes}
        self.peaks: dict[int, list[float]] = {size: [] for size in sizes}

    def crawl(self, size: int, counted: bool) -> None:
        self.simulator.doe.publish_body(DAY, self.bodies[size][0])
        store = Path(tempfile.mkdtemp(dir=self.folder))
        begun = time.monotonic()
        with on(CLIENTS):
            running = started(self.server.fresh(), store, "doe", since=DAY, until=DAY, DOWNLOAD_DELAY=0.001)
        with running as crawl:
            status = crawl.process.wait(600)
            seconds = time.monotonic() - begun
            stored = crawl.select("SELECT count(*) FROM tender_source")[0][0]
        if status != 0 or stored != size:
            raise DisqualifiedError(f"{stored} of {size} stored: {crawl.log.read_text(encoding='utf-8')[-1000:]}")
        if counted:
            self.seconds[size].append(seconds)
            self.peaks[size].append(crawl.memory.megabytes)


def _archive(size: int) -> tuple[bytes, float]:
    """A day's archive, and how many megabytes it unpacks to."""
    notices = invented_german_notices(size, day=DAY)
    members = members_of([replace(notice, padding=CHARACTERS) for notice in notices])
    return packed(members), sum(len(content) for _, content in members) / 1_000_000


def run(size: int, repeats: int) -> dict[str, Any]:
    """A tenth of a day, a day, and four days in one, interleaved."""
    sizes = [size // 10, size, size * 4]
    with ExitStack() as stack:
        with on(SERVERS):
            simulator = stack.enter_context(PortalSimulator())
        server = stack.enter_context(databases())
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        os.environ |= {"ALLOW_PRIVATE_HOSTS": simulator.host, "DOE_URL": simulator.doe.url}
        bench = _Bench(simulator, server, sizes, Path(folder))
        turns = tuple(lambda counted, n=n: bench.crawl(n, counted) for n in sizes)
        interleaved(repeats, turns)
    peaks = {n: max(bench.peaks[n]) for n in sizes}
    return {
        "bench": "days",
        "notices": size,
        "repeats": repeats,
        "contenders": [
            {
                "name": f"{n:,} notices, {bench.bodies[n][1]:.0f} MB unpacked",
                "unit": "seconds of the whole process",
                "median": round(sorted(bench.seconds[n])[len(bench.seconds[n]) // 2], 1),
                "min": round(min(bench.seconds[n]), 1),
                "max": round(max(bench.seconds[n]), 1),
                "peak_megabytes": round(peaks[n]),
            }
            for n in sizes
        ],
        "ratios": [ratio_to("peak memory of a day to that of four in one", peaks[size] / peaks[size * 4], 0.9)],
    }
