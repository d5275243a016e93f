"""Bring a database to the schema of this version: the files of migrations/, in the order of their names.

A file and the note that it has been applied are one transaction, so a migrator that is killed leaves nothing half
done; the lock is the transaction's own and dies with it.
"""

from __future__ import annotations

import hashlib
import logging
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import psycopg2

from tenderscrapy.database.embedded import database_url
from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from psycopg2.extensions import connection

logger = logging.getLogger(__name__)

LOCK = 0x74656E64  # one number for all versions, so that they exclude each other
LEDGER = """
    CREATE TABLE IF NOT EXISTS schema_migration (
        id          text PRIMARY KEY,
        sha256      text NOT NULL,
        applied_at  timestamptz NOT NULL DEFAULT now()
    )
"""


class Migration(NamedTuple):
    """One file: its name without suffix, and its SQL."""

    id: str
    sql: str

    @property
    def sha256(self) -> str:
        """What tells whether the file was changed after it had been applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def migrations() -> list[Migration]:
    """The migrations of this version, in order; read from an egg as well."""
    folder = resources.files("tenderscrapy.database") / "migrations"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(file.name.removesuffix(".sql"), file.read_text(encoding="utf-8")) for file in files]


def migrate(url: str) -> list[str]:
    """Apply what is missing and return the ids applied here; safe when several processes do so at once.

    Raises DatabaseUnavailableError that names the migration which failed; those before it stay applied.
    """
    done: list[str] = []
    database = connect(url, application_name="tenderscrapy migrate")
    try:
        with transaction(database):
            if not _missing(database):
                return done
        while True:
            with transaction(database), database.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
                cursor.execute(LEDGER)
                missing = _missing(database)
                if not missing:
                    return done
                _apply(database, missing[0])
            done.append(missing[0].id)
            logger.info("migration %s applied", missing[0].id)
    finally:
        database.close()


def ready_url() -> str:
    """The URL of the current database, started and migrated: what every program calls first."""
    url = database_url()
    migrate(url)
    return url


def _missing(database: connection) -> list[Migration]:
    known = migrations()
    with database.cursor() as cursor:
        cursor.execute("SELECT to_regclass('schema_migration') IS NOT NULL")
        if cursor.fetchone() != (True,):
            return known
        cursor.execute("SELECT id, sha256 FROM schema_migration")
        applied = dict(cursor.fetchall())
    for migration in known:
        if applied.get(migration.id, migration.sha256) != migration.sha256:
            logger.warning("migration %s was changed after it had been applied here", migration.id)
    if newer := applied.keys() - {migration.id for migration in known}:
        logger.warning("the database is newer than this version, it has %s", ", ".join(sorted(newer)))
    return [migration for migration in known if migration.id not in applied]


def _apply(database: connection, migration: Migration) -> None:
    try:
        with database.cursor() as cursor:
            cursor.execute(migration.sql)
            cursor.execute(
                "INSERT INTO schema_migration (id, sha256) VALUES (%s, %s)", (migration.id, migration.sha256)
            )
    except psycopg2.Error as error:
        reason = " ".join((error.pgerror or str(error)).split())
        raise DatabaseUnavailableError(
            f"Migration {migration.id} failed: {reason} The server must be PostgreSQL 15 or newer with pgvector 0.7 or "
            "newer, pg_trgm and unaccent, and the user must own the database."
        ) from error
