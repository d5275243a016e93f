"""One client's connection: reads requests, sends answers as fast or as badly as their delivery says."""

from __future__ import annotations

import contextlib
import gzip
import socket
import struct
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal_simulator.exchange import Answer, Delivery

LARGEST_REQUEST = 16 * 1024 * 1024
PATIENCE = 30.0
NO_BODY = frozenset({204, 304})


class Connection(BaseHTTPRequestHandler):
    """HTTP/1.1 with keep-alive; every wait ends when the simulator stops."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm: ClassVar[bool] = True
    server: Any

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError, TimeoutError, OSError):
            super().handle()

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass

    def exchange(self) -> None:
        simulator = self.server.simulator
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = simulator.record(self.command, self.path, headers, self._body(headers), self.connection)
        answer = simulator.answer(request)
        if simulator.compress and "gzip" in headers.get("accept-encoding", "") and answer.pieces is None:
            answer.body = gzip.compress(answer.body, 1)
            answer.headers = [*answer.headers, ("Content-Encoding", "gzip")]
        self._send(answer)

    def __getattr__(self, name: str) -> Any:
        """Every method is answered in the same way."""
        if name.startswith("do_"):
            return self.exchange
        raise AttributeError(name)

    def _body(self, headers: dict[str, str]) -> bytes:
        if "chunked" not in headers.get("transfer-encoding", ""):
            return self.rfile.read(min(int(headers.get("content-length", 0)), LARGEST_REQUEST))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _send(self, answer: Answer) -> None:
        delivery = answer.delivery
        if delivery.delay and self.server.simulator.stopping.wait(delivery.delay):
            self.close_connection = True
            return
        if delivery.stop_after == -1:
            self._end(delivery.ending)
            return
        head = self._head(answer)
        if self.command == "HEAD" or answer.status in NO_BODY:
            self.wfile.write(head)
        elif answer.pieces is None and delivery.rate is None and delivery.stop_after is None and not delivery.chunked:
            if len(answer.body) < 65_536:
                self.wfile.write(head + answer.body)
            else:
                self.wfile.write(head)
                self.wfile.write(answer.body)
        else:
            self.wfile.write(head)
            self._send_slowly(answer)
        if delivery.declared_length is not None:
            self.close_connection = True

    def _head(self, answer: Answer) -> bytes:
        delivery = answer.delivery
        lines = [f"HTTP/1.1 {answer.status} {self.responses.get(answer.status, ('Status',))[0]}"]
        lines.append(f"Date: {self.date_time_string()}")
        if answer.media_type is not None:
            lines.append(f"Content-Type: {answer.media_type}")
        if delivery.chunked:
            lines.append("Transfer-Encoding: chunked")
        elif answer.status not in NO_BODY:
            length = answer.body_length if delivery.declared_length is None else delivery.declared_length
            lines.append(f"Content-Length: {length}")
        lines.extend(f"{name}: {value}" for name, value in answer.headers)
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")

    def _send_slowly(self, answer: Answer) -> None:
        delivery = answer.delivery
        pause = delivery.piece / delivery.rate if delivery.rate else 0
        for piece in _cut(answer.pieces or [answer.body], delivery):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if delivery.chunked else piece)
            if pause and self.server.simulator.stopping.wait(pause * len(piece) / delivery.piece):
                self.close_connection = True
                return
        if delivery.stop_after is not None:
            self._end(delivery.ending)
        elif delivery.chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _end(self, ending: str) -> None:
        self.close_connection = True
        if ending == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.server.resetting.add(self.connection)
        elif ending == "half_close":
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(PATIENCE)
            self.rfile.read(1)

    @staticmethod
    def interrupt(connection: socket.socket) -> None:
        """Wake up whatever thread reads from or writes to ``connection``."""
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)


def _cut(pieces: Iterable[bytes], delivery: Delivery) -> Iterator[bytes]:
    """The body in writes of ``delivery.piece`` bytes, ending after ``delivery.stop_after``."""
    left = delivery.stop_after
    for part in pieces:
        for start in range(0, len(part), delivery.piece):
            piece = part[start : start + delivery.piece]
            if left is not None:
                piece = piece[:left]
                left -= len(piece)
            if piece:
                yield piece
            if left == 0:
                return
