"""The SQL of the product: one file of named queries for each concern."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import aiosql


@cache
def queries(name: str) -> Any:
    """The queries of ``NAME.sql`` as methods that take a psycopg2 connection first; read from an egg as well.

    Raises FileNotFoundError for an unknown name.
    """
    sql = (resources.files(__name__) / f"{name}.sql").read_text(encoding="utf-8")
    return aiosql.from_str(sql, "psycopg2")
