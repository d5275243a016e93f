"""The schema: applied once, whole, by however many processes."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg2
import pytest
from yoyo import get_backend, read_migrations

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
    applied = rows(database, "SELECT migration_id FROM _yoyo_migration ORDER BY applied_at_utc")
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
    assert rows(database, "SELECT migration_id FROM _yoyo_migration WHERE migration_id > '9'") == [("9001_good",)]


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


@pytest.mark.parametrize("step", ["m.Backend.log_migration", "m.Backend.mark_one", "ledger.mark_schema_version"])
def test_a_migrator_killed_before_its_mark_has_applied_nothing(empty: str, step: str) -> None:
    program = (
        "import os, sys; from tenderscrapy.database import migrate as m; from yoyo import internalmigrations as ledger;"
        f"{step} = lambda *_, **__: os.kill(os.getpid(), 9); m.migrate(sys.argv[1])"
    )
    assert subprocess.run([sys.executable, "-c", program, empty], cwd=PROJECT, check=False).returncode == -9
    assert rows(empty, "SELECT to_regclass('source')::text") == [(None,)]
    assert migrate(empty) == [migration.id for migration in migrations()]


def test_a_server_that_ends_during_a_migration_is_named_as_the_reason(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deadly = Migration("9001_deadly", "SELECT pg_terminate_backend(pg_backend_pid())")
    monkeypatch.setattr(migrate_module, "migrations", lambda: [*migrations(), deadly])
    with pytest.raises(DatabaseUnavailableError, match=r"9001_deadly failed: .*server closed the connection"):
        migrate(database)


def test_a_database_that_may_not_be_changed_is_refused_only_when_something_is_missing(
    database: str, empty: str
) -> None:
    for url in (database, empty):
        rows(url, f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    assert migrate(database) == []
    with pytest.raises(DatabaseUnavailableError, match=r"of the ledger failed: .*read-only transaction"):
        migrate(empty)


def test_neither_the_name_server_nor_the_systems_accounts_are_asked(
    empty: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("socket.getfqdn", "getpass.getuser", "uuid.getnode"):
        monkeypatch.setattr(name, lambda: pytest.fail("asked"))
    assert migrate(empty) == [migration.id for migration in migrations()]
    assert rows(empty, "SELECT DISTINCT hostname, username FROM _yoyo_log") == [(None, None)]


def test_what_a_migration_selects_is_not_printed(
    database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(migrate_module, "migrations", lambda: [*migrations(), Migration("9001_loud", "SELECT 1")])
    assert migrate(database) == ["9001_loud"]
    assert capsys.readouterr().out == ""


def test_yoyos_own_reader_and_backend_find_the_same_order_and_nothing_to_apply(database: str) -> None:
    files = read_migrations(str(PROJECT / "tenderscrapy/database/migrations"))
    with get_backend(database) as backend:
        assert [file.id for file in backend.to_rollback(files)] == [file.id for file in reversed(migrations())]
        assert list(backend.to_apply(files)) == []
    assert all(after.depends == {before} for before, after in pairwise(files))


def test_a_migration_changed_afterwards_and_one_of_a_newer_version_are_warned_of(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    rows(database, "UPDATE _yoyo_log SET comment = 'other' WHERE migration_id = '0001_sources'")
    rows(database, "INSERT INTO _yoyo_migration VALUES ('hash', '9999_later', now())")
    assert migrate(database) == []
    assert "migration 0001_sources was changed after it had been applied here" in caplog.text
    assert "newer than this version, it has 9999_later" in caplog.text


def test_migrations_and_queries_are_read_from_a_zipped_egg(empty: str, tmp_path: Path) -> None:
    egg = tmp_path / "tenderscrapy.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for file in (PROJECT / "tenderscrapy").rglob("*"):
            if file.suffix in {".py", ".sql"}:
                archive.write(file, file.relative_to(PROJECT))
    program = (
        "import sys; from tenderscrapy.database import migrate as m, queries as q; print(*m.migrate(sys.argv[1]),"
        "m.migrate(sys.argv[1]), q.queries('sources').available_queries != [])"
    )
    paths = [str(egg), *(path for path in sys.path if path.endswith("site-packages"))]
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, empty],
        env={"PYTHONPATH": os.pathsep.join(paths)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == [*(migration.id for migration in migrations()), "[]", "True"]
