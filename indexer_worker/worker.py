"""The work itself, whoever hands it out: changed tenders in, one result for each out."""

from __future__ import annotations

import enum
import logging
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg2

from indexer_worker import index
from indexer_worker.chunking import Section, chunks
from indexer_worker.embedding import Passage, embed
from indexer_worker.tender_text import Tender, notice_sections
from tenderscrapy.config import config
from tenderscrapy.database.pool import connect
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import DatabaseUnavailableError, EmbeddingUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from indexer_worker.extraction import Extractor
    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)

#: What may be gone at the next try: the database, the embedding service, the operating system.
PASSING = (
    psycopg2.OperationalError,
    psycopg2.InterfaceError,
    DatabaseUnavailableError,
    EmbeddingUnavailableError,
    OSError,
    MemoryError,
)


class Fate(enum.Enum):
    """What becomes of a job."""

    INDEXED = "indexed"
    NOTHING_TO_DO = "nothing to do"
    RETRY = "retry"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Job:
    """One event to handle; ``delivery`` is the consumer's own handle on it."""

    tender_id: str
    content_hash: str
    delivery: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """A job's fate and, where it is not done, why."""

    job: Job
    fate: Fate
    reason: str = ""


class DependencyDownError(Exception):
    """A shared service is away, so that no job can be done: hand all of them back and probe until it is there."""


class Indexer:
    """Indexes tenders on one database connection; used by one thread at a time."""

    def __init__(self, url: str, provider: EmbeddingProvider, extractor: Extractor) -> None:
        self._url = url
        self._provider = provider
        self._extractor = extractor
        self._connection: Connection | None = None

    def probe(self) -> None:
        """Ask the database and the embedding service for a sign of life; raises one of PASSING."""
        with self._database().cursor() as cursor:
            cursor.execute("SELECT 1")
        self._database().rollback()
        self._provider.embed_query("probe")

    def prepare(self) -> None:
        """Make the configured model usable; raises ConfigurationError when it must not be used."""
        index.ensure_model(self._database(), self._provider)

    def process(self, jobs: Sequence[Job]) -> list[Result]:
        """One result for each job. Raises DependencyDownError when a shared service is away."""
        try:
            return self._attempt(jobs)
        except PASSING as error:
            logger.warning("indexing failed, maybe not for long: %s", _short(error))
            self._probe_after(error)
            if len(jobs) == 1:
                self._leave(jobs)
                return [Result(jobs[0], Fate.RETRY, _short(error))]
        except Exception as error:
            if len(jobs) == 1:
                logger.exception("tender %s cannot be indexed", jobs[0].tender_id)
                return [self._failed(jobs[0], _short(error))]
            logger.warning("one of %s tenders cannot be indexed (%s), trying one by one", len(jobs), _short(error))
        return [result for job in jobs for result in self.process([job])]

    def close(self) -> None:
        """End the connection and the reader of files."""
        self._extractor.close()
        if self._connection is not None:
            self._connection.close()

    def _database(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url, application_name="tenderscrapy indexer")
        return self._connection

    def _attempt(self, jobs: Sequence[Job]) -> list[Result]:
        connection, sql = self._database(), queries("index")
        connection.rollback()
        try:
            loaded = {tender.id: tender for tender in index.load(connection, sorted({job.tender_id for job in jobs}))}
            work = [tender for tender in loaded.values() if not tender.unchanged]
            same = [tender.id for tender in loaded.values() if tender.unchanged]
            # another live worker that holds the lock is at this very content: its own delivery stands for it
            work = [t for t in work if sql.try_lock(connection, work=f"{t.id} {t.content_hash}")]
            sql.set_processing(connection, ids=[tender.id for tender in work])
            sql.set_unchanged(connection, ids=same)
            connection.commit()
            failed = self._index(connection, work)
            fates = {tender.id: Fate.INDEXED for tender in work}
            return [self._result(job, fates, failed) for job in jobs]
        finally:
            _unlock(connection)

    def _index(self, connection: Connection, work: list[Tender]) -> dict[str, str]:
        passages: list[Passage] = []
        extraction: dict[str, dict[int, str | None]] = {}
        for tender in work:
            sections, extraction[tender.id] = self._sections(tender)
            passages += _passages(tender, sections)
        done = embed(self._provider, passages, config().embedding_batch_size)
        embedded = defaultdict(list)
        for passage in done.passages:
            embedded[passage.tender.id].append(passage)
        for tender in work:
            if tender.id in done.failed:
                continue
            if not index.replace(connection, tender, embedded[tender.id], extraction[tender.id], self._provider):
                logger.info("tender %s changed while it was indexed, its newer event follows", tender.id)
        return {tender_id: _short(error) for tender_id, error in done.failed.items()}

    def _sections(self, tender: Tender) -> tuple[list[Section], dict[int, str | None]]:
        sections = list(notice_sections(tender))
        errors: dict[int, str | None] = {}
        for file in tender.files:
            extracted = self._extractor.extract(file)
            sections += extracted.sections
            errors[file.id] = extracted.error
        return sections, errors

    def _result(self, job: Job, fates: dict[str, Fate], failed: dict[str, str]) -> Result:
        if job.tender_id in failed:
            return self._failed(job, failed[job.tender_id])
        return Result(job, fates.get(job.tender_id, Fate.NOTHING_TO_DO))

    def _failed(self, job: Job, reason: str) -> Result:
        connection = self._database()
        queries("index").set_failed(connection, id=job.tender_id, content_hash=job.content_hash, error=reason)
        connection.commit()
        return Result(job, Fate.FAILED, reason)

    def _leave(self, jobs: Sequence[Job]) -> None:
        connection = self._database()
        queries("index").release(connection, ids=[job.tender_id for job in jobs])
        connection.commit()

    def _probe_after(self, cause: Exception) -> None:
        try:
            self.probe()
        except PASSING as error:
            raise DependencyDownError(_short(error)) from cause


def _unlock(connection: Connection) -> None:
    """End the session's locks, with the session when it is broken."""
    try:
        connection.rollback()
        queries("index").unlock_all(connection)
        connection.commit()
    except psycopg2.Error:
        connection.close()


def _passages(tender: Tender, sections: Iterable[Section]) -> list[Passage]:
    made = []
    for section in sections:
        heading = tender.heading(section.name)
        made += [Passage(tender, chunk, heading) for chunk in chunks(section)]
    return made


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
