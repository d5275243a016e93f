"""Crawls to be killed: what is published, and what a crawl of it must leave behind."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from portal_simulator import invented_contracts_finder_releases, invented_ted_notices
from portal_simulator.contracts_finder import SEARCH_PATH as CONTRACTS_FINDER_PATH
from portal_simulator.ted import SEARCH_PATH as TED_PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal_simulator import PortalSimulator

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()


@dataclass(frozen=True)
class Crawl:
    """``path`` is where the portal is asked for pages; ``before(cursor)`` the ids of the notices handed out by then."""

    spider: str
    path: str
    notices: frozenset[str]
    before: Callable[[Any], list[str]]


def ted(simulator: PortalSimulator, pages: int) -> Crawl:
    """Full pages of TED; some notices have files, some share a procedure, some name one and the same file."""
    notices = list(invented_ted_notices(250 * pages))
    shared = simulator.files.file_url("conditions.pdf", size=30_000)
    for number, notice in enumerate(notices):
        if number % 25 == 24:
            notice["procedure-identifier"] = notices[number - 19]["procedure-identifier"]
        if number % 50 == 7:
            notice["links"] = {"pdf": dict.fromkeys(notice["official-language"], shared)}
        elif number % 50:
            notice["links"] = {}
    simulator.ted.notices = notices
    numbers = frozenset(str(notice["publication-number"]) for notice in notices)
    return Crawl("ted", TED_PATH, numbers, simulator.ted.before)


def contracts_finder(simulator: PortalSimulator, pages: int) -> Crawl:
    """Full pages of Contracts Finder with its amendments and files."""
    simulator.contracts_finder.releases = invented_contracts_finder_releases(100 * pages)
    ids = frozenset(release["id"][:36] for release in simulator.contracts_finder.releases)

    def before(url: str) -> list[str]:
        return [id_[:36] for id_ in simulator.contracts_finder.before(url)]

    return Crawl("contracts_finder", CONTRACTS_FINDER_PATH, ids, before)
