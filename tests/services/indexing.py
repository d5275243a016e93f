"""Tenders to index, what became of them, and the indexer as its users run it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg2
import pytest
from ollama_double import OllamaDouble

from indexer_worker import leases
from indexer_worker.extraction import Extractor
from indexer_worker.leases import LeaseConsumer
from indexer_worker.worker import Indexer
from tenderscrapy.ai.embedded import embedded_provider
from tenderscrapy.ai.ollama import OllamaProvider
from tenderscrapy.messaging.events import put_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tenderscrapy.ai.provider import EmbeddingProvider

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass
class Index:
    """A database with tenders; ``store`` is the folder of files."""

    url: str
    store: Path

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement and commit; its rows, if it has any."""
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute(statement, values or None)
            rows = cursor.fetchall() if cursor.description else []
            connection.commit()
            return rows

    def tender(self, title: str = "Roof works at the town hall", *, event: bool = True, **columns: Any) -> str:
        """A pending tender with its event; its id."""
        row = {
            "title": title,
            "buyer_name": "Town of Example",
            "content_hash": uuid4().hex,
            "title_lang": "en",
        } | columns
        names = ", ".join(row)
        ((tender_id,),) = self.sql(
            f"INSERT INTO tender ({names}) VALUES ({', '.join(['%s'] * len(row))}) RETURNING id::text", *row.values()
        )
        if event:
            self.event(tender_id)
        return tender_id

    def event(self, tender_id: str) -> None:
        """One more event for a tender, as it is now."""
        rows = self.sql("SELECT content_hash FROM tender WHERE id::text = %s", tender_id)
        with closing(psycopg2.connect(self.url)) as connection:
            put_events(connection, [(tender_id, rows[0][0] if rows else "gone", "ted")])
            connection.commit()

    def change(self, tender_id: str, **columns: Any) -> None:
        """Change a tender as storage does: new hash, pending, a new event."""
        columns |= {"content_hash": uuid4().hex, "index_status": "pending"}
        assignments = ", ".join(f"{name} = %s" for name in columns)
        self.sql(f"UPDATE tender SET {assignments} WHERE id = %s", *columns.values(), tender_id)
        self.event(tender_id)

    def file(self, tender_id: str, filename: str, data: bytes, media_type: str | None = None) -> int:
        """A ready attachment; its id."""
        path = self.store / uuid4().hex
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        ((file_id,),) = self.sql(
            "INSERT INTO attachment (tender_id, source_code, source_url, filename, media_type, status, path, sha256,"
            " size) VALUES (%s, 'ted', %s, %s, %s, 'ready', %s, %s, %s) RETURNING id",
            tender_id, f"https://example.org/{path.name}", filename, media_type, path.name, path.name, len(data),
        )  # fmt: skip
        return file_id

    def status(self, tender_id: str) -> str:
        """The tender's index_status."""
        ((status,),) = self.sql("SELECT index_status FROM tender WHERE id = %s", tender_id)
        return status

    def chunks(self, tender_id: str) -> list[tuple[str, int | None, str]]:
        """(section, page, text) of the tender's chunks, in order."""
        return self.sql("SELECT section, page, text FROM chunk WHERE tender_id = %s ORDER BY ordinal", tender_id)

    def command(self, *arguments: str) -> list[str]:
        """The command line of the indexer."""
        return [sys.executable, "-m", "indexer_worker", *arguments]

    def environment(self, **settings: str) -> dict[str, str]:
        """The environment of an indexer on this database."""
        return os.environ | {"FILES_STORE": str(self.store), "PYTHONUNBUFFERED": "1"} | settings

    def run(self, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run the indexer to its end."""
        return subprocess.run(
            self.command(*arguments or ("--once",)), cwd=ROOT, env=self.environment(**settings),
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        """Start an indexer and leave it running."""
        return subprocess.Popen(
            self.command(*arguments), cwd=ROOT, env=self.environment(**settings),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip


@pytest.fixture
def index(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """The test's database and a folder of files."""
    monkeypatch.delenv("AMQP_URL", raising=False)
    return Index(database, tmp_path / "files")


@pytest.fixture
def crawl_command(index: Index) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a ``scrapy`` command on the test's database to its end."""

    def run(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "scrapy", *arguments], cwd=ROOT, env=index.environment(**settings),
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def ollama_server() -> Iterator[OllamaDouble]:
    """A server that answers as Ollama does."""
    with OllamaDouble() as running:
        yield running


@pytest.fixture
def ollama_provider(ollama_server: OllamaDouble, monkeypatch: pytest.MonkeyPatch) -> OllamaProvider:
    """The provider of that server; it does not wait for a busy one, and has asked for the dimension already."""
    monkeypatch.setattr("tenderscrapy.ai.ollama.BUSY_WAITS", ())
    provider = OllamaProvider(ollama_server.url, ollama_server.model)
    assert provider.dim == 64
    return provider


@pytest.fixture
def index_once(index: Index, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, int]]:
    """Run an indexer in this process until nothing waits; its counts."""
    monkeypatch.setattr(leases, "RETRY_AFTER", 0.1)

    def run(provider: EmbeddingProvider | None = None, lease: float = 300.0) -> dict[str, int]:
        indexer = Indexer(index.url, provider or embedded_provider(), Extractor(index.store))
        queue = LeaseConsumer(index.url, indexer, lease)
        try:
            queue.run(Event(), once=True)
        finally:
            queue.close()
            indexer.close()
        return queue.tally.counts

    return run


def until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until the condition holds; fail when it does not in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
