"""Tenders with what belongs to them, ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from psycopg2.extras import RealDictCursor

from tenderscrapy.database.queries import queries
from webapp.versions import Change, changes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

Row = dict[str, Any]


@dataclass(slots=True)
class Tender:
    """``row`` has the columns of ``tender`` and its ``state`` now; ``files`` counts what can be downloaded here."""

    id: str
    row: Row
    sources: list[Row] = field(default_factory=list)
    files: int = 0

    def __getattr__(self, name: str) -> Any:
        try:
            return self.row[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(slots=True)
class Detail:
    """A tender with its files and its history, newest change first.

    ``notices``: what is read in the newest edition of each of its sources, by ``id`` of the source's row.
    """

    tender: Tender
    attachments: list[Row]
    changes: list[Change]
    notices: dict[int, Row] = field(default_factory=dict)


def tenders(connection: Connection, ids: Sequence[str], now: datetime) -> list[Tender]:
    """The tenders that exist among ``ids``, in that order, each with all its sources."""
    if not ids:
        return []
    wanted = {"ids": list(ids)}
    found = {
        str(row["id"]): Tender(str(row["id"]), row) for row in dict_rows(connection, "tenders_by_id", now=now, **wanted)
    }
    for source in dict_rows(connection, "sources_of", **wanted):
        found[str(source["tender_id"])].sources.append(source)
    for tender_id, count in queries("tenders").ready_files_of(connection, **wanted):
        found[str(tender_id)].files = count
    return list(found.values())


def detail(connection: Connection, tender_id: str, now: datetime) -> Detail | None:
    """One tender with everything that is shown of it; None when there is none of this id."""
    found = tenders(connection, [tender_id], now)
    if not found:
        return None
    versions = dict_rows(connection, "versions_of", id=tender_id)
    notices = {version["tender_source_id"]: version["snapshot"] for version in versions}
    return Detail(found[0], dict_rows(connection, "attachments_of", id=tender_id), changes(versions), notices)


def redirected(connection: Connection, tender_id: str) -> str | None:
    """The id of the tender that ``tender_id`` was joined with, if it was."""
    found: Any = queries("tenders").redirected(connection, id=tender_id)
    return str(found) if found else None


def dict_rows(connection: Connection, query: str, **parameters: Any) -> list[Row]:
    """All rows of a named query of tenders.sql by column name."""
    with connection.cursor(cursor_factory=RealDictCursor) as cursor:
        cursor.execute(getattr(queries("tenders"), query).sql, parameters)
        return [dict(row) for row in cursor.fetchall()]
