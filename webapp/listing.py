"""Lists of tenders that stay put while new ones arrive: each page starts after the last row of the one before."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal
from uuid import UUID

from psycopg2 import sql

from tenderscrapy.search.statements import rows

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from webapp.search.filters import Filters

Order = Literal["newest", "deadline"]

_ORDERS = {"newest": ("published_at", "DESC", "<"), "deadline": ("deadline_at", "ASC", ">")}
_LAST = {
    True: "(t.{column} {beyond} %(last)s OR (t.{column} = %(last)s AND t.id > %(last_id)s) OR t.{column} IS NULL)",
    False: "(t.{column} IS NULL AND t.id > %(last_id)s)",
}


class CursorError(ValueError):
    """A cursor that this list did not hand out."""


@dataclass(frozen=True, slots=True)
class Page:
    """Ids in order, and the cursor of what follows; None at the end."""

    ids: list[str]
    next_cursor: str | None


def page(
    connection: Connection, filters: Filters, now: datetime, *, order: Order, limit: int, cursor: str | None
) -> Page:
    """``limit`` tenders after ``cursor``; those without a date come last, equal dates in the order of their ids.

    Raises CursorError.
    """
    column, direction, beyond = _ORDERS[order]
    where, parameters = filters.condition(now)
    after: sql.Composable = sql.SQL("TRUE")
    if cursor:
        last, last_id = _read(cursor, order)
        parameters |= {"last": last, "last_id": last_id}
        after = sql.SQL(_LAST[last is not None]).format(column=sql.Identifier(column), beyond=sql.SQL(beyond))
    found = rows(
        connection,
        "list_tenders",
        {"count": limit + 1} | parameters,
        file="tenders",
        where=where,
        after=after,
        column=sql.Identifier(column),
        direction=sql.SQL(direction),
    )
    more = len(found) > limit
    found = found[:limit]
    next_cursor = _written(order, found[-1][column], found[-1]["id"]) if more else None
    return Page([str(row["id"]) for row in found], next_cursor)


def count(connection: Connection, filters: Filters, now: datetime) -> int:
    """How many tenders pass ``filters``."""
    where, parameters = filters.condition(now)
    [row] = rows(connection, "count_tenders", parameters, file="tenders", where=where)
    return int(row[0])


def _written(order: Order, at: datetime | None, tender_id: Any) -> str:
    place = [order, at.isoformat() if at else None, str(tender_id)]
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def _read(cursor: str, order: Order) -> tuple[datetime | None, str]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        of_order, at, tender_id = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        last = datetime.fromisoformat(at).astimezone(UTC) if at is not None else None
        last_id = str(UUID(tender_id))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error) as error:
        raise CursorError("this is no cursor of this list") from error
    if of_order != order:
        raise CursorError("this cursor belongs to a list in another order")
    return last, last_id
