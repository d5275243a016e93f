"""The queue of files to fetch, kept in the table ``attachment``."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tenderscrapy.database.changes import refresh_tender
from tenderscrapy.database.pool import transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from psycopg2.extensions import connection as Connection  # noqa: N812

#: Seconds that a claim holds without being renewed; a killed process' files are free again after it.
LEASE = 30.0

#: Seconds to wait after each failed attempt; after the last one the file is ``failed``.
WAITS = (2.0, 10.0, 60.0, 600.0, 3600.0, 21600.0)


@dataclass(frozen=True, slots=True)
class QueuedFile:
    """A claimed row; ``attempts`` are those before this one."""

    id: int
    tender_id: str
    source_code: str
    url: str
    filename: str | None
    media_type: str | None
    attempts: int

    @property
    def host(self) -> str:
        """The host, as ``claim`` compares it."""
        try:
            return (urlsplit(self.url).hostname or "").lower()
        except ValueError:
            return ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that lies in the store: ``path`` relative to FILES_STORE, ``size`` in bytes, ``filename`` as shown."""

    path: str
    sha256: str
    size: int
    filename: str
    media_type: str


@dataclass(frozen=True, slots=True)
class FailedFile:
    """Why a file was not stored. ``passing``: it may work later, not before ``wait`` seconds.

    Not ``tried``: its server was not asked, and the file keeps its attempts. ``disk``: our own disk is at fault.
    """

    message: str
    passing: bool = False
    wait: float = 0.0
    tried: bool = True
    disk: bool = False


@dataclass(frozen=True)
class Wanted:
    """Which files: of ``source_code`` (empty: of all sources), due by ``until``, of no host in ``busy``.

    ``open_by_host`` counts the files that the caller holds already; of no host shall they be more than ``per_host``.
    """

    source_code: str
    until: datetime | None = None
    busy: Collection[str] = ()
    open_by_host: Counter[str] = field(default_factory=Counter)
    per_host: int = 2

    def parameters(self, busy: Collection[str]) -> dict[str, Any]:
        """As the queries take them."""
        until = self.until or "infinity"
        return {"source_code": self.source_code, "due_until": until, "busy": [*self.busy, *busy]}


def claim(connection: Connection, wanted: Wanted, limit: int) -> list[QueuedFile]:
    """Claim up to ``limit`` files, those that have been due for longest first."""
    sql = queries("attachments")
    held, claimed = Counter(wanted.open_by_host), list[QueuedFile]()
    with transaction(connection):
        while len(claimed) < limit:
            full = [host for host, count in held.items() if count >= wanted.per_host]
            row = next(iter(sql.claim(connection, lease=LEASE, **wanted.parameters(full))), None)
            if row is None:
                break
            file = QueuedFile(*row)
            held[file.host] += 1
            claimed.append(file)
    return claimed


def renew(connection: Connection, ids: Sequence[int]) -> None:
    """Keep claimed files for another LEASE."""
    with transaction(connection):
        queries("attachments").renew(connection, ids=list(ids), lease=LEASE)


def release(connection: Connection, ids: Sequence[int]) -> None:
    """Give claimed files back as they were."""
    with transaction(connection):
        queries("attachments").release(connection, ids=list(ids))


def ready(connection: Connection, files: Iterable[tuple[QueuedFile, StoredFile]]) -> None:
    """Mark the files of one tender as ready and derive the tender's hash anew, in one transaction: one event for all.

    The files must be durable before. Raises psycopg2.Error; nothing is marked then.
    """
    pairs = list(files)
    rows = json.dumps([{"id": file.id, **asdict(stored)} for file, stored in pairs])
    with transaction(connection):
        list(queries("attachments").lock_tenders_of(connection, ids=[file.id for file, _ in pairs]))
        # a tender may have been merged into another one meanwhile
        failpoint("ready.before")
        tenders = dict(queries("attachments").set_ready(connection, rows=rows))
        failpoint("ready.after")
        for tender_id in sorted(tenders):
            refresh_tender(connection, tender_id, tenders[tender_id])
        failpoint("commit.before")
    failpoint("commit.after")


def failed(connection: Connection, file: QueuedFile, failure: FailedFile) -> bool:
    """Write down why a file could not be stored; True when it stays pending for another attempt."""
    sql, message = queries("attachments"), failure.message[:300]
    attempts = file.attempts + failure.tried
    again = failure.passing and (not failure.tried or attempts <= len(WAITS))
    with transaction(connection):
        if again:
            wait = max(failure.wait, WAITS[attempts - 1] if failure.tried else 0.0)
            sql.set_retry(connection, id=file.id, error_message=message, wait=wait, attempts=attempts)
        else:
            sql.set_failed(connection, id=file.id, error_message=message, attempts=attempts)
    return again


def more_of(connection: Connection, tender_id: str, ids: Sequence[int], wanted: Wanted) -> bool:
    """Whether further files of a tender that are wanted, beside ``ids``, can be had within half a minute."""
    with transaction(connection):
        parameters = {"tender_id": tender_id, "ids": list(ids), **wanted.parameters(())}
        return bool(queries("attachments").more_of(connection, **parameters))


def waiting(connection: Connection, wanted: Wanted) -> tuple[float | None, bool]:
    """Seconds until the next unclaimed file is due (None: there is none), and whether files are claimed by anybody."""
    with transaction(connection):
        due, claims = queries("attachments").waiting(connection, **wanted.parameters(()))
    return due, claims


def now(connection: Connection) -> datetime:
    """The database's clock."""
    with transaction(connection):
        moment: datetime = queries("attachments").now(connection)
    return moment


def counts(connection: Connection, source_code: str) -> dict[str, int]:
    """How many files have each status."""
    with transaction(connection):
        return dict(queries("attachments").counts(connection, source_code=source_code))


def referenced(connection: Connection, paths: Sequence[str]) -> set[str]:
    """Those of ``paths`` that a row points to."""
    with transaction(connection):
        return {row[0] for row in queries("attachments").referenced(connection, paths=list(paths))}
