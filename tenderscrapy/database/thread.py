"""One thread with one connection: the reactor never waits for PostgreSQL, and writes keep their order."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from tenderscrapy.database.pool import connect

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThread:
    """Runs functions that take a connection first, one after the other, in a thread of their own."""

    def __init__(self, url: str, application_name: str = "tenderscrapy") -> None:
        self._url = url
        self._name = application_name
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._connection: Connection | None = None

    def submit(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue ``function(connection, ...)``; the connection is opened at first use and again after it was lost."""

        def call() -> T:
            if self._connection is None or self._connection.closed:
                self._connection = connect(self._url, application_name=self._name)
            return function(self._connection, *args, **kwargs)

        return self._executor.submit(call)

    async def run(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``submit`` for coroutines."""
        return await asyncio.wrap_future(self.submit(function, *args, **kwargs))

    def close(self) -> None:
        """Close the connection and end the thread, after everything queued before."""

        def end() -> None:
            if self._connection is not None:
                self._connection.close()

        self._executor.submit(end)
        self._executor.shutdown(wait=True)
