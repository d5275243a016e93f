"""The database of a laptop: PostgreSQL from a wheel, started when the first process needs it.

Every process that uses the server holds a shared lock for its life. The first one starts a keeper (keeper.py), which
is the server's parent and stops it after nobody has held that lock for a while. Nothing is counted and no process id
is trusted, so a kill -9 of client, keeper or server leaves nothing to clean up.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import tenderscrapy
from tenderscrapy.config import config
from tenderscrapy.database.keeper import KeeperRequest, read_record
from tenderscrapy.database.locks import FileLock, open_owned
from tenderscrapy.database.placement import ADVICE, data_folder, server_account, server_programs, wheel_programs
from tenderscrapy.database.postmaster import command_line, is_ready
from tenderscrapy.database.programs import clean_environment
from tenderscrapy.database.server import LOCKED_TIMEOUT, START_TIMEOUT
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

logger = logging.getLogger(__name__)


class Embedded:
    """The server whose state (locks, address, log, and where possible its data) lies in the folder ``var_dir``.

    ``idle`` is the time in seconds that the server outlives its last client; the process that starts the server
    decides it. ``settings`` are PostgreSQL's own, given at a start only.
    """

    def __init__(self, var_dir: Path, idle: float = 300, settings: Mapping[str, str] | None = None) -> None:
        self.state = Path(var_dir).absolute()
        self.idle = idle
        self.settings = dict(settings or {})
        self._one_thread = threading.Lock()
        self._clients = FileLock(self.state / "clients.lock")
        self._start = FileLock(self.state / "start.lock")
        self._keeper = FileLock(self.state / "keeper.lock")

    def start(self) -> str:
        """The URL of the running server, started if need be; its life is tied to this process' from now on.

        Cheap when the server runs, so it may be called again after a lost connection. Raises
        DatabaseUnavailableError with the reason and what to do.
        """
        try:
            with self._one_thread:
                self._make_state_folder()
                self._clients.lock(shared=True)
                return self._running() or self._started()
        except PermissionError as error:
            raise DatabaseUnavailableError(
                f"{self.state} belongs to another account ({error}). Run as that account, or set VAR_DIR. {ADVICE}"
            ) from error
        except OSError as error:
            raise DatabaseUnavailableError(f"{self.state} cannot be used: {error}. {ADVICE}") from error

    def close(self) -> None:
        """Need the server no more; it stops after its idle time when nobody else does."""
        self._clients.unlock()

    def stop(self) -> None:
        """Stop the server now, whoever uses it, and wait for its end."""
        self._clients.unlock()
        self._end_keeper()
        with self._start.exclusive():
            self._wait_for_keeper_end()

    def address_port(self) -> str:
        """The port of the last start, "" where there was none; an unused one is kept by the next start."""
        return str(read_record(self.state).get("port", ""))

    def keep_through_exec(self) -> None:
        """Let a program that replaces this process go on needing the server."""
        self._clients.inheritable()

    def _make_state_folder(self) -> None:
        if not self.state.is_dir():
            self.state.parent.mkdir(parents=True, exist_ok=True)
            self.state.mkdir(exist_ok=True)
            self.state.chmod(0o711 if os.geteuid() == 0 else 0o700)  # root's server account has to pass

    def _running(self) -> str | None:
        record = read_record(self.state)
        if record.get("state") != str(self.state) or not is_ready(wheel_programs(), record["socket"], record["port"]):
            return None
        return str(record["url"]) if self._keeper.taken() else None

    def _started(self) -> str:
        with self._start.exclusive(START_TIMEOUT):
            end = time.monotonic() + START_TIMEOUT
            if self._keeper.taken() and read_record(self.state).get("state") not in {None, str(self.state)}:
                self._end_keeper()  # the folder was moved while its server ran: the old socket is gone
            while not (url := self._running()):
                if not self._keeper.taken():
                    return self._launch()
                if time.monotonic() > end:
                    raise DatabaseUnavailableError(f"PostgreSQL has not become ready; see {self.state / 'server.log'}.")
                time.sleep(0.05)  # a keeper whose starter died, or one whose server just died
            return url

    def _launch(self) -> str:
        data = data_folder(self.state)
        account = server_account(data)
        programs = server_programs(account)
        request = KeeperRequest(
            *(str(self.state), str(data), str(programs), account.uid, account.gid), self.idle, self.settings
        )
        environment = clean_environment()
        project = str(Path(tenderscrapy.__file__).parent.parent)
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (project, environment.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "tenderscrapy.database.keeper", request.encode()]
        with os.fdopen(open_owned(self.state / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab") as log:
            result = subprocess.run(  # noqa: S603
                command, cwd="/", env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                start_new_session=True, check=False, timeout=START_TIMEOUT + LOCKED_TIMEOUT + 30,
            )  # fmt: skip
        try:
            message = json.loads(result.stdout)
        except ValueError:
            raise DatabaseUnavailableError(f"PostgreSQL's keeper failed; see {self.state / 'server.log'}.") from None
        if "error" in message:
            raise DatabaseUnavailableError(f"{message['error']} {ADVICE}")
        logger.info("PostgreSQL started, data in %s", data)
        return str(message["url"])

    def _end_keeper(self) -> None:
        try:
            pid = int((self.state / "keeper.lock").read_text(encoding="ascii"))
        except (OSError, ValueError):
            return
        if self._keeper.taken() and KeeperRequest.__module__ in command_line(pid):
            os.kill(pid, signal.SIGTERM)

    def _wait_for_keeper_end(self) -> None:
        end = time.monotonic() + START_TIMEOUT
        while self._keeper.taken():
            if time.monotonic() > end:
                raise DatabaseUnavailableError(f"PostgreSQL does not stop; see {self.state / 'server.log'}.")
            time.sleep(0.02)


@cache
def server(state: Path) -> Embedded:
    """This process' one handle on the server of a state folder."""
    return Embedded(state, idle=config().database_idle)


def current_server() -> Embedded | None:
    """The handle on the embedded server; None where DATABASE_URL names another."""
    return None if config().database_url else server(config().var_dir / "postgres")


def database_url() -> str:
    """DATABASE_URL if it is set; else the embedded server's, which is started and kept for this process' life.

    The server is asked each time, so the URL is good at the moment of the call.
    """
    embedded = current_server()
    return embedded.start() if embedded else str(config().database_url)


def restarted(port: str) -> bool:
    """Whether ``port`` is that of an embedded server that is in use here; started again if it had died."""
    embedded = current_server()
    return embedded is not None and embedded.address_port() == port and bool(embedded.start())
