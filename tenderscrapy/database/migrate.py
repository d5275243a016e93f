"""Bring a database to the schema of this version: the files of migrations/, in the order of their names, run by yoyo.

A file, its mark and its log entry are one transaction, so a migrator that is killed leaves nothing half done; the lock
is the transaction's own and dies with it.
"""

from __future__ import annotations

import hashlib
import logging
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime
from importlib import resources
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import psycopg2
import yoyo.migrations
from yoyo.backends.core.postgresql import PostgresqlBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import MigrationList, MigrationStep

from tenderscrapy.database.embedded import database_url
from tenderscrapy.database.pool import connect
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg2.extensions import connection

logger = logging.getLogger(__name__)
# it says that a migration is applied before the transaction is committed
yoyo.migrations.logger.setLevel(logging.WARNING)

LOCK = 0x74656E64  # one number for all versions, so that they exclude each other


class Migration(yoyo.migrations.Migration):
    """One file as one step, sent to the server as it is.

    yoyo's own reader wants a path, and in a zipped egg takes the name of a temporary file for the id; it also splits
    the text into statements by its own grammar, and prints what a statement returns.
    """

    def __init__(self, name: str, sql: str) -> None:
        super().__init__(name, f"{name}.sql", "migrations")
        self._sql = sql
        self._depends: set[Migration] = set()
        self.steps = [MigrationStep(0, self._execute, None)]

    @property
    def sha256(self) -> str:
        """What tells whether the file was changed after it had been applied."""
        return hashlib.sha256(self._sql.encode()).hexdigest()

    def _execute(self, database: connection) -> None:
        with database.cursor() as cursor:
            cursor.execute(self._sql)


class Backend(PostgresqlBackend):
    """yoyo on one connection, with a lock that ends with its holder in place of a row that stays.

    Its log keeps the file's SHA-256 as the comment, and not who ran it where: that asks the name server and the
    system's accounts, which may hang or fail in a container.
    """

    log_migration_sql = (
        "INSERT INTO {0.log_table_quoted} (id, migration_hash, migration_id, operation, comment, created_at_utc) "
        "VALUES (:id, :migration_hash, :migration_id, :operation, :comment, :created_at_utc)"
    )

    def __init__(self, url: str) -> None:
        address = DatabaseURI("postgresql", None, None, None, None, None, {"url": url})
        super().__init__(address, yoyo.migrations.default_migration_table)

    def connect(self, dburi: DatabaseURI) -> connection:
        """In autocommit mode, as yoyo begins and ends each transaction in SQL."""
        return connect(dburi.args["url"], autocommit=True, application_name="tenderscrapy migrate")

    def copy(self) -> AbstractContextManager[Self]:
        """Itself: on a connection of its own a migration would not be in the transaction of its mark."""
        return nullcontext(self)

    @contextmanager
    def lock(self, timeout: float = 0) -> Iterator[None]:
        """A transaction that no other migrator runs beside; it waits for as long as it takes."""
        with self.transaction():
            self.execute("SELECT pg_advisory_xact_lock(:key)", {"key": LOCK})
            yield

    def get_log_data(self, migration: Migration, operation: str = "apply") -> dict[str, Any]:
        """One row of yoyo's log."""
        return {
            "id": str(uuid4()),
            "migration_hash": migration.hash,
            "migration_id": migration.id,
            "operation": operation,
            "comment": migration.sha256,
            "created_at_utc": datetime.now(UTC).replace(tzinfo=None),
        }

    def warn_of_differences(self, known: MigrationList) -> None:
        """Log what was applied here and is not, or not so, in this version."""
        applied = dict(
            self.execute(
                "SELECT DISTINCT ON (migration_id) migration_id, comment FROM _yoyo_migration "
                "LEFT JOIN _yoyo_log USING (migration_id) ORDER BY migration_id, created_at_utc DESC"
            ).fetchall()
        )
        for migration in known:
            if (applied.get(migration.id) or migration.sha256) != migration.sha256:
                logger.warning("migration %s was changed after it had been applied here", migration.id)
        if newer := applied.keys() - known.keys:
            logger.warning("the database is newer than this version, it has %s", ", ".join(sorted(newer)))


def migrations() -> list[Migration]:
    """The migrations of this version, in order; read from an egg as well."""
    folder = resources.files("tenderscrapy.database") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files]


def migrate(url: str) -> list[str]:
    """Apply what is missing and return the ids applied here; safe when several processes do so at once.

    Raises DatabaseUnavailableError that names the migration which failed; those before it stay applied.
    """
    known, current = MigrationList(migrations()), "of the ledger"
    done: list[str] = []
    with Backend(url) as backend:
        try:
            missing = backend.to_apply(known)
            backend.warn_of_differences(known)
            while missing:
                with backend.lock():
                    missing = backend.to_apply(known)
                    if not missing:
                        break
                    current = missing[0].id
                    backend.apply_one(missing[0])
                done.append(current)
                logger.info("migration %s applied", current)
        except psycopg2.Error as error:
            raise _failure(current, error) from error
    return done


def ready_url() -> str:
    """The URL of the current database, started and migrated: what every program calls first."""
    url = database_url()
    migrate(url)
    return url


def _failure(name: str, error: BaseException) -> DatabaseUnavailableError:
    # a connection that broke fails once more when yoyo rolls back
    while isinstance(error.__context__, psycopg2.Error):
        error = error.__context__
    reason = " ".join((getattr(error, "pgerror", None) or str(error)).split())
    return DatabaseUnavailableError(
        f"Migration {name} failed: {reason} The server must be PostgreSQL 15 or newer with pgvector 0.7 or newer, "
        "pg_trgm and unaccent, and the user must own the database."
    )
