"""The process in which files are read: it has no rights, little memory and little time, and may die at any moment.

On standard input, for each file: a line of JSON {"name", "media_type", "size"} and the bytes. On standard output: eight
bytes of length and JSON {"texts": [{"path", "text", "page"}], "problems": [...]}.
"""

from __future__ import annotations

import codecs
import json
import os
import resource
import struct
import sys
from dataclasses import asdict
from typing import BinaryIO

from indexer_worker.reading import Reading

MEMORY = 3_000_000_000
NOBODY = 65534
#: Loaded while this process may still read Python's own files.
CODECS = ("ascii", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "cp437", "cp850", "idna")


def confine() -> None:
    """No file may grow, no core is dumped, memory ends, and root becomes nobody; readers are imported already."""
    for name in CODECS:
        codecs.lookup(name)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def allow_cpu(seconds: int) -> None:
    """Let this process compute ``seconds`` more; then the kernel ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = int(usage.ru_utime + usage.ru_stime)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, hard))


def serve(requests: BinaryIO, answers: BinaryIO, cpu_seconds: int) -> None:
    """Read files until standard input ends."""
    while header := requests.readline():
        job = json.loads(header)
        data = requests.read(job["size"])
        allow_cpu(cpu_seconds)
        reading = Reading()
        try:
            reading.read([job["name"]], data, job["media_type"])
        except Exception as error:  # noqa: BLE001 - one file's surprise must not cost the others their reader
            reading.problem([job["name"]], f"{type(error).__name__}: {error}"[:200])
        answer = json.dumps({"texts": [asdict(text) for text in reading.texts], "problems": reading.problems}).encode()
        answers.write(struct.pack(">Q", len(answer)) + answer)
        answers.flush()


if __name__ == "__main__":
    # whatever a native library prints must not come between the answers
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    confine()
    serve(sys.stdin.buffer, answers, int(sys.argv[1]))
