"""A real PostgreSQL for tests: one server a session, one fresh migrated database a test."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg2
import pytest

from tenderscrapy.config import config
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.database.migrate import migrate
from tenderscrapy.database.pool import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SETTINGS = {"fsync": "off", "shared_buffers": "64MB"}
NAMES = count()


@pytest.fixture(scope="session")
def database_server() -> Iterator[str]:
    """The URL of a server: TEST_DATABASE_URL, else DATABASE_URL, else an embedded one that ends with the session."""
    if url := os.environ.get("TEST_DATABASE_URL") or os.environ.get("DATABASE_URL"):
        yield url
        return
    # short, for the socket's path, and open to the account that runs the server for root
    folder = Path(tempfile.mkdtemp(prefix="ts-"))
    folder.chmod(0o755)
    server = Embedded(folder / "pg", idle=2, settings=SETTINGS)
    try:
        yield server.start()
    finally:
        server.stop()
        shutil.rmtree(folder)


@pytest.fixture
def embedded_state() -> Iterator[Path]:
    """A folder for a server of the test's own, below one that every account can enter."""
    root = Path(tempfile.mkdtemp(prefix="ts-"))
    root.chmod(0o755)
    yield root / "pg"
    for folder in root.iterdir():
        Embedded(folder).stop()
    shutil.rmtree(root)


@pytest.fixture(scope="session")
def database_template(database_server: str) -> Iterator[str]:
    """The name of a migrated database that nobody is connected to."""
    name = f"template_{os.getpid()}"
    execute(database_server, f"CREATE DATABASE {name} TEMPLATE template0")
    migrate(with_name(database_server, name))
    yield name
    execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(database_server: str, database_template: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a fresh migrated database, which is also DATABASE_URL while the test runs."""
    name = f"test_{os.getpid()}_{next(NAMES)}"
    execute(database_server, f"CREATE DATABASE {name} TEMPLATE {database_template}")
    url = with_name(database_server, name)
    monkeypatch.setenv("DATABASE_URL", url)
    config.cache_clear()
    try:
        yield url
    finally:
        config.cache_clear()
        execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def ask(database: str) -> Iterator[Callable[..., list[tuple[Any, ...]]]]:
    """``ask("SELECT ...", *values)``: the rows, as they are committed now."""
    with closing(connect(database, autocommit=True)) as connection, connection.cursor() as cursor:

        def rows(sql: str, *values: object) -> list[tuple[Any, ...]]:
            cursor.execute(sql, values or None)
            return cursor.fetchall()

        yield rows


def with_name(url: str, name: str) -> str:
    """The URL of another database on the same server."""
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def execute(url: str, statement: str) -> None:
    """Run one statement outside of a transaction, as creating and dropping a database asks for."""
    with closing(psycopg2.connect(url)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(statement)
