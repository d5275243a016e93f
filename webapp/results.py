"""The rows of the page: tenders with the passage that answers the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webapp import listing
from webapp.request_state import PER_PAGE
from webapp.search.search import search
from webapp.tenders import Tender, tenders

if TYPE_CHECKING:
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from webapp.request_state import Asked
    from webapp.search.passages import Passage


@dataclass(slots=True)
class Results:
    """``rows`` with ``total`` of all pages; ``next_url`` and ``previous_url`` lead to the neighbours."""

    rows: list[tuple[Tender, Passage | None]]
    total: int = 0
    mode: str | None = None
    next_url: str | None = None
    previous_url: str | None = None


def searched(connection: Connection, asked: Asked, now: datetime) -> Results:
    """The asked page of what answers the query."""
    found = search(connection, asked.query, asked.filters, now)
    start = (asked.page - 1) * PER_PAGE
    hits = found.hits[start : start + PER_PAGE]
    shown = {tender.id: tender for tender in tenders(connection, [hit.tender_id for hit in hits], now)}
    passages = found.passages(connection, hits)
    rows = [(shown[h.tender_id], passages.get(h.chunk_id or 0)) for h in hits if h.tender_id in shown]
    following = asked.url(page=asked.page + 1) if found.total > start + PER_PAGE else None
    before = asked.url(page=asked.page - 1 if asked.page > 2 else None) if asked.page > 1 else None
    return Results(rows, found.total, found.mode, following, before)


def browse(connection: Connection, asked: Asked, now: datetime) -> Results:
    """Tenders that pass the filters, in the asked order."""
    page = listing.page(connection, asked.filters, now, order=asked.order, limit=PER_PAGE, cursor=asked.cursor)
    rows: list[tuple[Tender, Passage | None]] = [(tender, None) for tender in tenders(connection, page.ids, now)]
    following = asked.url(cursor=page.next_cursor) if page.next_cursor else None
    first = asked.url() if asked.cursor else None
    return Results(rows, listing.count(connection, asked.filters, now), None, following, first)
