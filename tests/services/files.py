"""Tenders with files to fetch, the files' rows, and ``scrapy attachments`` as its users run it."""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg2
import psycopg2.extras
import pytest

from services.crawling import FAST, ROOT, environment
from tenderscrapy.database.committing import commit
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Attachment, Notice

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@dataclass
class Files:
    """The table ``attachment`` and the store of one test."""

    database: str
    store: Path

    def offer(self, *files: str | Attachment, notice_id: str = "1-2026", source_code: str = "ted") -> None:
        """Store a notice that names ``files``."""
        attachments = [Attachment(file) if isinstance(file, str) else file for file in files]
        notice = Notice(source_code, notice_id, title=f"Invented works {notice_id}", attachments=attachments)
        notice.keys = strong_keys(notice)
        with closing(psycopg2.connect(self.database)) as connection:
            commit(connection, [notice])

    def rows(self, columns: str = "*") -> list[dict[str, Any]]:
        """The rows in the order in which they were offered."""
        return self.select(f"SELECT {columns} FROM attachment ORDER BY id")

    def row(self) -> dict[str, Any]:
        """The only row."""
        (row,) = self.rows()
        return row

    def select(self, statement: str, *values: object) -> list[dict[str, Any]]:
        with closing(psycopg2.connect(self.database)) as connection:
            connection.autocommit = True
            with connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor) as cursor:
                cursor.execute(statement, values)
                return [dict(row) for row in cursor.fetchall()] if cursor.description else []

    def fetch(self, *options: str, **settings: object) -> subprocess.CompletedProcess[str]:
        """``scrapy attachments`` to its end."""
        line = fetch_command(options, settings)
        return subprocess.run(
            line, cwd=ROOT, env=environment(self.store), capture_output=True, text=True, timeout=240, check=False
        )

    def start(self, *options: str, **settings: object) -> subprocess.Popen[str]:
        """``scrapy attachments`` in the background."""
        return subprocess.Popen(
            fetch_command(options, settings),
            cwd=ROOT,
            env=environment(self.store),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )


def fetch_command(options: Sequence[str], settings: dict[str, object]) -> list[str]:
    line = [sys.executable, "-m", "scrapy", "attachments", *options]
    for name, value in {**FAST, **settings}.items():
        line += ["-s", f"{name}={value}"]
    return line


@pytest.fixture
def files(database: str, tmp_path: Path) -> Files:
    """Files of the test's database, with the store in ``tmp_path/files``."""
    return Files(database, tmp_path / "files")
