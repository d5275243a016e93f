"""What comes after a run that did not end well: its row is closed, what it stored is of use, nothing is skipped."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import psycopg2

from portal_simulator import invented_ted_notices
from services import breaking
from services.crawling import ROOT, command, environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from portal_simulator import PortalSimulator
    from services.crawling import Crawl
    from services.indexing import Index

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
RUN = "SELECT state, reason FROM crawl_run WHERE source_code = %s ORDER BY id"


def test_what_a_killed_crawl_stored_is_indexed_and_any_next_crawl_closes_its_run(
    simulator: PortalSimulator, crawl: Crawl, index: Index, ask: Callable[..., list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    simulator.ted.notices = invented_ted_notices(500)
    simulator.fault("/v3/notices/search", None, "delay", seconds=60, after=1)
    process = subprocess.Popen(command("ted", since=SINCE), cwd=ROOT, env=environment(tmp_path / "files"))
    end = time.monotonic() + 60
    while not ask("SELECT 1 FROM tender LIMIT 1"):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert ask(RUN, "ted") == [("running", "")]

    run = index.run("--once")
    assert run.returncode == 0, run.stderr
    assert ask("SELECT index_status, count(*) FROM tender GROUP BY 1") == [("ready", 250)]

    assert crawl("sample", ATTACHMENTS_BUDGET=1).returncode == 0
    assert ask(RUN, "ted") == [("failed", "the process ended without a word")]
    assert ask("SELECT finished_at = seen_alive_at, cursor ->> 'watermark' FROM crawl_run, source WHERE code = 'ted' "
               "AND source_code = 'ted'") == [(True, None)]  # fmt: skip


def test_a_run_elsewhere_is_left_alone_for_as_long_as_its_lock_is_held(
    crawl: Crawl, database: str, ask: Callable[..., list[tuple[Any, ...]]]
) -> None:
    with closing(psycopg2.connect(database)) as elsewhere, elsewhere.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtextextended('crawl ted', 0))")
        cursor.execute("INSERT INTO crawl_run (source_code, spider, process) VALUES ('ted', 'ted', 'far:1')")
        elsewhere.commit()
        assert crawl("sample", ATTACHMENTS_BUDGET=1).returncode == 0
        assert ask(RUN, "ted") == [("running", "")]
    assert crawl("sample", ATTACHMENTS_BUDGET=1).returncode == 0
    assert ask(RUN, "ted") == [("failed", "the process ended without a word")]


def test_a_notice_left_out_is_read_again_also_when_another_run_ends_the_walk(
    simulator: PortalSimulator,
    crawl: Crawl,
    ask: Callable[..., list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    simulator.ted.notices = notices = invented_ted_notices(500)
    victim = max(n["publication-number"] for n in notices)
    broken = {"ADDONS": breaking.ADDON, "BREAK": "mapper", "BREAK_OVER": victim, "max_pages": 1}
    assert crawl("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01", **broken).returncode == 1

    again = crawl("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01")
    assert (again.returncode, ask(RUN, "ted")[-1][0]) == (1, "incomplete")
    assert "an earlier run of this walk had left notices out" in ask(RUN, "ted")[-1][1]
    assert ask("SELECT count(*) FROM tender_source") == [(499,)]
    assert ask("SELECT cursor ->> 'watermark' FROM source WHERE code = 'ted'") == [(None,)]

    assert crawl("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01").returncode == 0
    assert ask("SELECT count(*) FROM tender_source") == [(500,)]
