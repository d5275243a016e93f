"""A day of notices never lies in memory, and a crawl that is killed in the middle of one loses nothing."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from chaos.large_files import started

from portal_simulator.doe import EXPORTS_PATH, members_of, packed, today
from portal_simulator.doe_notices import invented_german_notices

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

MB = 1_000_000
DAY = today() - timedelta(days=1)
WINDOW = {"since": DAY, "until": DAY}


def archive(count: int, padding: int) -> bytes:
    notices = invented_german_notices(count, day=DAY)
    return packed(members_of([replace(notice, padding=padding) for notice in notices]))


@pytest.mark.chaos
def test_a_day_of_1500_notices_takes_hardly_more_memory_than_one_of_400(
    simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    peaks = {}
    for count in (400, 1500):
        simulator.doe.publish_body(DAY, archive(count, padding=20_000))
        with started(database, tmp_path / str(count), "doe", **WINDOW) as crawl:
            assert crawl.process.wait(200) == 0, crawl.log.read_text(encoding="utf-8")
        peaks[count] = crawl.memory.bytes
        assert crawl.select("SELECT count(*) > 0 FROM tender_source") == [(True,)]
        assert list((tmp_path / str(count)).rglob("*.part")) == []
    assert crawl.select("SELECT count(*) FROM tender_source") == [(1500,)]
    assert peaks[1500] - peaks[400] < 60 * MB


@pytest.mark.chaos
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_a_crawl_stopped_within_a_day_reads_it_again_and_loses_nothing(
    simulator: PortalSimulator, database: str, tmp_path: Path, number: signal.Signals
) -> None:
    simulator.doe.publish_body(DAY, archive(1200, padding=2_000))
    with started(database, tmp_path, "doe", **WINDOW) as crawl:
        until = time.monotonic() + 60
        while not crawl.select("SELECT count(*) FROM tender_source")[0][0] and time.monotonic() < until:
            time.sleep(0.01)
        crawl.process.send_signal(number)
        assert crawl.process.wait(60) != 0

    (stored,) = crawl.select("SELECT count(*) FROM tender_source")
    assert 0 < stored[0] < 1200
    cursors = crawl.select("SELECT cursor ->> 'watermark', cursor -> 'marks' FROM source WHERE code = 'doe'")
    assert cursors in ([(None, None)], [(None, {})])

    with started(database, tmp_path, "doe", **WINDOW) as again:
        assert again.process.wait(100) == 0, again.log.read_text(encoding="utf-8")
    assert again.select("SELECT count(*) FROM tender_source") == [(1200,)]
    states = again.select("SELECT state FROM crawl_run ORDER BY id")
    assert states == [("failed" if number == signal.SIGKILL else "cancelled",), ("complete",)]


def test_a_crawl_is_stopped_while_an_archive_comes_and_leaves_nothing_of_it(
    simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    simulator.doe.publish_body(DAY, archive(400, padding=0))
    simulator.fault(EXPORTS_PATH, times=None, kind="drip", rate=20_000, piece=2000)
    with started(database, tmp_path, "doe", **WINDOW) as crawl:
        until = time.monotonic() + 60
        while not list(tmp_path.rglob("*.part")) and time.monotonic() < until:
            time.sleep(0.05)
        crawl.process.terminate()
        assert crawl.process.wait(30) == 1
    assert "Traceback" not in crawl.log.read_text(encoding="utf-8")
    assert crawl.select("SELECT state FROM crawl_run") == [("cancelled",)]
    assert list(tmp_path.rglob("*.part")) == []
