"""The work itself, whoever hands it out: changed tenders in, one result for each out."""

from __future__ import annotations

import logging
from collections import defaultdict
from threading import Event
from typing import TYPE_CHECKING

import psycopg2

from indexer_worker import index
from indexer_worker.chunking import Section, chunks
from indexer_worker.embedding import Passage, embed
from indexer_worker.jobs import PASSING, DependencyDownError, Fate, Job, Result, StoppingError, short
from indexer_worker.tender_text import Tender, notice_sections
from tenderscrapy.config import config
from tenderscrapy.database.pool import connect
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import ConfigurationError, EmbeddingError, EmbeddingUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg2.extensions import connection as Connection  # noqa: N812 - the driver's class is lower case

    from indexer_worker.extraction import Extractor
    from tenderscrapy.ai.provider import EmbeddingProvider

logger = logging.getLogger(__name__)


class Indexer:
    """Indexes tenders on one database connection; used by one thread at a time."""

    def __init__(
        self, url: str, provider: EmbeddingProvider, extractor: Extractor, stopping: Event | None = None
    ) -> None:
        self._url = url
        self._provider = provider
        self._extractor = extractor
        self._stopping = stopping or Event()
        self._connection: Connection | None = None
        self._prepared = False

    def probe(self) -> None:
        """Ask the database and the embedding service for a sign of life; raises one of PASSING."""
        with self._database().cursor() as cursor:
            cursor.execute("SELECT 1")
        self._database().rollback()
        try:
            self._provider.embed_query("probe")
        except EmbeddingError as error:
            raise EmbeddingUnavailableError(str(error)) from error

    def process(self, jobs: Sequence[Job]) -> list[Result]:
        """One result for each job.

        Raises DependencyDownError when a shared service is away, ConfigurationError when the model must not be used.
        """
        self._prepare()
        try:
            return self._attempt(jobs)
        except (StoppingError, ConfigurationError):
            self._leave(jobs)
            raise
        except PASSING as error:
            logger.warning("indexing failed, maybe not for long: %s", short(error))
            self._leave(jobs)
            self._probe_after(error)
            if len(jobs) == 1:
                return [Result(jobs[0], Fate.RETRY, short(error))]
        except Exception as error:
            if len(jobs) == 1:
                logger.exception("tender %s cannot be indexed", jobs[0].tender_id)
                return [self._failed(jobs[0], short(error))]
            logger.warning("one of %s tenders cannot be indexed (%s), trying one by one", len(jobs), short(error))
        return [result for job in jobs for result in self.process([job])]

    def close(self) -> None:
        """End the connection and the reader of files."""
        self._extractor.close()
        self._drop()

    def _database(self) -> Connection:
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._url, application_name="tenderscrapy indexer")
        return self._connection

    def _prepare(self) -> None:
        if self._prepared:
            return
        try:
            index.ensure_model(self._database(), self._provider)
        except (*PASSING, EmbeddingError) as error:
            self._drop()
            raise DependencyDownError(short(error)) from error
        self._prepared = True

    def _attempt(self, jobs: Sequence[Job]) -> list[Result]:
        connection, sql = self._database(), queries("index")
        try:
            loaded = {tender.id: tender for tender in index.load(connection, sorted({job.tender_id for job in jobs}))}
            same = [tender.id for tender in loaded.values() if tender.unchanged]
            # another live worker that holds the lock is at this very content: its own delivery stands for it
            free = [
                t.id
                for t in loaded.values()
                if not t.unchanged and sql.try_lock(connection, work=f"{t.id} {t.content_hash}")
            ]
            begun = {tender_id for (tender_id,) in sql.set_processing(connection, ids=free)}
            sql.set_unchanged(connection, ids=same)
            connection.commit()
            fates, failed = self._index(connection, [tender for tender in loaded.values() if tender.id in begun])
            return [
                self._failed(job, failed[job.tender_id])
                if job.tender_id in failed
                else Result(job, fates.get(job.tender_id, Fate.NOTHING_TO_DO))
                for job in jobs
            ]
        finally:
            _unlock(connection)

    def _index(self, connection: Connection, work: list[Tender]) -> tuple[dict[str, Fate], dict[str, str]]:
        passages: list[Passage] = []
        extraction: dict[str, dict[int, str | None]] = {}
        for tender in work:
            sections, extraction[tender.id] = self._sections(tender)
            passages += _passages(tender, sections)
        done = embed(self._provider, passages, config().embedding_batch_size, self._stopping)
        if done.failed:
            self._blame_service(next(iter(done.failed.values())))
        embedded = defaultdict(list)
        for passage in done.passages:
            embedded[passage.tender.id].append(passage)
        fates = {}
        for tender in work:
            if tender.id in done.failed:
                continue
            replaced = index.replace(connection, tender, embedded[tender.id], extraction[tender.id], self._provider)
            fates[tender.id] = Fate.INDEXED if replaced else Fate.NOTHING_TO_DO
            if not replaced:
                logger.info("tender %s changed while it was indexed, its newer event follows", tender.id)
        return fates, {tender_id: short(error) for tender_id, error in done.failed.items()}

    def _blame_service(self, cause: EmbeddingError) -> None:
        """A service that cannot even embed a word is out of order: then no tender is to blame."""
        try:
            self._provider.embed_query("probe")
        except EmbeddingError as error:
            raise EmbeddingUnavailableError(str(error)) from cause

    def _sections(self, tender: Tender) -> tuple[list[Section], dict[int, str | None]]:
        sections = list(notice_sections(tender))
        errors: dict[int, str | None] = {}
        for file in tender.files:
            if self._stopping.is_set():
                raise StoppingError("asked to stop")
            extracted = self._extractor.extract(file)
            sections += extracted.sections
            errors[file.id] = extracted.error
        return sections, errors

    def _failed(self, job: Job, reason: str) -> Result:
        connection = self._database()
        queries("index").set_failed(connection, id=job.tender_id, content_hash=job.content_hash, error=reason)
        connection.commit()
        return Result(job, Fate.FAILED, reason)

    def _leave(self, jobs: Sequence[Job]) -> None:
        """Say that nobody is at these tenders any more, if the database can be told; a sweep would find out later."""
        try:
            connection = self._database()
            connection.rollback()
            queries("index").release(connection, ids=[job.tender_id for job in jobs])
            connection.commit()
        except PASSING:
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _probe_after(self, cause: Exception) -> None:
        try:
            self.probe()
        except PASSING as error:
            raise DependencyDownError(short(error)) from cause


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
