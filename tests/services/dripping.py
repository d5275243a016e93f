"""A server that never comes to an end: headers or a body byte by byte, for as long as somebody listens."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PAUSE = 0.1  # seconds between two bytes
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n"


@contextmanager
def dripping() -> Iterator[str]:
    """The server's ``host:port``. ``/headers`` never ends its headers, ``/body`` never its body of known length."""
    stop = threading.Event()
    threads: list[threading.Thread] = []
    server = socket.create_server(("127.0.0.1", 0))

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            asked = connection.recv(65_536)
            in_body = asked.split(b" ")[1] == b"/body"
            connection.sendall(_HEAD + (b"Content-Length: 1000000\r\n\r\n%PDF-1.7\n" if in_body else b"X-Long: "))
            while not stop.wait(PAUSE):
                connection.sendall(b"x")

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threads.append(threading.Thread(target=drip, args=(connection,)))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        stop.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        accepting.join()
        for thread in threads:
            thread.join()
