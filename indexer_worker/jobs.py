"""What a consumer hands to the indexer and what it gets back."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import psycopg2

from tenderscrapy.exceptions import DatabaseUnavailableError, EmbeddingUnavailableError

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


class StoppingError(DependencyDownError):
    """The process is asked to end: hand the jobs back, somebody else does them."""


def short(error: BaseException) -> str:
    """An error in one line, for rows, headers and logs."""
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:500]
