"""What is left of a file when its process is killed, stopped, short of memory or of disk."""

from __future__ import annotations

import resource
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import psutil

from services.crawling import ROOT, command, environment
from services.files import fetch_command

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from portal_simulator import PortalSimulator
    from services.crawling import Crawl
    from services.files import Files

MEGABYTE = 1_000_000


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.05)


def part_of(files: Files, size: int) -> bool:
    return any(path.stat().st_size >= size for path in files.store.glob("*.part"))


def stored(store: Path) -> list[Path]:
    return [path for path in store.rglob("*") if path.is_file() and path.suffix != ".part"]


def test_a_killed_transfer_is_taken_up_by_the_next_process(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    simulator.fault("/files/a.pdf", times=1, kind="drip", rate=50_000, piece=5000)
    files.offer(at("a.pdf", size=MEGABYTE), at("b.pdf", size=1000))
    running = files.start()
    wait_until(lambda: part_of(files, 20_000))

    running.kill()
    running.communicate()

    assert [row["status"] for row in files.rows()] == ["pending", "pending"]
    # what is left of the dead process' lease, which is half a minute, is not what this test is about
    files.select("UPDATE attachment SET claimed_until = now() + interval '3 seconds' WHERE claimed_until > now()")
    run = files.fetch()
    assert run.returncode == 0, run.stderr
    assert [(row["status"], row["size"]) for row in files.rows()] == [("ready", MEGABYTE), ("ready", 1000)]
    assert len(files.select("SELECT * FROM outbox")) == 2  # the tender's own, and one for both files


def test_a_stopped_process_gives_its_files_back_at_once(files: Files, simulator: PortalSimulator) -> None:
    at = simulator.files.file_url
    files.offer(
        at("slow.pdf", size=10 * MEGABYTE, rate=50_000, piece=5000),
        *(at(f"{n}.pdf", size=10 * MEGABYTE, rate=50_000, piece=5000) for n in range(5)),
    )
    running = files.start()
    wait_until(lambda: part_of(files, 20_000))

    stopped = time.monotonic()
    running.send_signal(signal.SIGTERM)
    output, _ = running.communicate(timeout=30)

    assert running.returncode == 1, output
    assert time.monotonic() - stopped < 30
    assert {(row["status"], row["claimed_until"], row["attempts"]) for row in files.rows()} == {("pending", None, 0)}
    assert list(files.store.rglob("*.part")) == []


def test_a_crawl_goes_on_over_its_pages_while_a_file_is_slow(
    files: Files, crawl: Crawl, simulator: PortalSimulator
) -> None:
    slow = simulator.fault(
        lambda request: request.path.startswith("/Notice/Attachment/"), kind="drip", rate=100, piece=50
    )

    run = crawl("contracts_finder", since="2020-01-01", ATTACHMENTS_BUDGET=2)

    assert run.returncode == 0, run.stderr
    assert slow.seen == 1
    (crawled,) = files.select("SELECT state, fetched, attachments_ok, attachments_failed FROM crawl_run")
    assert (crawled["state"], crawled["fetched"], crawled["attachments_failed"]) == ("complete", 60, 0)
    statuses = [row["status"] for row in files.rows()]
    assert statuses.count("pending") >= 1
    assert crawled["attachments_ok"] == statuses.count("ready")


def test_a_crawl_that_is_stopped_among_its_files_leaves_them_pending(
    files: Files, simulator: PortalSimulator, tmp_path: Path
) -> None:
    simulator.fault(
        lambda request: request.path.startswith("/Notice/Attachment/"), times=None, kind="drip", rate=100, piece=50
    )
    line = command("contracts_finder", since="2020-01-01")
    running = subprocess.Popen(line, cwd=ROOT, env=environment(tmp_path / "files"), stderr=subprocess.PIPE, text=True)
    wait_until(lambda: part_of(files, 50))
    wait_until(lambda: files.select("SELECT 1 FROM crawl_run WHERE fetched = 60"))

    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=30)

    assert {(row["status"], row["claimed_until"]) for row in files.rows()} == {("pending", None)}
    (crawled,) = files.select("SELECT state FROM crawl_run")
    assert crawled["state"] != "running"


def test_memory_does_not_grow_with_the_size_of_a_file(files: Files, simulator: PortalSimulator) -> None:
    files.offer(*(simulator.files.file_url(f"{n}.pdf", size=120 * MEGABYTE) for n in range(2)))
    running = files.start()
    process = psutil.Process(running.pid)
    peak = 0

    while running.poll() is None:
        try:
            peak = max(peak, process.memory_info().rss)
        except psutil.NoSuchProcess:
            break
        time.sleep(0.02)
    output, _ = running.communicate()

    assert [(row["status"], row["size"]) for row in files.rows()] == [("ready", 120 * MEGABYTE)] * 2, output
    assert peak < 230 * MEGABYTE  # two thirds of what the two files have


def test_a_full_disk_leaves_the_file_pending_and_says_so(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("a.pdf", size=3 * MEGABYTE))

    run = subprocess.run(
        fetch_command([], {}),
        cwd=ROOT,
        env=environment(files.store),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MEGABYTE, MEGABYTE)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert run.returncode == 0, run.stderr
    row = files.row()
    assert (row["status"], row["attempts"]) == ("pending", 0)
    assert row["error_message"] == "the file cannot be written: File too large"
    assert stored(files.store) == []
    assert list(files.store.glob("*.part")) == []


def test_a_store_that_cannot_be_written_leaves_files_pending(files: Files, simulator: PortalSimulator) -> None:
    files.offer(simulator.files.file_url("a.pdf"))
    files.store.write_text("a file where the folder should be")

    run = files.fetch()

    assert run.returncode == 0, run.stderr
    row = files.row()
    assert (row["status"], row["attempts"]) == ("pending", 0)
    assert row["error_message"].startswith("the file cannot be written: ")


def test_an_outage_of_the_database_loses_no_file(files: Files, simulator: PortalSimulator) -> None:
    files.offer(*(simulator.files.file_url(f"{n}.pdf", delay=2) for n in range(3)))
    running = files.start()
    wait_until(lambda: len(simulator.requests_to("/files/")) >= 1)

    files.select(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tenderscrapy attachments'"
    )
    output, _ = running.communicate(timeout=120)

    assert running.returncode == 0, output
    assert [row["status"] for row in files.rows()] == ["ready"] * 3
