"""Named queries whose conditions are composed: values stay bound parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg2 import sql
from psycopg2.extras import DictCursor

from tenderscrapy.database.queries import queries

if TYPE_CHECKING:
    from collections.abc import Mapping

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case


def rows(
    connection: Connection,
    query: str,
    parameters: Mapping[str, Any],
    *,
    file: str = "search",
    **parts: sql.Composable,
) -> list[Any]:
    """All rows of the named query of ``file.sql`` with ``parts`` put where its braces stand; rows know their names."""
    statement = sql.SQL(getattr(queries(file), query).sql).format(**parts)
    with connection.cursor(cursor_factory=DictCursor) as cursor:
        cursor.execute(statement, dict(parameters))
        return cursor.fetchall()
