"""kill -9 at any moment of a crawl loses nothing, doubles nothing, and never leaves the cursor ahead of the notices."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from chaos.crawls import contracts_finder, ted
from chaos.databases import Databases
from chaos.kills import Killer
from chaos.report import Outcome, full, publish

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from chaos.crawls import Crawl

    from portal_simulator import PortalSimulator

SEED = int(os.environ.get("CHAOS_SEED", "20261130"))


@pytest.fixture
def new_database(database_server: str, database_template: str) -> Iterator[Callable[[], str]]:
    """Makes fresh migrated databases."""
    databases = Databases(database_server, database_template)
    yield databases.new
    databases.drop()


def publish_tally(killer: Killer) -> None:
    tally = killer.tally
    sizes = {name: killer.expected[name].total() for name in ("notice", "tender", "attachment", "file")}
    what = ", ".join(f"{size:,} {name}s" for name, size in sizes.items())
    verdict = "differs" if tally.wrong else "equal to the undisturbed crawl"
    fault = f"SIGKILL of a crawl of {killer.crawl.spider}"
    publish(Outcome(fault, tally.tried, tally.landed, tally.lost, tally.duplicated, f"{verdict} ({what}; seed {SEED})"))


#: Portal, pages, kills; the small part of it is a tenth.
CRAWLS = [(ted, 10, 30), (contracts_finder, 6, 10)] if full() else [(ted, 4, 3)]


@pytest.mark.chaos
@pytest.mark.timeout(5400 if full() else 600)
@pytest.mark.parametrize(("portal", "pages", "kills"), CRAWLS, ids=[portal.__name__ for portal, *_ in CRAWLS])
def test_a_crawl_killed_at_any_moment_ends_as_an_undisturbed_one(
    simulator: PortalSimulator,
    tmp_path: Path,
    new_database: Callable[[], str],
    portal: Callable[[PortalSimulator, int], Crawl],
    pages: int,
    kills: int,
) -> None:
    killer = Killer(portal(simulator, pages), simulator, tmp_path, new_database, SEED)

    tally = killer.run(kills)

    publish_tally(killer)
    assert tally.wrong == [], f"seed {SEED}: {killer.log()}"
    assert (tally.tried, tally.lost, tally.duplicated) == (kills, 0, 0)
    assert tally.landed >= kills * 5 // 6, f"seed {SEED}: only {tally.landed} kills met uncommitted work"
