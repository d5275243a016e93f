"""One thread with one connection: the reactor never waits for PostgreSQL, and writes keep their order."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from tenderscrapy.database.pool import connect, usable

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThread:
    """Runs functions that take a connection first, one after the other, in a thread of their own.

    ``prepare`` is called with every connection that is opened; when it raises, the connection is closed again.
    """

    def __init__(
        self, url: str, application_name: str = "tenderscrapy", prepare: Callable[[Connection], None] | None = None
    ) -> None:
        self._url = url
        self._prepare = prepare
        self._name = application_name
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="database")
        self._connection: Connection | None = None

    def submit(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue ``function(connection, ...)``; the connection is opened at first use and again after it was lost."""

        def call() -> T:
            if self._connection is None or not usable(self._connection):
                self._forget()
                self._connection = self._opened()
            return function(self._connection, *args, **kwargs)

        return self._executor.submit(call)

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> Connection:
        opened = connect(self._url, application_name=self._name)
        if self._prepare is not None:
            try:
                self._prepare(opened)
            except BaseException:
                opened.close()
                raise
        return opened

    async def run(self, function: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """``submit`` for coroutines."""
        return await asyncio.wrap_future(self.submit(function, *args, **kwargs))

    def close(self) -> None:
        """Close the connection and end the thread, after everything queued before."""

        self._executor.submit(self._forget)
        self._executor.shutdown(wait=True)
