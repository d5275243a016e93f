"""The work that is killed at failpoints: a crawl, the files, the relay of the outbox, the indexer."""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
import psycopg2
from chaos import queues
from chaos.crawls import SINCE
from chaos.databases import bury, rows
from chaos.dump import BY_NOTICES, Dump, swept
from chaos.invariants import broken, state, violations

from portal_simulator.documents import pdf
from services.crawling import command
from services.files import Files, fetch_command
from services.indexing import Index
from tenderscrapy.messaging.events import put_events

if TYPE_CHECKING:
    from pathlib import Path

    from chaos.crawls import Crawl
    from chaos.databases import Databases

    from portal_simulator import PortalSimulator


class CrawlWork:
    """A crawl with its files and its events, all in one process."""

    name = "crawl"
    longest = 6
    twice = 0

    def __init__(self, crawl: Crawl, databases: Databases, folder: Path, amqp_url: str) -> None:
        self._crawl, self._databases, self._folder, self._amqp_url = crawl, databases, folder, amqp_url

    def begin(self) -> None:
        self.database = self._databases.new()
        self._files = self._folder / self.database.rsplit("/", 1)[1]
        self._files.mkdir(parents=True)
        queues.empty(self._amqp_url)

    def line(self) -> list[str]:
        # A walk that is complete must not be read once more: that would bring back what it had lost.
        walked = state(self.database, self._crawl).walked
        return command(self._crawl.spider, **({} if walked else {"since": SINCE}))

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "FILES_STORE": str(self._files), "AMQP_URL": self._amqp_url}

    def after_death(self) -> list[str]:
        bury(self.database)
        return violations(self.database, self._files, self._crawl, state(self.database, self._crawl))

    def result(self) -> Dump:
        found = swept(self.database, self._files)
        messages = Counter(queues.heard(self._amqp_url))
        self.twice += messages.total() - len(messages)
        tenders = rows(self.database, f"SELECT {BY_NOTICES}, t.id::text, t.content_hash FROM tender t")
        found["last event heard"] = Counter((notices,) for notices, *last in tenders if tuple(last) in messages)
        waiting = "SELECT key FROM outbox WHERE published_at IS NULL OR error IS NOT NULL"
        found["event that waits"] = Counter(rows(self.database, waiting))
        return found


class FilesWork:
    """``scrapy attachments`` over small files; of some tenders several, some with one and the same content."""

    name = "scrapy attachments"
    longest = 6
    twice = 0

    def __init__(self, simulator: PortalSimulator, databases: Databases, folder: Path) -> None:
        self._databases, self._folder = databases, folder
        self._offered = databases.new()
        offer = Files(self._offered, folder).offer
        at = simulator.files.file_url
        for number in range(8):
            files = [at(f"{number}-{n}.pdf", size=1000 + 9000 * n) for n in range(number % 3 + 1)]
            offer(*files, at(f"{number}-conditions.pdf", text="The same for all."), notice_id=f"{number + 1}-2026")

    def begin(self) -> None:
        self.database = self._databases.new(self._offered)
        self._files = self._folder / self.database.rsplit("/", 1)[1]
        self._files.mkdir(parents=True)

    def line(self) -> list[str]:
        return fetch_command([], {})

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "FILES_STORE": str(self._files)}

    def after_death(self) -> list[str]:
        bury(self.database)
        return broken(self.database, self._files)

    def result(self) -> Dump:
        return swept(self.database, self._files)


class RelayWork:
    """The relay on its way through an outbox of several windows."""

    name = "outbox relay"
    longest = 8
    twice = 0
    events = 700

    def __init__(self, databases: Databases, amqp_url: str) -> None:
        self._databases, self._amqp_url = databases, amqp_url
        self._filled = databases.new()
        with closing(psycopg2.connect(self._filled)) as connection:
            put_events(connection, [(str(UUID(int=number)), "hash", "ted") for number in range(self.events)])
            connection.commit()

    def begin(self) -> None:
        self.database = self._databases.new(self._filled)
        queues.empty(self._amqp_url)

    def line(self) -> list[str]:
        return [sys.executable, "-m", "scrapy", "republish"]

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "AMQP_URL": self._amqp_url}

    def after_death(self) -> list[str]:
        bury(self.database)
        return []

    def result(self) -> Dump:
        messages = Counter(queues.heard(self._amqp_url))
        self.twice += messages.total() - len(messages)
        outbox = rows(self.database, "SELECT key, published_at IS NOT NULL, error FROM outbox")
        return {"event heard": Counter(set(messages)), "event": Counter(outbox)}


