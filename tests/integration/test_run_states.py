"""What a fault makes of a run: its state, the reason, the exit status, and where its cursor stands, at one glance."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from portal_simulator import invented_ted_notices
from services import breaking
from services.crawling import ROOT, command, environment
from services.postgresql import execute, with_name
from tenderscrapy.database.pool import connect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from portal_simulator import PortalSimulator

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
SEARCH = "/v3/notices/search"
PER_PAGE = 3

START, WALKED, KEPT = "not moved", "watermark moved", "walk ended, watermark stays"
EMPTY = "walk ended, no notice to move the watermark"


@dataclass(frozen=True)
class Row:
    """``portal`` prepares the simulator; ``during(process, database)`` acts once the first page is stored."""

    fault: str
    portal: Callable[[PortalSimulator], None]
    state: str
    reason: str
    status: int
    cursor: str
    options: dict[str, str] = field(default_factory=dict)
    during: Callable[[subprocess.Popen[str], str], None] | None = None


def chain(pages: int = 8, announced: int | None = None, end: str = "empty") -> Callable[[PortalSimulator], None]:
    """Pages of three notices; the last one is ``empty``, names no token (``cut``) or a token again (``loop``)."""

    def prepare(simulator: PortalSimulator) -> None:
        total = pages * PER_PAGE if announced is None else announced
        for number in range(pages):
            last = number == pages - 1
            token = None if last and end == "cut" else "t0" if last and end == "loop" else f"t{number}"
            _answer(simulator, range(number * PER_PAGE + 1, (number + 1) * PER_PAGE + 1), total, token)
        _answer(simulator, range(0), total, "end")

    return prepare


def _answer(simulator: PortalSimulator, numbers: range, total: int | None, token: str | None) -> None:
    notices = [
        {
            "publication-number": f"{n}-2026",
            "title-proc": {"eng": f"Bus shelters {n}"},
            "publication-date": "2026-11-02Z",
        }
        for n in numbers
    ]
    page = {"notices": notices, "totalNoticeCount": total, "iterationNextToken": token, "timedOut": False}
    page = {name: value for name, value in page.items() if value is not None}
    simulator.fault(SEARCH, 1, "status", status=200, body=json.dumps(page), media_type="application/json")


def no_count(simulator: PortalSimulator) -> None:
    _answer(simulator, range(0), None, "end")


def slow(simulator: PortalSimulator) -> None:
    """Two full pages; all but the first take their time."""
    simulator.ted.notices = invented_ted_notices(500)
    simulator.fault(SEARCH, None, "delay", seconds=3, after=1)


def stuck(simulator: PortalSimulator) -> None:
    simulator.ted.notices = invented_ted_notices(1000)
    simulator.fault(SEARCH, None, "silence", seconds=100, after=1)


def failing(status: int) -> Callable[[PortalSimulator], None]:
    """The second page is never to be had."""

    def prepare(simulator: PortalSimulator) -> None:
        simulator.ted.notices = invented_ted_notices(1000)
        simulator.fault(SEARCH, None, "status", status=status, after=1)

    return prepare


def send(*signals: signal.Signals) -> Callable[[subprocess.Popen[str], str], None]:
    def act(process: subprocess.Popen[str], _database: str) -> None:
        for number in signals:
            process.send_signal(number)
            time.sleep(0.3)

    return act


_SESSIONS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tenderscrapy crawl ted'"


def lose_connection(_process: subprocess.Popen[str], database: str) -> None:
    _rows(database, _SESSIONS)


def lose_database(_process: subprocess.Popen[str], database: str) -> None:
    name = database.rsplit("/", 1)[1]
    execute(with_name(database, "postgres"), f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    execute(with_name(database, "postgres"), f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{name}' AND application_name LIKE 'tenderscrapy%crawl%'")  # fmt: skip


def fill_disk(_process: subprocess.Popen[str], database: str) -> None:
    """From now on the server answers as it does when its disk is full."""
    execute(
        database,
        """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
           CREATE TRIGGER full_disk BEFORE INSERT ON tender_source EXECUTE FUNCTION full_disk()""",
    )


BREAK = {"ADDONS": breaking.ADDON}
FIRST = "first page stored"

TABLE = [
    #   fault, portal, state, reason, exit status, cursor
    Row("none", chain(), "complete", "", 0, WALKED),
    Row("max_pages", chain(), "complete", "ended after 2 page(s) as asked", 0, "t1", {"max_pages": "2"}),
    Row("nothing published", chain(0), "complete", "", 0, EMPTY),
    Row("no rows of 300", chain(0, 300), "incomplete", "announced 300 notices and gave 0", 1, EMPTY),
    Row("no rows, no count", no_count, "incomplete", "neither a notice nor", 1, EMPTY),
    Row("fewer than announced", chain(3, 300), "incomplete", "announced 300 notices and gave 9", 1, KEPT),
    Row("no token after page 3", chain(3, 300, "cut"), "incomplete", "announced 300 notices and gave 9", 1, KEPT),
    Row("repeated cursor", chain(3, 300, "loop"), "failed", "page 3 names a cursor that was followed", 1, "t1"),
    Row("page answers 503", failing(503), "incomplete", "503", 1, FIRST, {"RETRY_TIMES": "1"}),
    Row("page answers 404", failing(404), "failed", "404", 1, FIRST),
    Row("start dies", chain(), "failed", "KeyError in the spider: 'broken'", 1, START, BREAK | {"BREAK": "start"}),
    Row("parse dies", chain(), "failed", "KeyError in the spider: 'broken'", 1, START, BREAK | {"BREAK": "parse"}),
    Row("mapper dies", chain(), "incomplete", "KeyError in the mapper", 1, KEPT, BREAK | {"BREAK": "mapper"}),
    Row("pipeline dies, not stored", chain(), "incomplete", "KeyError in a pipeline", 1, START,
        BREAK | {"BREAK": "before_storage"}),
    Row("pipeline dies, stored", chain(), "incomplete", "KeyError in a pipeline", 1, WALKED,
        BREAK | {"BREAK": "after_storage"}),
    Row("SIGTERM", slow, "cancelled", "stopped by a signal", 1, FIRST, during=send(signal.SIGTERM)),
    Row("SIGINT", slow, "cancelled", "stopped by a signal", 1, FIRST, during=send(signal.SIGINT)),
    Row("SIGINT twice", stuck, "cancelled", "stopped", 1, FIRST, during=send(signal.SIGINT, signal.SIGINT)),
    Row("SIGKILL", slow, "running", "", -9, FIRST, during=send(signal.SIGKILL)),
    Row("connection to the database lost, and back", slow, "complete", "", 0, WALKED, during=lose_connection),
    Row("database lost", slow, "running", "", 1, FIRST, during=lose_database),
    Row("database's disk full", slow, "incomplete", "DiskFull", 1, FIRST, during=fill_disk),
]  # fmt: skip


@pytest.mark.parametrize("row", TABLE, ids=[row.fault for row in TABLE])
def test_a_run_says_what_happened(
    simulator: PortalSimulator, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: Row
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests"))
    row.portal(simulator)
    log = tmp_path / "log"
    line = command("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01", **row.options)
    with log.open("w") as output:
        process = subprocess.Popen(line, cwd=ROOT, env=environment(tmp_path), stdout=output, stderr=output, text=True)
    try:
        if row.during:
            until(
                lambda: (
                    process.poll() is None and bool(_rows(database, "SELECT 1 FROM source WHERE cursor IS NOT NULL"))
                )
            )
            row.during(process, database)
        status = process.wait(120)
    finally:
        process.kill()
    execute(with_name(database, "postgres"), f"ALTER DATABASE {database.rsplit('/', 1)[1]} ALLOW_CONNECTIONS true")

    ((state, reason),) = _rows(database, "SELECT state, reason FROM crawl_run")
    assert (state, status) == (row.state, row.status), log.read_text()
    assert row.reason in reason if row.reason else not reason
    assert where(database) == row.cursor


def where(database: str) -> str:
    """Where the cursor stands, in the words of the table."""
    stored = _rows(database, "SELECT cursor FROM source WHERE code = 'ted' AND cursor IS NOT NULL")
    if not stored:
        return START
    cursor: dict[str, Any] = stored[0][0]
    committed = _rows(database, "SELECT count(*) FROM tender_source")[0][0]
    assert cursor["fetched"] <= committed or cursor["position"] is None
    if cursor["position"] is None:
        return EMPTY if not committed else WALKED if cursor["watermark"] else KEPT
    assert cursor["watermark"] is None
    return str(cursor["position"]) if cursor["fetched"] < 250 else FIRST


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _rows(database: str, query: str) -> list[tuple[Any, ...]]:
    with closing(connect(database, autocommit=True)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()
