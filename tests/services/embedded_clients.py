"""What the tests of the embedded server look at from outside: its processes, and clients in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import psycopg2

from tenderscrapy.database.postmaster import postmaster

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).resolve().parents[2]
CLIENT = """
import sys
from pathlib import Path
from tenderscrapy.database.embedded import Embedded
server = Embedded(Path(sys.argv[1]), idle=1, settings={"fsync": "off"})
print(server.start(), flush=True)
sys.stdin.read()
"""


def client(state: Path, *, python: str = sys.executable, user: int | None = None) -> subprocess.Popen[str]:
    """A process that needs the server over ``state`` until its input is closed; it prints the URL first."""
    account = {"user": user, "group": user, "extra_groups": []} if user is not None else {}
    paths = [str(PROJECT), *(path for path in sys.path if path.endswith("site-packages"))]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths), "SECRET_KEY": "not for the keeper"}
    return subprocess.Popen(
        [python, "-c", CLIENT, str(state)], text=True, cwd="/", env=environment,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, **account,
    )  # fmt: skip


def url_of(process: subprocess.Popen[str]) -> str:
    """The URL that a client printed."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def end(process: subprocess.Popen[str]) -> None:
    """Let a client come to its end."""
    process.communicate()


def keeper(state: Path) -> psutil.Process:
    """The keeper of a running server."""
    return psutil.Process(int((state / "keeper.lock").read_text()))


def server_processes(data: Path) -> list[psutil.Process]:
    """The server process and all that it started."""
    found = postmaster(data)
    assert found is not None
    return [psutil.Process(found), *psutil.Process(found).children(recursive=True)]


def gone(process: psutil.Process) -> bool:
    """Whether a process has ended; whether its parent has noticed does not matter."""
    try:
        return not process.is_running() or process.status() in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return True


def wait_until(condition: Callable[[], bool]) -> None:
    """Return once the condition holds; the test's own time limit ends a wait in vain."""
    while not condition():
        time.sleep(0.05)


def rows(url: str, statement: str = "SELECT n FROM kept ORDER BY n") -> list[tuple[object, ...]]:
    """What a statement gives, committed."""
    with closing(psycopg2.connect(url)) as connection, connection, connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def keep_rows(url: str) -> None:
    """Commit three rows that a later server has to show."""
    rows(url, "CREATE TABLE kept AS SELECT n FROM generate_series(1, 3) n")
