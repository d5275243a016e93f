"""kill -9 between any two steps: started again, the work ends as it would have without, at each of the drawn places."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from chaos.crawls import ted
from chaos.databases import Databases
from chaos.failpoints import FailpointKiller
from chaos.report import Outcome, full, publish
from chaos.works import CrawlWork, FilesWork, IndexWork, RelayWork

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from chaos.failpoints import Work

    from portal_simulator import PortalSimulator

SEED = int(os.environ.get("CHAOS_SEED", "20261201"))

pytestmark = [pytest.mark.chaos, pytest.mark.rabbitmq, pytest.mark.timeout(3600 if full() else 600)]


@pytest.fixture
def databases(database_server: str, database_template: str) -> Iterator[Databases]:
    """Databases that end with the test."""
    made = Databases(database_server, database_template)
    yield made
    made.drop()


def kill(work: Work, kills: int) -> None:
    """Kill ``kills`` processes, a tenth of them in a short run, and publish the row."""
    kills = kills if full() else kills // 10
    killer = FailpointKiller(work, SEED)

    deaths = killer.run(kills)

    landed = deaths.places.total()
    verdict = "differs" if deaths.wrong else "equal to undisturbed work"
    twice = f"; {work.twice:,} events came twice" if work.twice else ""
    detail = f"{len(deaths.places)} of {len(killer.passings)} places{twice}; seed {SEED}"
    fault = f"SIGKILL at a failpoint: {work.name}"
    publish(Outcome(fault, deaths.tried, landed, deaths.lost, deaths.duplicated, f"{verdict} ({detail})"))
    assert deaths.wrong == [], f"seed {SEED}: {killer.log}"
    assert (landed, deaths.lost, deaths.duplicated) == (kills, 0, 0)
    assert not full() or deaths.places.keys() == killer.passings.keys()


def test_a_crawl(simulator: PortalSimulator, databases: Databases, tmp_path: Path, amqp_url: str) -> None:
    kill(CrawlWork(ted(simulator, 4 if full() else 2), databases, tmp_path, amqp_url), 50)


def test_files(simulator: PortalSimulator, databases: Databases, tmp_path: Path) -> None:
    kill(FilesWork(simulator, databases, tmp_path), 50)


def test_the_outbox(databases: Databases, amqp_url: str) -> None:
    kill(RelayWork(databases, amqp_url), 50)


def test_the_index_with_a_broker(databases: Databases, tmp_path: Path, amqp_url: str) -> None:
    kill(IndexWork(databases, tmp_path, amqp_url), 30)


def test_the_index_without_a_broker(databases: Databases, tmp_path: Path) -> None:
    kill(IndexWork(databases, tmp_path), 30)
