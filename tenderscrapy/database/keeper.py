"""The keeper: a detached process that is the server's parent and stops it when nobody needs it.

``python -m tenderscrapy.database.keeper REQUEST`` starts it; REQUEST is the JSON of a KeeperRequest. It answers with
one line of JSON on its standard output, ``{"url": ...}`` or ``{"error": ...}``, and closes it.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tenderscrapy.database.locks import FileLock, open_owned
from tenderscrapy.database.programs import Account
from tenderscrapy.database.server import Server
from tenderscrapy.exceptions import DatabaseUnavailableError

logger = logging.getLogger(__name__)

WATCH_INTERVAL = 0.25


@dataclass(frozen=True)
class KeeperRequest:
    """What a starter tells its keeper; paths as text, ``idle`` in seconds."""

    state: str
    data: str
    programs: str
    uid: int
    gid: int
    idle: float
    settings: dict[str, str] = field(default_factory=dict)

    def encode(self) -> str:
        """The request as JSON."""
        return json.dumps(asdict(self))


def read_record(state: Path) -> dict[str, Any]:
    """What the last keeper of ``state`` wrote: url, port, socket, state, data; empty if it cannot be read."""
    try:
        record = json.loads((state / "server.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) and {"url", "port", "socket", "state", "data"} <= record.keys() else {}


def write_record(state: Path, record: dict[str, Any]) -> None:
    """Replace the record at once; only its owner may read it, as the URL holds the password."""
    unfinished = state / "server.json.unfinished"
    unfinished.unlink(missing_ok=True)
    descriptor = open_owned(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(state / "server.json")


def note_signals() -> list[int]:
    """From now on a signal to end only adds itself to the list; ``watch`` acts on it, and the server ends in order."""
    told: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: told.append(received))
    return told


def watch(server: Server, state: Path, idle: float, told: list[int]) -> None:
    """Until the server ends: stop it once nobody has held the clients' lock or a connection for ``idle`` seconds."""
    clients, start = FileLock(state / "clients.lock"), FileLock(state / "start.lock")
    free_since = time.monotonic()
    while server.alive():
        time.sleep(WATCH_INTERVAL)
        if told:
            return server.stop()
        if not clients.try_lock():
            free_since = time.monotonic()
            continue
        clients.unlock()
        if time.monotonic() - free_since < idle:
            continue
        if server.in_use():
            free_since = time.monotonic()
        elif start.try_lock():  # never waited for: its holder may be waiting for this process
            try:
                if clients.try_lock():
                    return server.stop()
            finally:
                start.unlock()
                clients.unlock()
    return None


def keep(request: KeeperRequest) -> None:
    """Bring the server up, answer the starter, and watch over it."""
    state = Path(request.state)
    lock = FileLock(state / "keeper.lock")
    lock.lock(timeout=10)
    lock.note(str(os.getpid()))
    told = note_signals()
    account = Account(request.uid, request.gid)
    server = Server(Path(request.data), Path(request.programs), account, state / "server.log")
    previous = read_record(state)
    if (previous.get("state"), previous.get("data")) != (request.state, request.data):
        # a copied or moved folder: the address is another server's, so a new one and a new password are made
        previous = {}
    url = server.bring_up(previous, request.settings)
    record = {"url": url, "port": server.port, "socket": str(server.socket_folder)}
    write_record(state, {**record, "state": request.state, "data": request.data})
    answer({"url": url})
    watch(server, state, request.idle, told)


def answer(message: dict[str, str]) -> None:
    """Tell the starter, and let go of its pipe."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.close(nothing)


def main() -> None:
    """Detach from the starter, then keep."""
    if os.fork():
        os._exit(0)
    logging.basicConfig(format="%(asctime)s keeper %(levelname)s %(message)s", level=logging.INFO)
    try:
        keep(KeeperRequest(**json.loads(sys.argv[1])))
    except DatabaseUnavailableError as error:
        answer({"error": str(error)})
    except OSError as error:
        logger.exception("the keeper failed")
        answer({"error": f"PostgreSQL cannot be started: {error}"})


if __name__ == "__main__":
    main()
