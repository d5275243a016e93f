"""What is stored of the notices on a list: whether a row is news, and what stays when it is all there is."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from tenderscrapy.database.queries import queries
from tenderscrapy.items import Notice, from_json

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812

#: What a row of a list says; of a notice that is stored already, the rest stays when its own page cannot be had.
LIST_FIELDS = ("title", "reference", "buyer_name", "procedure_type", "notice_type", "status", "published_at")
DEADLINE_FIELDS = ("deadline_at", "deadline_is_date", "deadline_zone", "deadline_kind")
#: The flag of a notice whose own pages could not be read.
NOT_READ = "detail_not_read"


def known_rows(connection: Connection, code: str, ids: list[str]) -> dict[str, tuple[Notice, datetime]]:
    """The stored notices of these ids, and when each was last seen."""
    rows = list(queries("portals").known_rows(connection, code=code, ids=ids))
    connection.commit()
    return {notice_id: (from_json(snapshot), seen_at) for notice_id, snapshot, seen_at in rows}


def row_is_the_same(notice: Notice, stored: Notice) -> bool:
    """Whether the list says what it said when the notice was stored."""
    return bool(notice.extra.get("list_row")) and notice.extra["list_row"] == stored.extra.get("list_row")


def with_row(stored: Notice, row: Notice) -> Notice:
    """The stored notice with what the list says of it now."""
    for name in LIST_FIELDS:
        if (value := getattr(row, name)) is not None:
            setattr(stored, name, value)
    if row.deadline_at is not None and not _same_day(stored, row):
        for name in DEADLINE_FIELDS:
            setattr(stored, name, getattr(row, name))
    stored.extra |= {name: value for name, value in row.extra.items() if name == "list_row"}
    stored.flags = [flag for flag in stored.flags if flag.code != NOT_READ]
    stored.walk_page = row.walk_page
    return stored


def _same_day(stored: Notice, row: Notice) -> bool:
    """Whether the list states the day alone of a deadline whose hour is known from the notice's own page."""
    if not row.deadline_is_date or stored.deadline_is_date or stored.deadline_at is None or row.deadline_at is None:
        return False
    zone = ZoneInfo(row.deadline_zone or "Europe/Berlin")
    return row.deadline_at.astimezone(zone).date() == stored.deadline_at.astimezone(zone).date()
