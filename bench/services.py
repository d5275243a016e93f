"""The servers that all contenders of a run share: one simulated portal, one PostgreSQL as the product ships it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psycopg2

from bench.cores import SERVERS, on
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.database.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"


@contextmanager
def portal(notices: int, *options: str) -> Iterator[str]:
    """The simulator as a process of its own, with that many TED notices; its address."""
    command = [sys.executable, "-m", "portal_simulator", "--notices", str(notices), "--releases", "0", *options]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(ROOT)])}
    with on(SERVERS):
        server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        address = server.stdout.readline().strip()
        if not address:
            raise RuntimeError("the simulated portal did not start")
        yield address
    finally:
        server.terminate()
        server.wait(timeout=20)


class Databases:
    """Fresh, migrated databases on one server with the product's own settings (fsync and all)."""

    def __init__(self, server_url: str) -> None:
        self._server_url = server_url
        self._execute("CREATE DATABASE bench_template TEMPLATE template0")
        migrate(self._named("bench_template"))
        self._count = 0

    def fresh(self) -> str:
        """The URL of an empty database; the one before is dropped."""
        self._execute(f"DROP DATABASE IF EXISTS bench_{self._count} WITH (FORCE)")
        self._count += 1
        self._execute(f"CREATE DATABASE bench_{self._count} TEMPLATE bench_template")
        self._execute("CHECKPOINT")
        return self._named(f"bench_{self._count}")

    def _named(self, name: str) -> str:
        return urlsplit(self._server_url)._replace(path=f"/{name}").geturl()

    def _execute(self, statement: str) -> None:
        with closing(psycopg2.connect(self._server_url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement)


@contextmanager
def databases() -> Iterator[Databases]:
    """A server of this run's own."""
    folder = Path(tempfile.mkdtemp(prefix="ts-bench-"))
    folder.chmod(0o755)  # for the account that runs the server for root
    server = Embedded(folder / "pg", idle=5)
    try:
        with on(SERVERS):
            url = server.start()
        yield Databases(url)
    finally:
        server.stop()
        shutil.rmtree(folder)
