"""How much memory a process and its children hold at most."""

from __future__ import annotations

import contextlib
import threading
from typing import Self

import psutil


class PeakMemory:
    """Samples the resident memory of a process tree while the block runs; ``bytes`` is the highest sum seen."""

    def __init__(self, pid: int, interval: float = 0.05) -> None:
        self.bytes = 0
        self._process = psutil.Process(pid)
        self._interval = interval
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="peak memory")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def megabytes(self) -> float:
        return self.bytes / 1_000_000

    def _watch(self) -> None:
        while not self._ended.is_set():
            with contextlib.suppress(psutil.NoSuchProcess):
                tree = [self._process, *self._process.children(recursive=True)]
                self.bytes = max(self.bytes, sum(self._resident(process) for process in tree))
            self._ended.wait(self._interval)

    @staticmethod
    def _resident(process: psutil.Process) -> int:
        try:
            return int(process.memory_info().rss)
        except psutil.NoSuchProcess:
            return 0
