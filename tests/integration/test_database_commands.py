"""``scrapy initdb`` and ``scrapy psql``, as an operator calls them."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import psycopg2
import pytest

from services.postgresql import execute, with_name
from tenderscrapy.database.embedded import Embedded
from tenderscrapy.database.migrate import migrations

PROJECT = Path(__file__).resolve().parents[2]


def scrapy(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command's result; a variable given as "" is not set."""
    command = [sys.executable, "-m", "scrapy", *arguments]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=PROJECT, env=variables, capture_output=True, text=True, check=False)


def test_initdb_makes_an_empty_database_ready_and_may_be_repeated(database: str, database_server: str) -> None:
    name = f"{database.rpartition('/')[2]}_empty"
    execute(database_server, f"CREATE DATABASE {name}")
    url = with_name(database_server, name)
    try:
        for applied in (len(migrations()), 0):
            result = scrapy("initdb", DATABASE_URL=url)
            assert (result.returncode, result.stderr) == (0, "")
            assert f"{applied} migration(s) applied" in result.stdout
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT code FROM source")
            assert {"ted", "contracts_finder", "sample:ted"} <= {code for (code,) in cursor.fetchall()}
    finally:
        execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


def test_without_a_database_url_the_embedded_server_is_used(embedded_state: Path) -> None:
    laptop = {"DATABASE_URL": "", "VAR_DIR": str(embedded_state.parent), "DATABASE_IDLE": "1"}
    server = Embedded(embedded_state.parent / "postgres")
    try:
        assert f"data in {server.state / 'data'}" in scrapy("initdb", **laptop).stdout
        url = scrapy("psql", "--url", **laptop).stdout.strip()
        with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM tender")
            assert cursor.fetchall() == [(0,)]
    finally:
        server.stop()


def test_psql_on_the_embedded_server_keeps_it_running_for_longer_than_its_idle_time(embedded_state: Path) -> None:
    laptop = {"DATABASE_URL": "", "VAR_DIR": str(embedded_state.parent), "DATABASE_IDLE": "0.3"}
    try:
        result = scrapy("psql", "-c", "SELECT pg_sleep(1)", "-c", "SELECT 40 + 2 AS answer", **laptop)
        assert (result.returncode, result.stderr) == (0, "")
        assert " answer \n--------\n     42\n" in result.stdout
    finally:
        Embedded(embedded_state.parent / "postgres").stop()


def test_psql_prints_rows_of_the_database_that_is_set(database: str) -> None:
    result = scrapy("psql", "-c", "SELECT current_database() AS name", DATABASE_URL=database)
    assert result.returncode == 0
    assert database.rpartition("/")[2] in result.stdout


def test_psql_ends_with_the_status_of_psql(database: str) -> None:
    result = scrapy("psql", "-c", "SELECT nonsense", DATABASE_URL=database)
    assert result.returncode == 1
    assert 'column "nonsense" does not exist' in result.stderr


def test_psql_url_prints_the_address_alone(database: str) -> None:
    assert scrapy("psql", "--url", DATABASE_URL=database).stdout == f"{database}\n"


@pytest.mark.parametrize("command", ["initdb", "psql"])
def test_an_unreachable_database_is_said_without_a_traceback_or_a_password(command: str) -> None:
    result = scrapy(command, DATABASE_URL="postgresql://someone:secret-word@127.0.0.1:1/tenders")
    assert result.returncode == 1
    assert result.stderr.startswith(f"scrapy {command}: PostgreSQL at 127.0.0.1:1/tenders cannot be used")
    assert "secret-word" not in result.stderr
    assert "Traceback" not in result.stderr
