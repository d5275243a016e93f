"""Databases for work that is done over and over, each a copy of one that lies ready."""

from __future__ import annotations

import os
import time
from contextlib import closing
from itertools import count
from typing import Any

import psycopg2

from services.postgresql import execute, with_name

_NUMBERS = count()
_SESSIONS = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()"""
_CLAIMS = """UPDATE outbox SET claimed_until = NULL WHERE published_at IS NULL AND error IS NULL;
    UPDATE attachment SET claimed_until = NULL WHERE status = 'pending'"""


class Databases:
    """Makes databases on one server, and drops them."""

    def __init__(self, server: str, template: str) -> None:
        self._server, self._template = server, template
        self._names: list[str] = []

    def new(self, like: str | None = None) -> str:
        """The URL of a migrated database, or of a copy of the database at ``like``, which nobody may be using."""
        self._names.append(f"killed_{os.getpid()}_{next(_NUMBERS)}")
        template = like.rsplit("/", 1)[1] if like else self._template
        execute(self._server, f"CREATE DATABASE {self._names[-1]} TEMPLATE {template}")
        return with_name(self._server, self._names[-1])

    def drop(self) -> None:
        """Drop all that were made."""
        for name in self._names:
            execute(self._server, f"DROP DATABASE {name} WITH (FORCE)")


def rows(database: str, query: str) -> list[tuple[Any, ...]]:
    """What the query answers."""
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def bury(database: str) -> None:
    """Wait until the server has let go of a killed process, and have its claims run out as they would by themselves."""
    end = time.monotonic() + 60
    while rows(database, _SESSIONS) != [(0,)]:
        assert time.monotonic() < end, "the sessions of a killed process stay"
        time.sleep(0.01)
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(_CLAIMS)
        connection.commit()
