"""What a crawl has left behind, in a form that is equal for two crawls that did the same work.

Ids, clocks and the number of runs are left out: a tender is known by the notices that show it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg2

from services.crawling import ROOT

if TYPE_CHECKING:
    from pathlib import Path

_OF_TENDER = """(SELECT string_agg(o.source_code || '|' || o.notice_id, ' ' ORDER BY o.source_code, o.notice_id)
    FROM tender_source o WHERE o.tender_id = {}) """
#: A tender ``t`` by the notices that show it.
BY_NOTICES = _OF_TENDER.format("t.id")

QUERIES = {
    "notice": "SELECT source_code, notice_id, content_hash FROM tender_source",
    "tender": f"SELECT {BY_NOTICES}, content_hash, index_status FROM tender t",
    "key": f"SELECT kind, value, {_OF_TENDER.format('k.tender_id')} FROM tender_key k",
    "version": """SELECT s.source_code, s.notice_id, v.content_hash
        FROM notice_version v JOIN tender_source s ON s.id = v.tender_source_id""",
    "decision": """SELECT s.source_code, s.notice_id, d.class, d.key_kind
        FROM match_decision d JOIN tender_source s ON s.id = d.tender_source_id""",
    "attachment": f"""SELECT source_url, {_OF_TENDER.format("a.tender_id")}, status, sha256, size, path, claimed_until
        FROM attachment a""",
    "announced": f"""SELECT {BY_NOTICES}, EXISTS (SELECT FROM outbox o WHERE o.key = t.id::text
        AND o.payload ->> 'content_hash' = t.content_hash) FROM tender t""",
    "orphan event": "SELECT key FROM outbox o WHERE NOT EXISTS (SELECT FROM tender t WHERE t.id::text = o.key)",
    "quarantine": "SELECT source_code, notice_id FROM quarantine",
    "cursor": "SELECT code, cursor -> 'position', cursor -> 'watermark' FROM source WHERE cursor IS NOT NULL",
    "unfinished run": "SELECT id FROM crawl_run WHERE state = 'running'",
    "last run": "SELECT DISTINCT ON (source_code) source_code, state FROM crawl_run ORDER BY source_code, id DESC",
}

Dump = dict[str, Counter[tuple[Any, ...]]]

_TWO_DAYS = 2 * 86_400


def swept(database: str, files: Path) -> Dump:
    """The dump after the sweep that the product does when a day has passed."""
    long_ago = time.time() - _TWO_DAYS
    for path in files.rglob("*"):
        os.utime(path, (long_ago, long_ago))
    environment = os.environ | {"DATABASE_URL": database, "FILES_STORE": str(files)}
    line = [sys.executable, "-m", "scrapy", "attachments", "--sweep"]
    subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True)
    return dump(database, files)


def dump(database: str, files: Path) -> Dump:
    """Every row with how often it is there, and every file below ``files`` with the digest of its content."""
    found: Dump = {}
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        for name, query in QUERIES.items():
            cursor.execute(query)
            found[name] = Counter(tuple(map(_plain, row)) for row in cursor.fetchall())
    paths = sorted(path for path in files.rglob("*") if path.is_file())
    found["file"] = Counter((str(path.relative_to(files)), _sha256(path)) for path in paths)
    return found


def _plain(value: Any) -> Any:
    return repr(value) if isinstance(value, list | dict) else value


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def missing(expected: Dump, found: Dump) -> list[tuple[str, tuple[Any, ...]]]:
    """Rows and files of ``expected`` that ``found`` does not have, or has less often."""
    return [(name, row) for name in expected for row in (expected[name] - found[name]).elements()]
