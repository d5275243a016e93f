"""The product's own programs, from the portal to the page, on one fresh database and one simulator."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from portal_simulator import PortalSimulator
from services.crawling import ROOT, command, environment
from services.postgresql import NAMES, execute, with_name
from services.radar import Radar

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMEOUT = 240


@dataclass
class WholeWay(Radar):
    """Crawls and indexes in processes of their own, as its users do; searches in this one."""

    simulator: PortalSimulator = field(kw_only=True)
    amqp_url: str = ""

    def crawl(self, spider: str, **options: object) -> subprocess.CompletedProcess[str]:
        """``scrapy crawl`` to its end."""
        return self._run(command(spider, **options))

    def crawled(self, spider: str, **options: object) -> dict[str, Any]:
        """The record of a crawl that must have been complete."""
        run = self.crawl(spider, **options)
        assert run.returncode == 0, run.stderr
        return self.last_run()

    def index_once(self) -> str:
        """``python -m indexer_worker --once``; what it said."""
        return self.indexer("--once")

    def indexer(self, *arguments: str) -> str:
        """``python -m indexer_worker`` to its end, which must be good; what it said."""
        run = self._run([sys.executable, "-m", "indexer_worker", *arguments])
        assert run.returncode == 0, run.stderr
        return run.stdout + run.stderr

    def last_run(self) -> dict[str, Any]:
        """The newest row of ``crawl_run``."""
        return self.select("SELECT * FROM crawl_run ORDER BY id DESC LIMIT 1")[0]

    def events(self) -> int:
        """How many events were ever written."""
        return int(self.value("SELECT count(*) FROM outbox"))

    def tender_of(self, source_code: str, notice_id: str) -> str:
        """The id of the tender that a notice belongs to."""
        statement = "SELECT tender_id::text FROM tender_source WHERE source_code = %s AND notice_id = %s"
        return str(self.value(statement, source_code, notice_id))

    def best(self, query: str, limit: int = 3, **filters: Any) -> list[str]:
        """The ids of the best tenders of a search, in order."""
        return [item["tender"]["id"] for item in self.search(query, limit, **filters)["items"]]

    def _run(self, line: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            line, cwd=ROOT, env=self._environment(), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )

    def _environment(self) -> dict[str, str]:
        """Of the child processes alone: several ways may stand side by side."""
        return environment(self.files) | {
            "DATABASE_URL": self.database,
            "AMQP_URL": self.amqp_url,
            "ALLOW_PRIVATE_HOSTS": self.simulator.host,
            "TED_API_URL": self.simulator.ted_url,
            "CONTRACTS_FINDER_URL": self.simulator.contracts_finder_url,
        }


@contextmanager
def whole_way(server: str, template: str, amqp_url: str = "", **portals: Any) -> Iterator[WholeWay]:
    """Everything fresh: a migrated database, an empty folder of files, a simulator with ``portals`` to publish.

    With ``amqp_url`` the events go by that broker.
    """
    name = f"whole_{os.getpid()}_{next(NAMES)}"
    execute(server, f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        with tempfile.TemporaryDirectory(prefix="ts-files-") as files, PortalSimulator(**portals) as simulator:
            way = WholeWay(with_name(server, name), Path(files), simulator=simulator, amqp_url=amqp_url)
            yield way
            way.app.extensions["database"].close()
            assert simulator.errors == []
    finally:
        execute(server, f"DROP DATABASE {name} WITH (FORCE)")
