"""The names of the sources, so that readers need not know their codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import g

from tenderscrapy.database.queries import queries

if TYPE_CHECKING:
    from flask import Flask
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Where the registered name is too long for a badge.
SHORT = {"sample": "Sample", "ted": "TED", "contracts_finder": "Contracts Finder", "find_a_tender": "Find a Tender"}


def init_app(app: Flask) -> None:
    """Make ``source_name`` a filter of the templates."""
    app.add_template_filter(source_name)


def read_names(connection: Connection) -> None:
    """Keep the registered names for the rest of the request."""
    names: Any = queries("tenders").source_names(connection)
    g.source_names = {code: name for code, name in names if name}


def source_name(code: str) -> str:
    """A short name of a source; its code when it has none."""
    return SHORT.get(code) or g.get("source_names", {}).get(code) or code
