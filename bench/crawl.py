"""End to end: notices of one portal into the database, by our crawl and by its peers."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import psycopg2

from bench.measuring import DisqualifiedError, Figures, interleaved, ratio_to, timed_process
from bench.peers.asking import DELAY
from bench.peers.rows import TABLES
from bench.services import ROOT, databases, portal
from tenderscrapy.identity.merging import digest
from tenderscrapy.settings import EXTENSIONS

if TYPE_CHECKING:
    from bench.services import Databases

OURS = "tenderscrapy"
BARE = "bare Scrapy, JSON lines"
ONE_BY_ONE = "asyncio, a transaction a row"
GOALS = {BARE: 0.8, ONE_BY_ONE: 3.0}
GUARANTEES = {
    OURS: "retry with Retry-After, address guard, cursor and notices in one commit, deduplication, versions, "
    "quarantine, outbox, run record",
    BARE: "Scrapy's retry; nothing is durable, nothing is deduplicated",
    ONE_BY_ONE: "a commit a notice, deduplication by key; no retry, no cursor, one bad notice ends it",
}
#: Our settings are the product's own but for the manners, which all contenders go without. Files have their own bench.
SETTINGS = {
    "DOWNLOAD_DELAY": DELAY,
    "AUTOTHROTTLE_ENABLED": 0,
    "ROBOTSTXT_OBEY": 0,
    "EXTENSIONS": json.dumps(EXTENSIONS | {"tenderscrapy.extensions.attachment_drain.AttachmentDrain": None}),
}


@dataclass
class Bench:
    """One portal and one database server for all contenders."""

    url: str
    databases: Databases
    notices: int
    folder: Path

    def __post_init__(self) -> None:
        self.since = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
        self.host = urlsplit(self.url).netloc
        self.search = f"{self.url}/v3/notices/search"
        self.results = {name: Figures(name, "notices/s", GUARANTEES[name]) for name in (OURS, BARE, ONE_BY_ONE)}
        self.items: dict[str, str] = {}
        self.counts: dict[str, dict[str, int]] = {}

    def ours(self, counted: bool) -> None:
        database = self.databases.fresh()
        settings = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
        command = [sys.executable, "-m", "scrapy", "crawl", "ted", "-a", f"since={self.since}", *settings]
        self._run(OURS, command, database, counted)
        self._check(OURS, *_stored(database))

    def bare(self, counted: bool) -> None:
        file = self.folder / "items.jsonl"
        command = [sys.executable, "-m", "bench.peers.bare_scrapy", self.search, self.since, self.host, str(file)]
        self._run(BARE, command, "", counted)
        with file.open(encoding="utf-8") as lines:
            self._check(BARE, [json.loads(line) for line in lines], {})

    def one_by_one(self, counted: bool) -> None:
        database = self.databases.fresh()
        command = [sys.executable, "-m", "bench.peers.asyncio_client", self.search, self.since, self.host, database]
        self._run(ONE_BY_ONE, command, database, counted)
        self._check(ONE_BY_ONE, *_stored(database))

    def _run(self, name: str, command: list[str], database: str, counted: bool) -> None:
        environment = os.environ | {
            "DATABASE_URL": database,
            "ALLOW_PRIVATE_HOSTS": self.host,
            "TED_API_URL": self.search,
            "FILES_STORE": str(self.folder / "files"),
        }
        spent = timed_process(command, environment, ROOT)
        if counted:
            self.results[name].values.append(self.notices / spent.seconds)
            self.results[name].cpu.append(spent.cpu)

    def _check(self, name: str, snapshots: list[dict[str, Any]], counts: dict[str, int]) -> None:
        """Every contender must have the same notices, and those with a database the same number of rows."""
        found = digest(sorted(digest({k: v for k, v in snapshot.items() if k != "keys"}) for snapshot in snapshots))
        self.items.setdefault("first", found)
        if len(snapshots) != self.notices or found != self.items["first"]:
            raise DisqualifiedError(f"{name} has {len(snapshots)} notices, and not the same as the others")
        if counts and counts != self.counts.setdefault("first", counts):
            raise DisqualifiedError(f"{name} wrote {counts}, the others {self.counts['first']}")


def _stored(database: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT snapshot FROM tender_source")
        snapshots = [row[0] for row in cursor.fetchall()]
        counts = {}
        for table in TABLES:
            cursor.execute(f"SELECT count(*) FROM {table}")
            counts[table] = cursor.fetchone()[0]
    return snapshots, counts


def run(notices: int, repeats: int) -> dict[str, Any]:
    """The figures of all contenders, and our ratio to each peer."""
    with portal(notices) as url, databases() as server, tempfile.TemporaryDirectory() as folder:
        bench = Bench(url, server, notices, Path(folder))
        interleaved(repeats, (bench.ours, bench.bare, bench.one_by_one))
    results = bench.results
    ratios = {peer: results[OURS].median / results[peer].median for peer in (BARE, ONE_BY_ONE)}
    return {
        "bench": "crawl",
        "notices": notices,
        "repeats": repeats,
        "contenders": [figures.as_json() for figures in results.values()],
        "ratios": [ratio_to(peer, ratio, GOALS[peer]) for peer, ratio in ratios.items()],
    }
