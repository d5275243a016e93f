"""The product's page as its users start it: a process of its own, on a database that the sample has filled."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from services.crawling import ROOT, environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TIMEOUT = 240

#: What Chromium needs here: root has no sandbox, and it shall ask for nothing by itself.
ARGUMENTS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    *(["--no-sandbox"] if os.geteuid() == 0 else []),
]


def fill_with_sample(files: Path) -> None:
    """``scrapy crawl sample`` and ``python -m indexer_worker --once``, on the database of the environment."""
    for arguments in (["scrapy", "crawl", "sample"], ["indexer_worker", "--once"]):
        run = subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=environment(files),
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
        assert run.returncode == 0, run.stderr


@contextmanager
def page_process(files: Path, port: int = 0) -> Iterator[str]:
    """``python -m webapp`` on the database of the environment; its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "webapp", "--port", str(port)],
        cwd=ROOT,
        env=environment(files),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        address = re.search(r"http://\S+", said)
        assert address is not None, f"the page did not start: {said!r}"
        yield address[0]
    finally:
        process.terminate()
        process.wait(30)
        if process.stdout is not None:
            process.stdout.close()