class IndexWork:
    """``python -m indexer_worker --once`` over new tenders and changed ones whose old chunks are to be replaced.

    Without a broker the next worker starts at once, with the dead one's claims as they are: it has to take them over.
    """

    tenders = 24
    twice = 0

    def __init__(self, databases: Databases, folder: Path, amqp_url: str | None = None) -> None:
        self.name = "indexer with RabbitMQ" if amqp_url else "indexer with database leases"
        # five tries of an event are promised; the broker counts crashes, and forgives twenty
        self.longest = 6 if amqp_url else 4
        self._databases, self._store, self._amqp_url = databases, folder / "files", amqp_url
        self._filled = databases.new()
        self._vectors: dict[tuple[str, int], Any] = {}
        self._fill(Index(self._filled, self._store))

    def _fill(self, index: Index) -> None:
        def text(number: int) -> str:
            return f"Works of lot {number}. " + "The roof is to be renewed with tiles of clay. " * (number % 5)

        ids = [index.tender(f"Tender {n}", description=text(n)) for n in range(self.tenders * 2 // 3)]
        first = index.run("--once", DATABASE_URL=self._filled, AMQP_URL="")
        assert first.returncode == 0, first.stderr
        for number, tender in enumerate(ids):
            index.change(tender, description=text(number + 1))
        ids += [index.tender(f"Tender {n}", description=text(n)) for n in range(len(ids), self.tenders)]
        for number, tender in enumerate(ids[::6]):
            index.file(tender, f"{number}.pdf", pdf(f"Requirements of contract {number}: clay tiles, scaffolding."))

    def begin(self) -> None:
        self.database = self._databases.new(self._filled)
        if self._amqp_url:
            queues.empty(self._amqp_url)

    def line(self) -> list[str]:
        return [sys.executable, "-m", "indexer_worker", "--once"]

    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.database, "FILES_STORE": str(self._store), "AMQP_URL": self._amqp_url or ""}

    def after_death(self) -> list[str]:
        if self._amqp_url:
            bury(self.database)
            queues.wait_for_no_consumer(self._amqp_url)
        halves = """SELECT t.title FROM tender t WHERE (t.indexed_hash IS NOT NULL) <> EXISTS (
                SELECT FROM chunk c WHERE c.tender_id = t.id)
            UNION SELECT 'chunk ' || c.id FROM chunk c WHERE NOT EXISTS (
                SELECT FROM chunk_embedding e WHERE e.chunk_id = c.id)"""
        return [f"half indexed: {title}" for (title,) in rows(self.database, halves)]

    def result(self) -> Dump:
        queries = {
            "tender": "SELECT title, index_status, indexed_hash = content_hash, index_error FROM tender",
            "event": "SELECT key, bool_and(published_at IS NOT NULL), max(error) FROM outbox GROUP BY key",
            "chunk": """SELECT t.title, c.ordinal, c.section, c.page, c.lang, c.text, c.words::text, e.model, e.dim
                FROM chunk c JOIN tender t ON t.id = c.tender_id LEFT JOIN chunk_embedding e ON e.chunk_id = c.id""",
        }
        found: Dump = {name: Counter(rows(self.database, query)) for name, query in queries.items()}
        found["vector"] = Counter((*place, self._as_before(place, vector)) for place, vector in self._embedded())
        if self._amqp_url:
            found["message"] = Counter(queues.left(self._amqp_url))  # type: ignore[arg-type]
        return found

    def _embedded(self) -> list[tuple[tuple[str, int], Any]]:
        query = """SELECT t.title, c.ordinal, e.embedding::text FROM chunk c JOIN tender t ON t.id = c.tender_id
            JOIN chunk_embedding e ON e.chunk_id = c.id"""
        found = rows(self.database, query)
        return [((title, ordinal), np.array(json.loads(vector))) for title, ordinal, vector in found]

    def _as_before(self, place: tuple[str, int], vector: Any) -> bool:
        """Whether the vector is that of the undisturbed run; in another batch the last digits are others."""
        return bool(np.allclose(self._vectors.setdefault(place, vector), vector, atol=2e-3))
