"""The laptop's own database is stopped at once while a crawl writes to it, and starts again when it is next needed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from chaos.crawls import SINCE, ted
from chaos.invariants import state, violations
from chaos.report import Outcome, full, publish

from portal_simulator.ted import SEARCH_PATH as TED_PATH
from services.crawling import ROOT, command
from services.embedded_clients import rows, wait_until
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.database.migrate import migrate
from tenderscrapy.database.postmaster import postmaster

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

SEED = int(os.environ.get("CHAOS_SEED", "20261201"))
STOPS = 20 if full() else 4


@pytest.mark.chaos
@pytest.mark.timeout(1800 if full() else 300)
def test_a_database_stopped_during_a_crawl_holds_no_half_of_anything(
    simulator: PortalSimulator, embedded_state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(SEED)
    files = tmp_path / "files"
    crawl = ted(simulator, 0)
    simulator.fault(f"POST {crawl.path}", None, "delay", seconds=0.4)
    server = Embedded(embedded_state.parent / "postgres", idle=60)
    url = server.start()
    migrate(url)
    line = command("ted", since=SINCE, ATTACHMENTS_BUDGET="0.01")
    environment = os.environ | {"VAR_DIR": str(embedded_state.parent), "DATABASE_URL": "", "FILES_STORE": str(files)}
    landed, wrong, log = 0, [], (tmp_path / "log").open("wb")
    for number in range(STOPS):
        crawl = ted(simulator, 3 * (number + 1))  # new notices for every crawl, as one may end in spite of the stop
        asked = len(simulator.requests_to(crawl.path))
        process = subprocess.Popen(line, cwd=ROOT, env=environment, stdout=log, stderr=log)
        wait_until(lambda asked=asked: len(simulator.requests_to(TED_PATH)) > asked)
        time.sleep(draw.random())
        running = process.poll() is None and not crawl.notices <= state(server.start(), crawl).notices
        pid = postmaster(server.state / "data")
        assert pid is not None
        os.kill(pid, signal.SIGQUIT)  # pg_ctl stop -m immediate
        landed += running
        status = process.wait(120)
        now = state(server.start(), crawl)
        wrong += violations(server.start(), files, crawl, now)
        (said, reason), *_ = rows(server.start(), "SELECT state, reason FROM crawl_run ORDER BY id DESC LIMIT 1")
        if not ((status, said, reason) == (0, "complete", "") or (status, said) == (1, "incomplete")):
            wrong.append(f"stop {number}: status {status}, {said} ({reason})")
        if said == "incomplete" and "database" not in str(reason):
            wrong.append(f"stop {number}: {reason}")
    status = subprocess.run(line, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False).returncode
    log.close()
    lost = len(crawl.notices - state(server.start(), crawl).notices)
    publish(Outcome("database stopped at once during a crawl", STOPS, landed, lost, 0,
                    f"{len(crawl.notices):,} notices, no half of a transaction (seed {SEED})"))  # fmt: skip
    server.close()

    assert wrong == [], (tmp_path / "log").read_text()[-3000:]
    assert (status, lost) == (0, 0)
    assert landed >= STOPS * 3 // 4, f"only {landed} stops met uncommitted work"
