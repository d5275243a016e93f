"""The fixture ``crawl``: the product's own command line, as its users run it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

#: Manners are for the real services; a delay above 0 stays, since without one slots do not hold.
FAST = {"DOWNLOAD_DELAY": "0.01", "AUTOTHROTTLE_ENABLED": "0", "ROBOTSTXT_OBEY": "0"}


class Crawl(Protocol):
    """``crawl("ted", since="2026-11-01")``; settings in capitals, arguments in small letters."""

    def __call__(self, spider: str, **options: object) -> subprocess.CompletedProcess[str]: ...


def command(spider: str, **options: object) -> list[str]:
    """The command line of a crawl with test manners."""
    line = [sys.executable, "-m", "scrapy", "crawl", spider]
    for name, value in {**FAST, **options}.items():
        line += ["-s" if name.isupper() else "-a", f"{name}={value}"]
    return line


def environment(files: Path) -> dict[str, str]:
    """The environment of this process, with the files of the test in ``files``."""
    return os.environ | {"FILES_STORE": str(files), "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def crawl(database: str, tmp_path: Path) -> Crawl:
    """Run a crawl to its end against the test's database; the files go to ``tmp_path/files``."""

    def run(spider: str, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command(spider, **options),
            cwd=ROOT,
            env=environment(tmp_path / "files"),
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return run
