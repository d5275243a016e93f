"""Large and slow files never delay a page, and never lie in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chaos.large_files import publish, started

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

MB = 1_000_000
MOST_MEMORY = 500 * MB


@pytest.mark.chaos
def test_pages_are_read_to_the_end_while_four_huge_files_have_hardly_begun(
    simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    slow = [simulator.files.file_url(f"plans{n}.pdf", size=500 * MB, rate=10_000, piece=2000) for n in range(4)]
    publish(simulator, pages=8, files=slow)

    with started(database, tmp_path, ATTACHMENTS_PER_HOST=4) as crawl:
        crawl.wait_until_pages_are_done()
        in_flight = [path.stat().st_size for path in (tmp_path / "files").glob("*.part")]
        assert crawl.process.poll() is None
        assert crawl.select("SELECT count(*) FROM tender_source") == [(2000,)]
        status = crawl.end()

    assert len(in_flight) == 4
    assert max(in_flight) < 50 * MB
    assert status == 0
    assert crawl.select("SELECT state, reason FROM crawl_run") == [("complete", "")]
    assert crawl.select("SELECT status, claimed_until FROM attachment") == [("pending", None)] * 4
    assert list((tmp_path / "files").glob("*.part")) == []
    assert crawl.memory.bytes < MOST_MEMORY


@pytest.mark.chaos
def test_the_time_for_files_ends_a_run_whose_files_are_too_slow_and_they_stay_pending(
    simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    publish(simulator, pages=1, files=[simulator.files.file_url("plans.pdf", size=500 * MB, rate=10_000, piece=2000)])

    with started(database, tmp_path, ATTACHMENTS_BUDGET=1) as crawl:
        status = crawl.process.wait(60)

    assert status == 0, crawl.log.read_text(encoding="utf-8")
    assert crawl.select("SELECT state, attachments_failed FROM crawl_run") == [("complete", 0)]
    assert crawl.select("SELECT status, attempts, claimed_until FROM attachment") == [("pending", 0, None)]


@pytest.mark.chaos
def test_a_large_file_that_comes_fast_is_stored_without_lying_in_memory(
    simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    publish(simulator, pages=1, files=[])
    with started(database, tmp_path / "without") as without:
        assert without.process.wait(120) == 0, without.log.read_text(encoding="utf-8")

    publish(simulator, pages=1, files=[simulator.files.file_url("plans.pdf", size=200 * MB)])
    with started(database, tmp_path / "with") as crawl:
        assert crawl.process.wait(120) == 0, crawl.log.read_text(encoding="utf-8")

    ((status, size, path),) = crawl.select("SELECT status, size, path FROM attachment")
    assert (status, size) == ("ready", 200 * MB)
    assert (tmp_path / "with" / "files" / path).stat().st_size == 200 * MB
    assert crawl.memory.bytes - without.memory.bytes < 60 * MB
