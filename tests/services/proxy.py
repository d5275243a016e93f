"""A TCP proxy that a test can have cut, stall, delay or half-close what passes through it."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time
from typing import Self

_PIECE = 65_536
#: Close with a reset, as a router that has forgotten the connection does.
_RESET = struct.pack("ii", 1, 0)


class TcpProxy:
    """``url`` leads to the port of ``target`` by way of this proxy.

    ``delay`` holds every piece back for so many seconds; ``stalled`` lets nothing through, nor an end;
    ``reset_after`` resets a connection once the server has answered so many bytes on it.
    """

    def __init__(self, target: str) -> None:
        self.delay = 0.0
        self.stalled = False
        self.reset_after: int | None = None
        self.cuts = 0
        head, _, rest = target.partition("@")
        address, _, path = rest.partition("/")
        host, _, port = address.partition(":")
        self._target = (host, int(port))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{head}@127.0.0.1:{self._listener.getsockname()[1]}/{path}"
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self.reset()

    def reset(self) -> None:
        """Reset every connection."""
        for pair in list(self._pairs):
            self._cut(pair)

    def half_close(self) -> None:
        """Tell the client that the server says no more; what the client sends still gets through."""
        for client, _ in list(self._pairs):
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
                self.cuts += 1

    def _cut(self, pair: tuple[socket.socket, socket.socket]) -> None:
        if pair not in self._pairs:
            return
        self._pairs.remove(pair)
        self.cuts += 1
        for end in pair:
            with contextlib.suppress(OSError):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._target, 5)
            except OSError:
                client.close()
                continue
            self._pairs.append((client, server))
            threading.Thread(target=self._carry, args=((client, server),), daemon=True).start()

    def _carry(self, pair: tuple[socket.socket, socket.socket]) -> None:
        client, server = pair
        answered = 0
        try:
            while True:
                if self.stalled:
                    time.sleep(0.02)
                    continue
                for end in select.select(pair, [], [], 0.2)[0]:
                    piece = end.recv(_PIECE)
                    if not piece:
                        return
                    time.sleep(self.delay)
                    if end is server:
                        answered += len(piece)
                    if self.reset_after is not None and answered > self.reset_after:
                        return
                    with contextlib.suppress(BrokenPipeError):  # half closed: what the server says has no way
                        (server if end is client else client).sendall(piece)
        except (OSError, ValueError):
            return
        finally:
            self._cut(pair)
