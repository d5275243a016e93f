"""kill -9 at any moment of a crawl loses nothing, doubles nothing, and never leaves the cursor ahead of the notices."""

from __future__ import annotations

import os
from itertools import count
from typing import TYPE_CHECKING

import pytest
from chaos.crawls import contracts_finder, ted
from chaos.kills import Killer
from chaos.report import Outcome, full, publish

from services.postgresql import execute, with_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from portal_simulator import PortalSimulator

SEED = int(os.environ.get("CHAOS_SEED", "20261130"))
NUMBERS = count()


@pytest.fixture
def new_database(database_server: str, database_template: str) -> Iterator[Callable[[], str]]:
    """Makes fresh migrated databases."""
    names: list[str] = []

    def make() -> str:
        names.append(f"killed_{os.getpid()}_{next(NUMBERS)}")
        execute(database_server, f"CREATE DATABASE {names[-1]} TEMPLATE {database_template}")
        return with_name(database_server, names[-1])

    yield make
    for name in names:
        execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


def publish_tally(killer: Killer, fault: str) -> None:
    tally = killer.tally
    sizes = {name: killer.expected[name].total() for name in ("notice", "tender", "attachment", "file")}
    what = ", ".join(f"{size:,} {name}s" for name, size in sizes.items())
    verdict = "differs" if tally.wrong else "equal to the undisturbed crawl"
    publish(Outcome(fault, tally.tried, tally.landed, tally.lost, tally.duplicated, f"{verdict} ({what}; seed {SEED})"))


@pytest.mark.chaos
@pytest.mark.timeout(5400 if full() else 600)
def test_a_ted_crawl_killed_at_any_moment_ends_as_an_undisturbed_one(
    simulator: PortalSimulator, tmp_path: Path, new_database: Callable[[], str]
) -> None:
    crawl = ted(simulator, pages=10 if full() else 4)
    killer = Killer(crawl, simulator, tmp_path, new_database, SEED)
    kills = 30 if full() else 3

    tally = killer.run(kills)

    publish_tally(killer, "SIGKILL of a TED crawl")
    assert tally.wrong == [], f"seed {SEED}: {killer.log()}"
    assert (tally.tried, tally.lost, tally.duplicated) == (kills, 0, 0)
    assert tally.landed >= (25 if full() else 1), (
        f"seed {SEED}: only {tally.landed} of {kills} kills met uncommitted work"
    )


@pytest.mark.chaos
@pytest.mark.timeout(5400)
@pytest.mark.skipif(not full(), reason="part of make chaos")
def test_a_contracts_finder_crawl_killed_at_any_moment_ends_as_an_undisturbed_one(
    simulator: PortalSimulator, tmp_path: Path, new_database: Callable[[], str]
) -> None:
    killer = Killer(contracts_finder(simulator, pages=6), simulator, tmp_path, new_database, SEED)

    tally = killer.run(10)

    publish_tally(killer, "SIGKILL of a Contracts Finder crawl")
    assert tally.wrong == [], f"seed {SEED}: {killer.log()}"
    assert (tally.tried, tally.lost, tally.duplicated) == (10, 0, 0)
