"""What must hold of the database and the files at every instant, also right after a kill."""

from __future__ import annotations

import hashlib
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg2

if TYPE_CHECKING:
    from pathlib import Path

    from chaos.crawls import Crawl

#: Rows that may never exist: halves of a transaction.
HALVES = {
    "a notice without a version": """SELECT s.notice_id FROM tender_source s WHERE NOT EXISTS (SELECT FROM
        notice_version v WHERE v.tender_source_id = s.id AND v.content_hash = s.content_hash)""",
    "a notice without its key": """SELECT s.notice_id FROM tender_source s WHERE NOT EXISTS (SELECT FROM tender_key k
        WHERE k.kind = 'notice' AND k.tender_id = s.tender_id AND k.value = s.source_code || '|' || s.notice_id)""",
    "a notice without a decision": """SELECT s.notice_id FROM tender_source s WHERE NOT EXISTS (SELECT FROM
        match_decision d WHERE d.tender_source_id = s.id)""",
    "a tender without a notice": """SELECT t.id::text FROM tender t WHERE NOT EXISTS (SELECT FROM tender_source s
        WHERE s.tender_id = t.id)""",
    "a tender without its event": """SELECT t.id::text FROM tender t WHERE NOT EXISTS (SELECT FROM outbox o
        WHERE o.key = t.id::text AND o.payload ->> 'content_hash' = t.content_hash)""",
    "a notice's file without a row": """SELECT s.notice_id FROM tender_source s,
        jsonb_array_elements(s.snapshot -> 'attachments') AS file WHERE NOT EXISTS (SELECT FROM attachment a
        WHERE a.tender_id = s.tender_id AND a.source_url = file ->> 'url')""",
}


@dataclass(frozen=True)
class State:
    """How far a crawl has come, as the database tells."""

    running: bool
    position: Any
    walked: bool
    notices: frozenset[str]
    files_missing: int
    files_ready: int

    def share_left(self, crawl: Crawl) -> float:
        return len(crawl.notices - self.notices) / len(crawl.notices)

    def unfinished(self, crawl: Crawl) -> bool:
        """Whether a kill at this moment met work that was not committed: pages of a run under way, or files."""
        return (self.running and (not self.walked or self.notices < crawl.notices)) or self.files_missing > 0


def state(database: str, crawl: Crawl) -> State:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:

        def rows(query: str) -> list[Any]:
            cursor.execute(query, {"code": crawl.spider})
            return cursor.fetchall()

        running = rows("SELECT count(*) FROM crawl_run WHERE source_code = %(code)s AND state = 'running'")[0][0]
        stored = rows("SELECT cursor FROM source WHERE code = %(code)s AND cursor IS NOT NULL")
        cursor_ = stored[0][0] if stored else {}
        notices = rows("SELECT notice_id FROM tender_source WHERE source_code = %(code)s")
        files = dict(rows("SELECT status, count(*) FROM attachment GROUP BY status"))
        return State(
            running=running > 0,
            position=cursor_.get("position"),
            walked=bool(stored) and cursor_.get("position") is None and cursor_.get("watermark") is not None,
            notices=frozenset(notice_id for (notice_id,) in notices),
            files_missing=sum(files.values()) - files.get("ready", 0),
            files_ready=files.get("ready", 0),
        )


def violations(database: str, files: Path, crawl: Crawl, now: State) -> list[str]:
    """Everything that is wrong at this moment, in words."""
    found = []
    committed = set(crawl.before(now.position)) if now.position is not None else set()
    if now.walked:
        committed = set(crawl.notices)
    if early := committed - now.notices:
        found.append(f"the cursor stands past {len(early)} notices that are not committed, one is {min(early)}")
    return found + broken(database, files)


def broken(database: str, files: Path) -> list[str]:
    """Halves of transactions, and files that are not what their row says."""
    found = []
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        for name, query in HALVES.items():
            cursor.execute(query)
            found += [f"{name}: {row[0]}" for row in cursor.fetchmany(3)]
        cursor.execute("SELECT path, sha256 FROM attachment WHERE status = 'ready'")
        for path, sha256 in cursor.fetchall():
            content = (files / path).read_bytes() if (files / path).is_file() else b""
            if hashlib.sha256(content).hexdigest() != sha256:
                found.append(f"{path} is ready, and not what its row says")
    return found
