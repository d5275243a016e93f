"""Writers go on, and lose nothing that was committed, while server, keeper and writers are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from services.embedded_clients import keeper, rows, wait_until
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.database.postmaster import postmaster

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[2]
WRITER = """
import sys, psycopg2
from tenderscrapy.exceptions import DatabaseUnavailableError
from tenderscrapy.database.pool import connect, transaction
connection, number = None, 0
while True:
    try:
        connection = connection or connect()
        with transaction(connection), connection.cursor() as cursor:
            cursor.execute("INSERT INTO written VALUES (%s, %s)", (sys.argv[1], number))
        print(number, flush=True)  # only what was committed
    except (psycopg2.Error, DatabaseUnavailableError):
        connection = None
    number += 1
"""


class Writers:
    """Running writers by name, and what they have reported; killed all at the end."""

    def __init__(self, var: Path, reports: Path) -> None:
        self.var, self.reports = var, reports
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        environment = {**os.environ, "VAR_DIR": str(self.var), "DATABASE_URL": "", "DATABASE_IDLE": "1"}
        command = [sys.executable, "-c", WRITER, name]
        with (self.reports / name).open("wb") as report:
            self.running[name] = subprocess.Popen(command, cwd=PROJECT, env=environment, stdout=report)

    def kill(self, name: str) -> None:
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def reported(self) -> dict[str, list[int]]:
        # the last line of a killed writer may be cut
        return {path.name: [int(n) for n in path.read_text().split("\n")[:-1]] for path in self.reports.iterdir()}

    def wait_for(self, more: int) -> None:
        """Until every running writer has reported so many rows more."""
        before = {name: len(self.reported()[name]) for name in self.running}
        wait_until(lambda: all(len(self.reported()[name]) >= before[name] + more for name in before))


@pytest.fixture
def writers(embedded_state: Path, tmp_path: Path) -> Iterator[Writers]:
    writers = Writers(embedded_state.parent, tmp_path)
    yield writers
    for name in list(writers.running):
        writers.kill(name)


@pytest.mark.chaos
def test_every_reported_row_is_there_after_server_keeper_and_writers_were_killed(writers: Writers) -> None:
    server = Embedded(writers.var / "postgres", idle=1, settings={"fsync": "off"})
    rows(server.start(), "CREATE TABLE written (writer text, number integer)")
    for name in ("a", "b"):
        writers.start(name)
    for number, victim in enumerate(["server", "writer", "keeper", "server", "keeper", "writer"]):
        writers.wait_for(50)
        if victim == "writer":
            writers.kill("a" if "a" in writers.running else "b")
            writers.start(f"successor of {number}")
        elif pid := keeper(server.state).pid if victim == "keeper" else postmaster(server.state / "data"):
            os.kill(pid, signal.SIGKILL)
    writers.wait_for(50)
    for name in list(writers.running):
        writers.kill(name)
    found = rows(server.start(), "SELECT writer, number FROM written")
    assert {(name, n) for name, numbers in writers.reported().items() for n in numbers} <= set(found)
    assert len(found) == len(set(found))
