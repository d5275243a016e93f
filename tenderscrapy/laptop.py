"""One machine, no servers: starts the page, the crawls and the indexer as processes, and says what they did."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from rich.console import Console

from tenderscrapy.config import config
from tenderscrapy.database.migrate import ready_url
from tenderscrapy.database.pool import connect
from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.sources.registry import fill

if TYPE_CHECKING:
    from collections.abc import Callable

    from psycopg2.extensions import connection as Connection  # noqa: N812

#: The sources of a first run.
SOURCES = ("ted", "contracts_finder", "doe")
#: Those whose page is a day of a whole country: a start reads the last one alone.
DAILY = frozenset({"doe"})


class Laptop:
    """Owns its children: they end with it, whether it is interrupted, terminated or done."""

    def __init__(self, *, port: int, days: int, pages: int, settings: tuple[str, ...] = ()) -> None:
        self.port = port
        self.days = days
        self.pages = pages
        self.settings = [part for setting in settings for part in ("-s", setting)]
        self.console = Console(highlight=False, soft_wrap=True)
        self.logs = config().var_dir / "log"
        self.children: dict[str, subprocess.Popen[bytes]] = {}

    def run(self, *, once: bool = False) -> int:
        """Bring everything up and keep it up until Ctrl-C; the exit status."""
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            return self._run(once=once)
        except KeyboardInterrupt:
            self._say("Stopping.")
            return 0
        finally:
            self._stop()

    def _run(self, *, once: bool) -> int:
        try:
            self.logs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigurationError(f"VAR_DIR cannot be used: {error}; set it to a folder of your own") from None
        self._say("Starting the database")
        connection = connect(ready_url(), autocommit=True, application_name="tenderscrapy up")
        fill(connection)
        self.port = free_port(self.port)
        self._start("page", "-m", "webapp", "--port", str(self.port))
        address = f"http://127.0.0.1:{self.port}"
        if not self._wait_for_page():
            self._say(f"[red]The page did not start; see {self.logs / 'page.log'}[/red]")
            return 1
        self._say(f"The page is up: [bold]{address}[/bold]  (Ctrl-C ends everything)")
        self._start("index", "-m", "indexer_worker")
        self._crawl(connection)
        self._finish_index(connection)
        self._summary(connection, address)
        while not once:
            self._keep_alive()
            time.sleep(1)
        return 0

    # --- the crawls ---------------------------------------------------------------------------------------------------

    def _crawl(self, connection: Connection) -> None:
        """Crawl the sources beside each other; one that cannot be reached is said and skipped."""
        sources = () if os.environ.get("SAMPLE") == "1" else SOURCES
        for source in sources:
            days, pages = (1, 1) if source in DAILY else (self.days, self.pages)
            since = (datetime.now(UTC) - timedelta(days=days)).date().isoformat()
            arguments = ("-a", f"since={since}", "-a", f"max_pages={pages}")
            self._start(source, "-m", "scrapy", "crawl", source, *arguments, *self.settings)
            self._say(f"Crawling {source} since {since} (log: {self.logs / f'{source}.log'})")
        self._watch(connection, sources)
        reached = [source for source in sources if self._report(connection, source)]
        if not reached:
            self._say("Using the bundled sample: no source was crawled." if sources else "Using the bundled sample.")
            self._start("sample", "-m", "scrapy", "crawl", "sample")
            self._watch(connection, ("sample",))
            self._report(connection, "sample")

    def _watch(self, connection: Connection, sources: tuple[str, ...]) -> None:
        """Show how the store grows until the crawls have ended."""
        said = ""
        while any(self.children[source].poll() is None for source in sources):
            self._keep_alive()
            time.sleep(2)
            tenders, indexed, _, files, files_waiting = _overview(connection)
            now = f"  {tenders:,} tenders, {indexed:,} searchable, {files:,} files ({files_waiting:,} to load)"
            if now != said:
                self._say(now)
                said = now

    def _report(self, connection: Connection, source: str) -> bool:
        """Say how the last run of a source went; whether it got anything."""
        run = queries("sources").last_run(connection, code=source)
        if run is None:
            self._say(f"[yellow]{source} did not start; see {self.logs / f'{source}.log'}[/yellow]")
            return False
        state, reason, fetched, new, changed = run
        because = f" - {reason}" if reason else ""
        if state != "complete" and not fetched:
            self._say(f"[yellow]{source} is skipped, it could not be read{because}[/yellow]")
            return False
        colour = "green" if state == "complete" else "yellow"
        self._say(
            f"[{colour}]{source}: {state}[/{colour}], {fetched:,} read, {new:,} new, {changed:,} changed{because}"
        )
        return True

    # --- the index ----------------------------------------------------------------------------------------------------

    def _finish_index(self, connection: Connection) -> None:
        """Wait until nothing waits for the index, or it no longer gets on."""
        waiting, still = -1, time.monotonic()
        while time.monotonic() - still < 120:
            left = _overview(connection)[2]
            if left == 0:
                return
            if left != waiting:
                self._say(f"  {left:,} tenders wait for the index")
                waiting, still = left, time.monotonic()
            self._keep_alive()
            time.sleep(2)
        self._say(f"[yellow]The index does not get on; see {self.logs / 'index.log'}[/yellow]")

    def _summary(self, connection: Connection, address: str) -> None:
        tenders, indexed, _, files, files_waiting = _overview(connection)
        more = f", {files_waiting:,} still to load (scrapy attachments)" if files_waiting else ""
        self._say(f"{tenders:,} tenders, {indexed:,} of them searchable, {files:,} files{more}")
        self._say(f"Search at [bold]{address}[/bold]")

    # --- the processes ------------------------------------------------------------------------------------------------

    def _start(self, name: str, *arguments: str) -> None:
        with (self.logs / f"{name}.log").open("ab") as log:
            self.children[name] = subprocess.Popen(  # noqa: S603 - our own programs, no shell
                [sys.executable, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - no thread runs yet that could hold a lock
                env=os.environ | {"PYTHONUNBUFFERED": "1"},
            )

    def _wait_for_page(self, seconds: float = 60) -> bool:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.children["page"].poll() is None:
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.1)
        return False

    def _keep_alive(self) -> None:
        """Start the page or the indexer again if it has died."""
        restart: dict[str, Callable[[], Any]] = {
            "page": lambda: self._start("page", "-m", "webapp", "--port", str(self.port)),
            "index": lambda: self._start("index", "-m", "indexer_worker"),
        }
        for name, start in restart.items():
            child = self.children.get(name)
            if child is not None and child.poll() is not None:
                self._say(f"[yellow]{name} ended with status {child.returncode}; starting it again[/yellow]")
                time.sleep(1)
                start()

    def _stop(self, seconds: float = 15) -> None:
        """End every child: asked first, then forced."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        living = [child for child in self.children.values() if child.poll() is None]
        for child in living:
            _signal(child, signal.SIGTERM)
        deadline = time.monotonic() + seconds
        for child in living:
            try:
                child.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                _signal(child, signal.SIGKILL)
                child.wait()

    def _say(self, text: str) -> None:
        self.console.print(text)


def free_port(first: int) -> int:
    """``first``, or the next port on 127.0.0.1 that nobody listens on."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    return first


def _overview(connection: Connection) -> tuple[int, ...]:
    return tuple(queries("sources").overview(connection))


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, number)


_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def _end_with_parent() -> None:
    """Have the kernel end a child whose parent was killed (Linux)."""
    if _libc is not None:
        _libc.prctl(1, signal.SIGTERM, 0, 0, 0)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt
