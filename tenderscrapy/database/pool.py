"""Connections to the database: one, or a bounded number shared by threads."""

from __future__ import annotations

import logging
import re
import select
import threading
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg2
from psycopg2.extensions import TRANSACTION_STATUS_IDLE, parse_dsn
from psycopg2.extensions import connection as Connection  # noqa: N812 - pool.connection is a method

from tenderscrapy.database.embedded import database_url, restarted
from tenderscrapy.exceptions import ConfigurationError, DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT = 10  # seconds


def connect(url: str | None = None, *, autocommit: bool = False, application_name: str = "tenderscrapy") -> Connection:
    """A connection to ``url``, or to the current database, with UTC as its time zone and UTF-8 as its encoding.

    An embedded server that has died is started again. Raises DatabaseUnavailableError, and ConfigurationError for a
    URL that cannot be read; the password is in neither.
    """
    options: dict[str, Any] = {"application_name": application_name, "connect_timeout": CONNECT_TIMEOUT}
    options |= _parameters(url or database_url())
    try:
        opened = psycopg2.connect(**options)
    except psycopg2.OperationalError as error:
        if not restarted(str(options.get("port"))):
            raise _unavailable(options, error) from None
        options |= _parameters(url or database_url())
        try:
            opened = psycopg2.connect(**options)
        except psycopg2.OperationalError as second:
            raise _unavailable(options, second) from None
    return _prepared(opened, autocommit=autocommit)


@contextmanager
def transaction(connection: Connection) -> Iterator[Connection]:
    """Commit what the block did, or roll it back when the block raises; the block's error is the one that is raised."""
    try:
        yield connection
    except BaseException:
        try:
            connection.rollback()
        except psycopg2.Error:
            connection.close()
        raise
    connection.commit()


class ConnectionPool:
    """At most ``size`` connections, shared by threads; nothing is opened before it is needed.

    A thread that finds all in use waits ``wait`` seconds, then gets DatabaseUnavailableError. A connection that broke
    is thrown away, also one that broke while it lay idle.
    """

    def __init__(self, url: str | None = None, *, size: int = 10, wait: float = 10, **options: Any) -> None:
        self._url, self._wait, self._options = url, wait, options
        self._size = size
        self._free = threading.BoundedSemaphore(size)
        self._idle: deque[Connection] = deque()
        self._closed = False

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection for one transaction: committed at the end of the block, rolled back when it raises."""
        if not self._free.acquire(timeout=self._wait):
            raise DatabaseUnavailableError(
                f"All {self._size} database connections were in use for {self._wait:g} s; try again later."
            )
        try:
            taken = self._take()
            try:
                with transaction(taken):
                    yield taken
            finally:
                self._give_back(taken)
        finally:
            self._free.release()

    def close(self) -> None:
        """Close the idle connections now, and those in use when they come back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> Connection:
        while True:
            try:
                idle = self._idle.pop()
            except IndexError:
                return connect(self._url, **self._options)
            if usable(idle):
                return idle
            idle.close()

    def _give_back(self, used: Connection) -> None:
        if self._closed or used.closed or used.info.transaction_status != TRANSACTION_STATUS_IDLE:
            used.close()
        else:
            self._idle.append(used)


def usable(idle: Connection) -> bool:
    """Whether a connection with no transaction under way still stands."""
    # the server says nothing to an idle connection but its end
    return not idle.closed and not select.select([idle], [], [], 0)[0]


def _prepared(opened: Connection, *, autocommit: bool) -> Connection:
    opened.autocommit = True
    if opened.encoding != "UTF8":
        opened.set_client_encoding("UTF8")
    if opened.info.parameter_status("TimeZone") != "UTC":
        with opened.cursor() as cursor:
            cursor.execute("SET timezone TO 'UTC'")
    opened.autocommit = autocommit
    return opened


def _parameters(address: str) -> dict[str, Any]:
    try:
        # libpq would take a bare "@", "/" or "#" in a password for the host's beginning, and name it in its errors
        if netloc := re.match(r"\w+://([^/?#]*)", address):
            user_info, _, hosts = netloc[1].rpartition("@")
            well_formed = all(re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?", host) for host in hosts.split(","))
            if "@" in user_info or not well_formed:
                raise ValueError
        return parse_dsn(address)
    except (psycopg2.ProgrammingError, ValueError):
        raise ConfigurationError(
            "DATABASE_URL cannot be read: it must be postgresql://user:password@host:port/database, with special "
            "characters of the password percent-encoded."
        ) from None


def _unavailable(options: dict[str, Any], error: psycopg2.OperationalError) -> DatabaseUnavailableError:
    address = f"{options.get('host', 'the local socket')}:{options.get('port', 5432)}/{options.get('dbname', '')}"
    reason = " ".join(str(error).split())
    if password := options.get("password"):
        reason = reason.replace(password, "***")
    return DatabaseUnavailableError(
        f"PostgreSQL at {address} cannot be used: {reason} Is it running, and is DATABASE_URL right?"
    )
