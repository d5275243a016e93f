"""`scrapy up`, the heart of `make run`: one command, a page with results, and nothing left behind."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import psutil
import pytest
import requests

from portal_simulator.doe import today
from portal_simulator.doe_notices import invented_german_notices
from services.crawling import ROOT
from tenderscrapy.database.pool import connect

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def home(database, tmp_path, monkeypatch) -> Path:
    """A machine of its own: database, files and logs of this test only."""
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    monkeypatch.setenv("FILES_STORE", str(tmp_path / "files"))
    return tmp_path


class Up:
    """A running ``scrapy up`` and what it says."""

    def __init__(self, *options: str) -> None:
        line = [sys.executable, "-m", "scrapy", "up", "--port", "5750", *options]
        self.process = subprocess.Popen(
            line, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.said: list[str] = []

    def wait_for(self, words: str, seconds: float = 180) -> str:
        """The line that holds ``words``."""
        deadline = time.monotonic() + seconds
        assert self.process.stdout is not None
        while time.monotonic() < deadline:
            line = self.process.stdout.readline()
            self.said.append(line)
            if words in line:
                return line
            if not line:
                break
        raise AssertionError(f"never said {words!r}: {''.join(self.said)}")

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def up() -> Iterator[type[Up]]:
    started: list[Up] = []

    class Remembered(Up):
        def __init__(self, *options: str) -> None:
            super().__init__(*options)
            started.append(self)

    yield Remembered
    for running in started:
        if running.process.poll() is None:
            running.process.kill()
        running.process.communicate()


def test_without_a_source_the_sample_fills_the_page_and_ctrl_c_ends_everything(home, up, database, monkeypatch):
    monkeypatch.setenv("SAMPLE", "1")
    running = up()
    address = re.search(r"http://127\.0\.0\.1:\d+", running.wait_for("The page is up"))
    assert address
    assert requests.get(address[0], timeout=10).status_code == 200
    summary = running.wait_for("of them searchable")
    assert re.search(r"136 tenders, 136 of them searchable, 18 files", summary)
    found = requests.get(address[0], params={"q": "Winterdienst"}, timeout=10).text
    assert "<mark>" in found

    children = running.children()
    assert len(children) >= 2
    running.process.send_signal(signal.SIGINT)
    assert running.process.wait(30) == 0
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []


def test_a_second_start_adds_only_what_is_new_and_a_failing_source_stops_nothing(
    home, up, database, simulator, monkeypatch
):
    monkeypatch.setenv("CONTRACTS_FINDER_URL", "http://127.0.0.1:9/never")
    for day in (today() - timedelta(days=1), today() - timedelta(days=2)):
        simulator.doe.publish(day, invented_german_notices(3, day=day))
    fast = ("--once", "--days", "40", "-s", "DOWNLOAD_DELAY=0.01", "-s", "ATTACHMENTS_BUDGET=0.01")
    first = up(*fast)
    first.wait_for("contracts_finder is skipped")
    first.wait_for("63 of them searchable")
    assert first.process.wait(60) == 0
    events = outbox(database)

    second = up(*fast)
    second.wait_for("ted: complete, 60 read, 0 new, 0 changed")
    second.wait_for("doe: complete, 0 read, 0 new, 0 changed")
    assert second.process.wait(90) == 0

    assert events[1] == outbox(database)[1] == 63
    assert "sample" not in "".join(first.said + second.said)
    assert (home / "log" / "ted.log").exists()


def outbox(url: str) -> tuple[int, int]:
    """Events, and tenders that they are about."""
    connection = connect(url, autocommit=True)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*), count(DISTINCT key) FROM outbox")
            return cursor.fetchone()
    finally:
        connection.close()
