"""The server: sockets, the request log, and who answers what."""

from __future__ import annotations

import json
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from portal_simulator.connection import Connection
from portal_simulator.contracts_finder import SEARCH_PATH as CONTRACTS_FINDER_PATH
from portal_simulator.contracts_finder import ContractsFinderPortal
from portal_simulator.cosinex import CosinexPortal
from portal_simulator.doe import EXPORTS_PATH, FEEDS_PATH, DoePortal, NrwPortal
from portal_simulator.exchange import Answer, RecordedRequest
from portal_simulator.faults import Fault, Faults, Match
from portal_simulator.files import FilePortal
from portal_simulator.netserver import NetserverPortal
from portal_simulator.notices import invented_ted_notices
from portal_simulator.releases import invented_contracts_finder_releases
from portal_simulator.ted import SEARCH_PATH as TED_PATH
from portal_simulator.ted import TedPortal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from portal_simulator.cosinex_pages import Project
    from portal_simulator.netserver_tenders import Tender

CLOSING_TIME = 5.0


class _Server(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True

    def __init__(self, address: tuple[str, int], simulator: PortalSimulator) -> None:
        super().__init__(address, Connection)
        self.simulator = simulator
        self.open: dict[Any, int] = {}
        self.resetting: set[Any] = set()
        self.accepted = 0

    def get_request(self) -> tuple[Any, Any]:
        connection, address = super().get_request()
        self.accepted += 1
        self.open[connection] = self.accepted
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        if request in self.resetting:  # a FIN first would make an orderly end of it
            self.resetting.discard(request)
            self.close_request(request)
        else:
            super().shutdown_request(request)
        self.open.pop(request, None)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Lost clients never come here: this is a fault of the simulator."""
        if (error := sys.exception()) is not None:
            self.simulator.errors.append(error)


class PortalSimulator:
    """All portals on one address; use as a context manager.

    ``ted_notices`` and ``contracts_finder_releases`` are either what to publish or how many to invent. ``log_file``
    receives one JSON line for each request. Errors of the simulator itself are kept in ``errors``.
    """

    def __init__(
        self,
        *,
        ted_notices: int | Sequence[dict[str, Any]] = 60,
        contracts_finder_releases: int | Sequence[dict[str, Any]] = 60,
        port: int = 0,
        seed: int = 1,
        log_file: Path | None = None,
    ) -> None:
        self._server = _Server(("127.0.0.1", port), self)
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"
        self.host = f"127.0.0.1:{self.port}"
        self.ted_url = self.url + TED_PATH
        self.contracts_finder_url = self.url + CONTRACTS_FINDER_PATH
        self.stopping = threading.Event()
        self.errors: list[BaseException] = []
        self.robots: str | None = None
        self.compress = False
        self._log: list[RecordedRequest] = []
        self._lock = threading.Lock()
        self._log_file = log_file
        self._faults = Faults()
        if isinstance(ted_notices, int):
            ted_notices = invented_ted_notices(ted_notices, seed)
        if isinstance(contracts_finder_releases, int):
            contracts_finder_releases = invented_contracts_finder_releases(contracts_finder_releases, seed)
        self.ted = TedPortal(ted_notices, self.url, self.fault)
        self.contracts_finder = ContractsFinderPortal(contracts_finder_releases, self.url, self.fault)
        self.doe = DoePortal(self.url)
        self.nrw = NrwPortal(self.url)
        self.files = FilePortal(self.url, self.ted, self.contracts_finder)
        self.portals: dict[str, Any] = {}
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), name="portal simulator")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and end every connection, whatever it is waiting for."""
        self.stopping.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        until = time.monotonic() + CLOSING_TIME
        while self._server.open and time.monotonic() < until:
            for connection in list(self._server.open):
                Connection.interrupt(connection)
            time.sleep(0.005)
        self._server.server_close()

    def netserver(self, name: str, tenders: Sequence[Tender] | int = 5, variant: str = "table") -> NetserverPortal:
        """Open a portal of this platform below ``/NAME/NetServer/``."""
        portal = NetserverPortal(name, self.url, tenders, variant)
        self.portals[portal.path] = portal
        return portal

    def cosinex(self, name: str, projects: Sequence[Project] | int = 5, skin: str = "heads") -> CosinexPortal:
        """Open a marketplace of this platform below ``/NAME/VMPCenter/``."""
        portal = CosinexPortal(name, self.url, projects, skin)
        self.portals[portal.path] = portal
        return portal

    @property
    def connections(self) -> int:
        """How many connections were accepted so far."""
        return self._server.accepted

    @property
    def requests(self) -> list[RecordedRequest]:
        """Every request so far, in the order of arrival."""
        with self._lock:
            return list(self._log)

    def requests_to(self, path: str, method: str | None = None) -> list[RecordedRequest]:
        """The requests whose path begins with ``path``."""
        return [r for r in self.requests if r.path.startswith(path) and method in (None, r.method)]

    def forget_requests(self) -> None:
        with self._lock:
            self._log.clear()

    def fault(self, match: Match, times: int | None = 1, kind: str = "status", **options: Any) -> Fault:
        """Misbehave for the next ``times`` requests that match (None: for ever); see ``faults.KINDS``."""
        return self._faults.add(match, times, kind, options)

    def clear_faults(self) -> None:
        self._faults.clear()

    def record(
        self, method: str, target: str, headers: dict[str, str], body: bytes, connection: Any
    ) -> RecordedRequest:
        with self._lock:
            number = self._server.open.get(connection, 0)
            request = RecordedRequest(len(self._log) + 1, method, target, headers, body, time.time(), number)
            self._log.append(request)
            return request

    def answer(self, request: RecordedRequest) -> Answer:
        """What the portals say to ``request``, faults applied; an error of their own is a 599, kept in ``errors``."""
        try:
            answer = self._faults.apply(request, self._portal(request))
        except Exception as error:
            self.errors.append(error)
            answer = Answer.of_json({"message": f"simulator: {error!r}"}, 599)
        request.status = 0 if answer.delivery.stop_after == -1 else answer.status
        if self._log_file is not None:
            self._write_log(request, self._log_file)
        return answer

    def _portal(self, request: RecordedRequest) -> Callable[[], Answer]:
        interfaces: dict[str, Any] = {
            TED_PATH: self.ted,
            CONTRACTS_FINDER_PATH: self.contracts_finder,
            EXPORTS_PATH: self.doe,
            FEEDS_PATH: self.nrw,
        }
        below = (portal for path, portal in self.portals.items() if request.path.startswith(path))
        if (portal := interfaces.get(request.path) or next(below, None)) is not None:
            return lambda: portal.answer(request)
        if request.path == "/robots.txt":
            return self._robots
        return lambda: self.files.answer(request)

    def _robots(self) -> Answer:
        if self.robots is None:
            return Answer.of_html("<html><body>Not found</body></html>", 404)
        return Answer(200, self.robots.encode(), "text/plain")

    def _write_log(self, request: RecordedRequest, path: Path) -> None:
        line = {
            "number": request.number,
            "method": request.method,
            "target": request.target,
            "headers": request.headers,
            "body": request.body.decode("utf-8", "replace"),
            "at": request.at,
            "connection": request.connection,
            "status": request.status,
        }
        with self._lock, path.open("a", encoding="utf-8") as log:
            log.write(json.dumps(line, ensure_ascii=False) + "\n")
