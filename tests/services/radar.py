"""A small radar: notices go in through storage and indexer, questions go to the Flask application."""

from __future__ import annotations

import signal
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import psycopg2
import psycopg2.extras
import pytest

from indexer_worker.__main__ import main as indexer_worker
from tenderscrapy.config import config
from tenderscrapy.database.committing import commit
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Notice
from webapp import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

#: Far enough ahead that a test never sees it pass.
LATER = datetime.now(UTC).replace(hour=10, minute=0, second=0, microsecond=0) + timedelta(days=40)


@dataclass
class Radar:
    """The application over one fresh database."""

    database: str
    files: Path
    app: Flask = field(init=False)

    def __post_init__(self) -> None:
        self.app = create_app({"DATABASE_URL": self.database, "FILES_STORE": self.files})
        self.app.testing = False

    def store(self, *notices: Notice) -> list[str]:
        """Commit ``notices`` as a crawl does; the ids of their tenders."""
        for notice in notices:
            notice.keys = notice.keys or strong_keys(notice)
        with closing(psycopg2.connect(self.database)) as connection:
            outcomes = commit(connection, notices)
            assert "quarantined" not in outcomes, outcomes
        return [
            self.value(
                "SELECT tender_id::text FROM tender_source WHERE source_code = %s AND notice_id = %s",
                notice.source_code,
                notice.notice_id,
            )
            for notice in notices
        ]

    def publish(self, *notices: Notice) -> list[str]:
        """Store and index."""
        ids = self.store(*notices)
        self.index()
        return ids

    def index(self) -> None:
        """``python -m indexer_worker --once``, in this process so that the model is loaded once a session."""
        handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            assert indexer_worker(["--once"]) == 0
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def select(self, statement: str, *values: object) -> list[dict[str, Any]]:
        """All rows of a statement, committed."""
        with closing(psycopg2.connect(self.database)) as connection:
            connection.autocommit = True
            with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
                cursor.execute(statement, values)
                return [dict(row) for row in cursor.fetchall()] if cursor.description else []

    def value(self, statement: str, *values: object) -> Any:
        """The only value of a statement."""
        [row] = self.select(statement, *values)
        [value] = row.values()
        return value

    @cached_property
    def client(self) -> FlaskClient:
        return self.app.test_client()

    def page(self, path: str, **options: Any) -> str:
        """The text of a page that is there."""
        answer = self.client.get(path, **options)
        assert answer.status_code == 200, answer.text
        return answer.text

    def key(self, name: str = "tests", limit: int = 1000) -> str:
        """A new API key, made as the command line makes it."""
        result = self.app.test_cli_runner().invoke(args=["keys", "create", name, "--limit", str(limit)])
        assert result.exit_code == 0, result.output
        return str(result.output.splitlines()[-1])

    @cached_property
    def headers(self) -> dict[str, str]:
        """The headers of a request with a key."""
        return {"X-API-Key": self.key()}

    def search(self, query: str, limit: int = 10, **filters: Any) -> dict[str, Any]:
        """The answer of the API to a search."""
        answer = self.post({"query": query, "limit": limit, "filters": filters})
        assert answer.status_code == 200, answer.text
        return dict(answer.json)

    def found(self, query: str, **filters: Any) -> list[str]:
        """Titles of what a search finds, best first."""
        return [item["tender"]["title"] for item in self.search(query, **filters)["items"]]

    def post(self, body: Any) -> TestResponse:
        return self.client.post("/api/v1/search", json=body, headers=self.headers)

    def get(self, path: str) -> TestResponse:
        return self.client.get(f"/api/v1/{path}", headers=self.headers)


def tender_notice(number: int | str, title: str, **values: Any) -> Notice:
    """An open notice of an invented buyer."""
    defaults: dict[str, Any] = {
        "title": title,
        "title_lang": "en",
        "buyer_name": "Exampleton Borough Council",
        "country": "GB",
        "status": "open",
        "published_at": datetime(2026, 11, 2, 9, tzinfo=UTC),
        "deadline_at": LATER,
        "deadline_zone": "Europe/London",
        "url": f"https://notices.example.org/{number}",
    }
    source_code = values.pop("source_code", "ted")
    return Notice(source_code, str(number) if "-" in str(number) else f"{number}-2026", **(defaults | values))


@pytest.fixture
def radar(database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Radar]:
    """The application over a fresh database and an empty folder of files."""
    files = tmp_path / "files"
    files.mkdir()
    monkeypatch.setenv("FILES_STORE", str(files))
    config.cache_clear()
    made = Radar(database, files)
    yield made
    made.app.extensions["database"].close()
