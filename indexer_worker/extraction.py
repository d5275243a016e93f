"""Texts of files, read in a child process that may be slow, greedy or killed without harm."""

from __future__ import annotations

import contextlib
import json
import logging
import signal
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Timer
from typing import IO, TYPE_CHECKING, Any

from indexer_worker.chunking import Section
from tenderscrapy.config import PROJECT, config
from tenderscrapy.exceptions import ExtractionError
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from indexer_worker.tender_text import File

logger = logging.getLogger(__name__)

#: Seconds of a file's reading by the clock, and of computing in it.
WALL_SECONDS = 120.0
MAX_FILE_BYTES = 500_000_000
MAX_ANSWER_BYTES = 100_000_000
MAX_ERROR = 500
#: Files after which the child is replaced: whatever it leaked goes with it.
FILES_PER_CHILD = 200


@dataclass(slots=True)
class Extracted:
    """Sections of a file's text and, where not all of it could be read, why."""

    sections: list[Section] = field(default_factory=list)
    error: str | None = None


class _WornOutError(ExtractionError):
    """A child that had read other files before died: they may be the cause, a fresh child decides."""


class Extractor:
    """Reads files one at a time, for one thread; the child is started at the first file."""

    def __init__(self, store: Path | None = None, wall_seconds: float = WALL_SECONDS) -> None:
        self._store = store or config().files
        self._wall_seconds = wall_seconds
        self._child: subprocess.Popen[bytes] | None = None
        self._files = 0

    def extract(self, file: File) -> Extracted:
        """The text of a ready attachment; every failure is the answer's ``error``, nothing is raised."""
        name = printable(file.filename) or Path(file.path).name
        try:
            answer = self._ask(self._path(file), name, file.media_type)
        except ExtractionError as error:
            logger.info("file %s is not read: %s", file.id, error)
            return Extracted(error=str(error)[:MAX_ERROR])
        sections = [
            Section(" › ".join(text["path"])[:300], text["text"], text["page"], file.id) for text in answer["texts"]
        ]
        return Extracted(sections, printable("; ".join(answer["problems"]))[:MAX_ERROR] or None)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                with contextlib.suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            self._child = None

    def _path(self, file: File) -> Path:
        path = (self._store / file.path).resolve()
        if not path.is_relative_to(self._store.resolve()):
            raise ExtractionError("its path leads out of the folder of files")
        return path

    def _ask(self, path: Path, name: str, media_type: str | None) -> dict[str, Any]:
        try:
            with path.open("rb") as stream:
                size = path.stat().st_size
                if size > MAX_FILE_BYTES:
                    raise ExtractionError(f"larger than {MAX_FILE_BYTES} bytes")
                job = {"name": name, "media_type": media_type, "size": size}
                try:
                    return self._exchange(stream, job)
                except _WornOutError:
                    stream.seek(0)
                    return self._exchange(stream, job)
        except FileNotFoundError:
            raise ExtractionError("the file is missing from the folder of files") from None

    def _exchange(self, stream: IO[bytes], job: dict[str, Any]) -> dict[str, Any]:
        child = self._ready_child()
        late = Event()

        def end() -> None:
            late.set()
            child.kill()

        timer = Timer(self._wall_seconds, end)
        timer.start()
        try:
            return _conversation(child, stream, job)
        except (BrokenPipeError, EOFError, ValueError, KeyError, TypeError) as error:
            status, used = _status(child), self._files > 1
            self.close()
            if late.is_set():
                raise ExtractionError(f"reading it took longer than {self._wall_seconds:g} s") from error
            raise (_WornOutError if used else ExtractionError)(f"its reader {status}") from error
        except BaseException:
            self.close()
            raise
        finally:
            timer.cancel()

    def _ready_child(self) -> subprocess.Popen[bytes]:
        if self._files >= FILES_PER_CHILD or (self._child and self._child.poll() is not None):
            self.close()
        if self._child is None:
            self._files = 0
            command = [sys.executable, "-m", "indexer_worker.extraction_child", str(int(self._wall_seconds) + 1)]
            self._child = subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=PROJECT,
                start_new_session=True,
            )
        self._files += 1
        return self._child


def _conversation(child: subprocess.Popen[bytes], stream: IO[bytes], job: dict[str, Any]) -> dict[str, Any]:
    assert child.stdin is not None  # noqa: S101 - both are pipes
    assert child.stdout is not None  # noqa: S101
    child.stdin.write(json.dumps(job).encode() + b"\n")
    left = job["size"]
    while left and (piece := stream.read(min(left, 1 << 20))):
        child.stdin.write(piece)
        left -= len(piece)
    if left:
        raise EOFError
    child.stdin.flush()
    (size,) = struct.unpack(">Q", _exactly(child.stdout, 8))
    if size > MAX_ANSWER_BYTES:
        raise EOFError
    answer = json.loads(_exactly(child.stdout, size))
    if not isinstance(answer["texts"], list) or not isinstance(answer["problems"], list):
        raise TypeError
    return dict(answer)


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data


def _status(child: subprocess.Popen[bytes]) -> str:
    try:
        code = child.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return "gave no sensible answer"
    if code == -signal.SIGXCPU:
        return "used up its computing time"
    return f"ended with {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
