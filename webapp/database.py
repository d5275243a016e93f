"""The database of the application: one pool, opened at the first request that needs it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg2
from flask import current_app
from psycopg2.errors import QueryCanceled

from tenderscrapy.database.migrate import ready_url
from tenderscrapy.database.pool import ConnectionPool
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Threads of the server plus room for health checks.
POOL_SIZE = 12
#: Milliseconds after which a statement gives up, so that one bad query cannot hold a thread for good.
STATEMENT_TIMEOUT = 15_000


class Database:
    """The pool of an application; a failed start is tried again by the next request."""

    def __init__(self, url: str | None) -> None:
        self._url = url
        self._pool: ConnectionPool | None = None
        self._opening = threading.Lock()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection for one transaction, committed at the end of the block.

        Raises DatabaseUnavailableError when the server is away, went away meanwhile, or took too long.
        """
        try:
            with self.open().connection() as connection:
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('statement_timeout', %s, true)", (str(STATEMENT_TIMEOUT),))
                yield connection
        except QueryCanceled as error:
            raise DatabaseUnavailableError("The database took too long to answer.") from error
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            raise DatabaseUnavailableError("The database went away while it was asked.") from error

    def open(self) -> ConnectionPool:
        """The pool; the first call starts and migrates the database. Raises DatabaseUnavailableError."""
        with self._opening:
            if self._pool is None:
                self._pool = ConnectionPool(
                    self._url or ready_url(), size=POOL_SIZE, application_name="tenderscrapy web"
                )
            return self._pool

    def close(self) -> None:
        """Close what is idle; the next request opens a new pool."""
        with self._opening:
            if self._pool is not None:
                self._pool.close()
            self._pool = None


def init_app(app: Flask) -> None:
    """Give ``app`` its database, not yet connected."""
    app.extensions["database"] = Database(app.config.get("DATABASE_URL"))


def database() -> Database:
    """The current application's database."""
    found: Database = current_app.extensions["database"]
    return found
