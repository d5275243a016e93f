"""The browser's proxy, asked as a SOCKS5 client asks."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest

from tenderscrapy.http.browser_proxy import BrowserProxy
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

SUCCEEDED, NOT_ALLOWED, UNREACHABLE, BAD_COMMAND = 0, 2, 4, 7


@asynccontextmanager
async def echo() -> AsyncIterator[int]:
    """A server that says ``hello`` and then what it is told."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello ")
        while piece := await reader.read(1000):
            writer.write(piece)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


@asynccontextmanager
async def proxy(allowed: str = "", **options: Any) -> AsyncIterator[BrowserProxy]:
    made = BrowserProxy(PrivateHosts.parse(allowed), **options)
    await made.start()
    yield made
    await made.close()


async def ask(made: BrowserProxy, host: str, port: int, command: int = 1) -> tuple[int, Any, Any]:
    """The answer's code, and the streams behind it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(made.url.rpartition(":")[2]))
    name = host.encode()
    writer.write(b"\x05\x01\x00" + bytes((5, command, 0, 3, len(name))) + name + port.to_bytes(2, "big"))
    assert await reader.readexactly(2) == b"\x05\x00"
    return (await reader.readexactly(10))[1], reader, writer


def test_what_is_allowed_is_carried_both_ways_until_both_sides_are_done() -> None:
    async def scenario() -> bytes:
        async with echo() as port, proxy(f"127.0.0.1:{port}") as made:
            code, reader, writer = await ask(made, "127.0.0.1", port)
            assert code == SUCCEEDED
            writer.write(b"and more")
            writer.write_eof()
            answer: bytes = await reader.read()
            writer.close()
            return answer

    assert asyncio.run(scenario()) == b"hello and more"


@pytest.mark.parametrize(
    ("host", "port", "rule"),
    [
        ("127.0.0.1", 80, "127.0.0.1 is not a public address"),
        ("::1", 443, "::1 is not a public address"),
        ("0x7f.1", 80, "0x7f.1 is not a public address"),
        ("localhost", 80, "localhost is not a public name"),
        ("notices.example.org", 22, "notices.example.org: port 22 is not open (80 and 443 are)"),
        ("inside.example.org", 443, "inside.example.org resolves to 10.0.0.7, which is not a public address"),
        ("www.vergabe24.de.", 443, "the operator of this portal prohibits automated access"),
        ("user@notices.example.org", 443, "an address with a user name is not followed"),
    ],
)
def test_a_refused_target_is_not_connected_to(monkeypatch: pytest.MonkeyPatch, host: str, port: int, rule: str) -> None:
    said: list[tuple[str, str]] = []
    addresses = {"inside.example.org": "10.0.0.7"}

    async def scenario() -> tuple[int, str | None]:
        async with proxy(refused=lambda *refusal: said.append(refusal)) as made:
            code, _, writer = await ask(made, host, port)
            writer.close()
            return code, made.refusal(host, port)

    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda name, *rest, **more: resolve(addresses.get(name, name), *rest, **more)
    )
    assert asyncio.run(scenario()) == (NOT_ALLOWED, rule)
    assert said == [(host, rule)]


def test_a_name_is_resolved_once_and_what_was_checked_is_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name server that says something else the second time is not asked a second time."""
    asked: list[str] = []
    connected: list[str] = []
    resolve, connect = socket.getaddrinfo, asyncio.open_connection

    def rebinding(name: str, *rest: Any, **more: Any) -> Any:
        if name != "rebinding.example.org":
            return resolve(name, *rest, **more)
        asked.append(name)
        return resolve("192.0.2.1" if len(asked) > 1 else "1.1.1.1", *rest, **more)

    async def noting(host: str, port: int) -> Any:
        if port != 443:
            return await connect(host, port)
        connected.append(host)
        raise ConnectionRefusedError

    async def scenario() -> int:
        async with proxy() as made:
            code, _, writer = await ask(made, "rebinding.example.org", 443)
            writer.close()
            return code

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(asyncio, "open_connection", noting)
    assert asyncio.run(scenario()) == UNREACHABLE
    assert (asked, connected) == (["rebinding.example.org"], ["1.1.1.1"])


def test_other_commands_and_other_protocols_are_not_served() -> None:
    async def scenario() -> tuple[int, bytes]:
        async with echo() as port, proxy(f"127.0.0.1:{port}") as made:
            code, _, writer = await ask(made, "127.0.0.1", port, command=2)
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", int(made.url.rpartition(":")[2]))
            writer.write(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n".encode() + bytes(200))
            answer = await reader.read()
            writer.close()
            return code, answer

    code, answer = asyncio.run(scenario())
    assert code == BAD_COMMAND
    assert b"hello" not in answer


def test_a_connection_that_brings_too_much_is_ended() -> None:
    async def scenario() -> int:
        async with echo() as port, proxy(f"127.0.0.1:{port}", max_bytes=10_000) as made:
            _, reader, writer = await ask(made, "127.0.0.1", port)
            received = 0
            try:
                while True:
                    writer.write(bytes(1000))
                    piece = await reader.read(100_000)
                    if not piece:
                        break
                    received += len(piece)
            except ConnectionError:
                pass
            writer.close()
            return received

    assert 0 < asyncio.run(scenario()) <= 10_000


def test_closing_ends_what_is_open() -> None:
    async def scenario() -> bytes:
        async with echo() as port:
            async with proxy(f"127.0.0.1:{port}") as made:
                _, reader, writer = await ask(made, "127.0.0.1", port)
                assert await reader.readexactly(6) == b"hello "
            try:
                rest = await reader.read()
            except ConnectionError:
                rest = b""
            writer.close()
            return rest

    assert asyncio.run(scenario()) == b""
