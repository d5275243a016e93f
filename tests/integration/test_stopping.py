"""SIGTERM ends a crawl soon, whatever it is waiting for."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from services.crawling import ROOT, command, environment

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "silence", "seconds": 100},
        {"kind": "drip", "rate": 100, "piece": 10},
        {"kind": "status", "status": 429, "wait": 300},
    ],
    ids=["no answer", "a slow answer", "a rest"],
)
def test_a_crawl_is_stopped_while_it_waits(simulator: PortalSimulator, tmp_path: Path, fault: dict[str, Any]) -> None:
    simulator.fault("POST /v3/notices/search", times=None, **fault)
    line = command("ted", since="2020-01-01", RETRY_AFTER_MAX=900)
    running = subprocess.Popen(line, cwd=ROOT, env=environment(tmp_path / "files"), stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not simulator.requests and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(1)

    running.send_signal(signal.SIGTERM)
    _, log = running.communicate(timeout=30)

    assert running.returncode == 1, log
    assert "Traceback" not in log
    assert "cancelled" in log
