"""What the row of a run says, whatever became of its process."""

from __future__ import annotations

import signal
import subprocess
import time
from datetime import UTC, datetime, timedelta

import pytest

from portal_simulator import invented_ted_notices
from services.crawling import ROOT, command, environment

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()


@pytest.fixture
def begin(database, tmp_path):
    """Start a crawl and leave it running."""
    running: list[subprocess.Popen] = []

    def start(spider: str, **options: object) -> subprocess.Popen:
        log = (tmp_path / "log").open("ab")
        running.append(
            subprocess.Popen(
                command(spider, **options), cwd=ROOT, env=environment(tmp_path / "files"), stdout=log, stderr=log
            )
        )
        log.close()
        return running[-1]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.wait()


def until(condition, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


RUNS = "SELECT state, reason FROM crawl_run ORDER BY id"


def test_sigterm_cancels_a_walk_and_the_next_run_goes_on(simulator, begin, crawl, ask):
    simulator.ted.notices = invented_ted_notices(1000)
    simulator.fault("/v3/notices/search", times=3, kind="delay", seconds=1.5, after=1)
    process = begin("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01")
    until(lambda: ask("SELECT 1 FROM tender LIMIT 1"))
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 1
    assert ask(RUNS) == [("cancelled", "stopped by a signal")]
    assert ask("SELECT cursor ->> 'watermark' FROM source WHERE code = 'ted'") == [(None,)]

    simulator.clear_faults()
    assert crawl("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01").returncode == 0
    assert ask("SELECT count(*) FROM tender_source") == [(1000,)]


def test_a_killed_run_is_closed_by_the_next_one_and_two_at_a_time_are_refused(simulator, begin, crawl, ask):
    simulator.ted.notices = invented_ted_notices(600)
    simulator.fault("/v3/notices/search", times=None, kind="delay", seconds=30, after=1)
    process = begin("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01")
    until(lambda: ask("SELECT 1 FROM tender LIMIT 1"))

    refused = crawl("ted", since=SINCE)
    assert refused.returncode == 1
    assert "ted is being crawled by another process" in refused.stderr

    process.kill()
    process.wait()
    simulator.clear_faults()
    assert crawl("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01").returncode == 0
    assert ask(RUNS) == [("failed", "the process ended without a word"), ("complete", "")]


def test_a_run_is_complete_when_its_pages_are_whatever_its_files_do(simulator, begin, ask):
    simulator.fault("/*/notice/*", times=None, kind="delay", seconds=60)
    process = begin("ted", since=SINCE)
    until(lambda: ask(RUNS) == [("complete", "")])
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    assert ask(RUNS) == [("complete", "")]
    assert ask("SELECT DISTINCT status FROM attachment") == [("pending",)]
