"""The schema: applied once, whole, by however many processes."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg2
import pytest

from services.embedded_clients import rows, wait_until
from services.postgresql import execute, with_name
from tenderscrapy.database import migrate as migrate_module
from tenderscrapy.database.migrate import Migration, migrate, migrations
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def empty(database: str, database_server: str) -> Iterator[str]:
    """The URL of a database without a schema."""
    name = f"{database.rpartition('/')[2]}_empty"
    execute(database_server, f"CREATE DATABASE {name} TEMPLATE template0")
    yield with_name(database_server, name)
    execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


def test_a_fresh_database_has_every_migration_and_needs_no_more(database: str) -> None:
    applied = rows(database, "SELECT id FROM schema_migration ORDER BY id")
    assert applied == [(migration.id,) for migration in migrations()]
    states = "SELECT tender_state('open', now() - interval '1 day', now()), text_config('de')::text"
    assert rows(database, states) == [("closed", "german")]
    assert migrate(database) == []


def test_processes_that_migrate_at_once_apply_each_migration_once(empty: str) -> None:
    program = "import sys; from tenderscrapy.database.migrate import migrate; print(*migrate(sys.argv[1]))"
    command = [sys.executable, "-W", "error", "-c", program, empty]
    processes = [subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    applied = [name for process in processes for name in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    assert sorted(applied) == [migration.id for migration in migrations()]


def test_nothing_is_locked_when_there_is_nothing_to_apply(database: str) -> None:
    with closing(psycopg2.connect(database)) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", (migrate_module.LOCK,))
        assert migrate(database) == []


def test_a_failed_migration_leaves_nothing_of_itself_and_all_before_it(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = Migration("9001_good", "CREATE TABLE good ()"), Migration("9002_bad", "CREATE TABLE bad (); SELECT 1/0")
    monkeypatch.setattr(migrate_module, "migrations", lambda: [*migrations(), good, bad])
    with pytest.raises(DatabaseUnavailableError, match=r"Migration 9002_bad failed: .*division by zero"):
        migrate(database)
    assert rows(database, "SELECT to_regclass('good')::text, to_regclass('bad')::text") == [("good", None)]
    assert rows(database, "SELECT id FROM schema_migration WHERE id > '9'") == [("9001_good",)]


def test_a_migrator_killed_half_way_leaves_nothing_and_the_next_one_goes_on(database: str) -> None:
    sql = "SET LOCAL client_connection_check_interval = 100; CREATE TABLE half (); SELECT pg_sleep(600)"
    program = (
        "import sys; from tenderscrapy.database import migrate as m; m.migrations = lambda before=m.migrations:"
        f"[*before(), m.Migration('9001_slow', {sql!r})]; m.migrate(sys.argv[1])"
    )
    killed = subprocess.Popen([sys.executable, "-c", program, database], cwd=PROJECT)
    sleeping = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    wait_until(lambda: rows(database, sleeping) == [(1,)])
    killed.kill()
    killed.wait()
    with closing(psycopg2.connect(database)) as other, other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s), to_regclass('half')", (migrate_module.LOCK,))
        assert cursor.fetchone() == ("", None)
    assert migrate(database) == []


def test_a_migration_changed_afterwards_and_one_of_a_newer_version_are_warned_of(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    rows(database, "UPDATE schema_migration SET sha256 = '' WHERE id = '0001_sources'")
    rows(database, "INSERT INTO schema_migration VALUES ('9999_later', '')")
    assert migrate(database) == []
    assert "migration 0001_sources was changed after it had been applied here" in caplog.text
    assert "newer than this version, it has 9999_later" in caplog.text


def test_migrations_and_queries_are_read_from_a_zipped_egg(tmp_path: Path) -> None:
    egg = tmp_path / "tenderscrapy.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in (PROJECT / "tenderscrapy").rglob("*"):
            if file.suffix in {".py", ".sql"}:
                archive.write(file, file.relative_to(PROJECT))
    program = (
        "from tenderscrapy.database.migrate import migrations; from tenderscrapy.database.queries import queries;"
        "print(len(migrations()), queries('sources').available_queries != [])"
    )
    paths = [str(egg), *(path for path in sys.path if path.endswith("site-packages"))]
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": os.pathsep.join(paths)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == [str(len(migrations())), "True"]
