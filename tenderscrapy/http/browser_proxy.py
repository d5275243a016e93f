"""The way out of a browser: a SOCKS5 proxy on the loopback that connects to checked addresses only."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from typing import TYPE_CHECKING

from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.http.url_guard import NO_PRIVATE_HOSTS, PORTS, PrivateHosts, check_address, check_url, host_name

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT = 15.0
# What one connection may bring: a page and its pictures, never an endless stream.
MAX_BYTES = 256 * 1024 * 1024
_PIECE = 65_536
_REMEMBERED = 1000

# RFC 1928.
_VERSION, _CONNECT, _NO_AUTHENTICATION = 5, 1, 0
_SUCCEEDED, _NOT_ALLOWED, _UNREACHABLE, _BAD_COMMAND = 0, 2, 4, 7
_IPV4, _NAME, _IPV6 = 1, 3, 4

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class BrowserProxy:
    """Everything that a browser connects to goes through here: pages, redirects, frames, sockets, its own services.

    A browser behind a SOCKS5 proxy hands over the name and resolves nothing itself. The name is resolved here, once,
    and the address that was checked is the one that is connected to. What travels inside (TLS included) is not looked
    at. ``refused`` is called with host and rule for every connection that the guard refuses.
    """

    def __init__(
        self,
        allowed: PrivateHosts = NO_PRIVATE_HOSTS,
        refused: Callable[[str, str], None] = lambda host, rule: None,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._allowed = allowed
        self._refused = refused
        self._max_bytes = max_bytes
        self._refusals: dict[tuple[str, int], str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.url = ""

    async def start(self) -> None:
        """Listen on a free port of 127.0.0.1; ``url`` says which."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"socks5://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """Stop listening and end every connection."""
        if self._server is None:
            return
        self._server.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def refusal(self, host: str, port: int) -> str | None:
        """Why the last connection to ``host`` was refused, None when it was not."""
        return self._refusals.get((host_name(host), port))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine always runs in one
        self._tasks.add(task)
        try:
            if (out := await self._opened(reader, writer)) is not None:
                await self._relay((reader, writer), out)
        except (OSError, EOFError):
            pass  # the browser sees its own connection end
        except asyncio.CancelledError:
            if self._server is not None and self._server.is_serving():
                raise
        finally:
            self._tasks.discard(task)
            writer.transport.abort()

    async def _opened(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Streams | None:
        """The connection that the browser asks for, None when it gets none."""
        host, port = await _target(reader, writer)
        if not host:
            _answer(writer, _BAD_COMMAND)
            return None
        try:
            out = await self._connected(host, port)
        except AddressRefusedError as error:
            self._note(host, port, str(error))
            _answer(writer, _NOT_ALLOWED)
        except OSError as error:  # TimeoutError and an unknown name among them
            logger.debug("no connection to %s:%d: %s", host, port, error)
            _answer(writer, _UNREACHABLE)
        else:
            self._refusals.pop((host_name(host), port), None)
            _answer(writer, _SUCCEEDED)
            return out
        with contextlib.suppress(OSError):
            await writer.drain()
            writer.write_eof()
            await reader.read(1)  # until the browser has seen the answer
        return None

    async def _connected(self, host: str, port: int) -> Streams:
        shown = f"[{host}]" if ":" in host else host
        check_url(f"{'https' if port == PORTS['https'] else 'http'}://{shown}:{port}/", self._allowed)
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        last: Exception = OSError("the name has no address")
        for address in dict.fromkeys(str(place[0]) for *_, place in found):
            try:
                check_address(host, port, address, self._allowed)
                return await asyncio.wait_for(asyncio.open_connection(address, port), CONNECT_TIMEOUT)
            except (AddressRefusedError, OSError) as error:
                last = error
        raise last

    def _note(self, host: str, port: int, rule: str) -> None:
        if len(self._refusals) >= _REMEMBERED:
            del self._refusals[next(iter(self._refusals))]
        self._refusals[host_name(host), port] = rule
        self._refused(host, rule)

    async def _relay(self, inner: Streams, outer: Streams) -> None:
        (inner_reader, inner_writer), (outer_reader, outer_writer) = inner, outer
        ways = [
            asyncio.ensure_future(_pump(inner_reader, outer_writer, self._max_bytes)),
            asyncio.ensure_future(_pump(outer_reader, inner_writer, self._max_bytes)),
        ]
        try:
            await asyncio.gather(*ways)
        finally:
            for way in ways:
                way.cancel()
            outer_writer.transport.abort()


async def _target(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """The host and port that a SOCKS5 client asks for; an empty host for what is not understood."""
    version, methods = await reader.readexactly(2)
    offered = await reader.readexactly(methods)
    if version != _VERSION or _NO_AUTHENTICATION not in offered:
        return "", 0
    writer.write(bytes((_VERSION, _NO_AUTHENTICATION)))
    version, command, _, kind = await reader.readexactly(4)
    if kind == _NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("ascii", "replace")
    elif kind in (_IPV4, _IPV6):
        family, length = (socket.AF_INET, 4) if kind == _IPV4 else (socket.AF_INET6, 16)
        host = socket.inet_ntop(family, await reader.readexactly(length))
    else:
        return "", 0
    port = int.from_bytes(await reader.readexactly(2), "big")
    return (host, port) if (version, command) == (_VERSION, _CONNECT) else ("", 0)


def _answer(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((_VERSION, code, 0, _IPV4)) + bytes(6))


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, max_bytes: int) -> None:
    left = max_bytes
    while piece := await reader.read(_PIECE):
        left -= len(piece)
        if left < 0:
            raise ConnectionAbortedError("more than one connection may bring")
        writer.write(piece)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()
