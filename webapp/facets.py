"""What there is to choose from, and what is going on: counts for the whole collection."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from flask import current_app

from tenderscrapy.database.queries import queries
from webapp.formatting import now
from webapp.tenders import dict_rows

if TYPE_CHECKING:
    from flask import Flask
    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

#: Seconds for which counts over all tenders may be old: on a large collection they take longer than a search.
FRESH = 30


@dataclass(frozen=True, slots=True)
class Facets:
    """Tenders by country, source and state."""

    countries: dict[str, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    states: dict[str | None, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """All tenders."""
        return sum(self.states.values())


@dataclass(frozen=True, slots=True)
class Activity:
    """The crawls that run now, and how many tenders wait for the index."""

    runs: list[dict[str, Any]]
    unindexed: int


class _Counted:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.facets = Facets()
        self.until = 0.0


def init_app(app: Flask) -> None:
    """A place for the counts of ``app``."""
    app.extensions["facets"] = _Counted()


def facets(connection: Connection) -> Facets:
    """The counts, at most FRESH seconds old; an empty collection is looked at every time."""
    counted: _Counted = current_app.extensions["facets"]
    with counted.lock:
        if time.monotonic() >= counted.until or not counted.facets.total:
            counted.facets = _count(connection)
            counted.until = time.monotonic() + FRESH
        return counted.facets


def activity(connection: Connection) -> Activity:
    """What is going on now."""
    unindexed: Any = queries("tenders").unindexed(connection)
    return Activity(dict_rows(connection, "running"), int(unindexed))


def _count(connection: Connection) -> Facets:
    tenders: Any = queries("tenders")
    return Facets(
        dict(tenders.countries(connection)),
        dict(tenders.source_counts(connection)),
        dict(tenders.state_counts(connection, now=now())),
    )
