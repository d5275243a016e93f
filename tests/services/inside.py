"""Machines that nobody may reach: web servers on loopback addresses that count who comes, and the ways to name them."""

from __future__ import annotations

import re
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

#: In these tests this one address stands for a public one; names lead to it at first, or it sends on to the inside.
OUTSIDE = "127.0.0.9"

#: Spellings of 127.0.0.0/8 and ::1 that some client somewhere connects to.
SPELLINGS = (
    "127.0.0.1", "127.0.0.2", "127.1", "127.0.1", "127.255.255.254", "2130706433", "2130706434", "0x7f000001",
    "0x7F.1", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.1", "017700000001", "00000177.0.0.1", "127.0.0.1.", "0",
    "0.0.0.0", "0x0", "000.000.000.000", "localhost", "LOCALHOST", "LocalHost.",
    "ip6-localhost", "app.localhost", "[::1]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
    "[::1%25lo]", "[::1%lo]", "１２７.０.０.１", "127。0。0。1", "127．0．0．1", "①②⑦.⓪.⓪.①", "%31%32%37.0.0.1",
    "127.0.0.1%00", "ｌｏｃａｌｈｏｓｔ", "lo\u00adcalhost",
)  # fmt: skip
#: Names whose name server says that they lie inside.
NAMES = {
    "inside.example.org": ["127.0.0.1"],
    "example.org": ["127.0.0.4"],
    "localhost.localdomain": ["127.0.0.1"],
    "INSIDE2.example.org": ["127.0.0.2"],
    "six.example.org": ["::1"],
    "mapped.example.org": ["::ffff:127.0.0.1"],
    "nothing.example.org": ["0.0.0.0"],
    "xn--inside-bya.example.org": ["127.0.0.3"],
    "inside.example.org.": ["127.0.0.1"],
    # the answer changes between the first question and the second: rebinding
    "rebinds.example.org": [OUTSIDE, "127.0.0.1"],
    "rebinds2.example.org": ["127.0.0.1", OUTSIDE],
    "rebinds6.example.org": [OUTSIDE, "::1", OUTSIDE],
}
#: Ways to write an address so that two readers see two hosts; ``{}`` is the port.
CONFUSIONS = (
    "http://user@127.0.0.1:{}/", "http://user:pw@127.0.0.1:{}/", "http://example.org@127.0.0.1:{}/",
    "http://127.0.0.1:{}#@example.org/", "http://example.org\\@127.0.0.1:{}/", "http://127.0.0.1:{}\\@example.org/",
    "http://example.org/\\@127.0.0.1:{}/", "http:\\\\127.0.0.1:{}/", "HTTP://127.0.0.1:{}/", "http:///127.0.0.1:{}/",
    "http://127.0.0.1\t:{}/", "http://127.0.0.1 :{}/", "\thttp://127.0.0.1:{}/", "http://127.0.0.1:{}:80/",
    "http://[127.0.0.1]:{}/", "http://127.0.0.1:0{}/", "ftp://127.0.0.1:{}/", "gopher://127.0.0.1:{}/",
    "dict://127.0.0.1:{}/", "ws://127.0.0.1:{}/", "file://127.0.0.1:{}/etc/passwd", "https://127.0.0.1:{}/",
)  # fmt: skip


@dataclass
class Inside:
    """``port`` is the same on every address; ``met`` the addresses of ours that somebody connected to.

    ``robots`` are addresses that the robots.txt of r0.example.org, r1.example.org ... send on to; ``page`` is the HTML
    of ``/page``.
    """

    port: int
    met: list[str] = field(default_factory=list)
    robots: list[str] = field(default_factory=list)
    page: str = ""

    def addresses(self) -> list[str]:
        """Every way in that one request can try."""
        hosts = [f"http://{host}:{self.port}/x" for host in (*SPELLINGS, *NAMES)]
        return hosts + [text.format(self.port) for text in CONFUSIONS]

    def outside(self, path: str) -> str:
        """The address of a page outside; ``/to?...`` answers with a redirect."""
        return f"http://{OUTSIDE}:{self.port}{path}"

    @property
    def reached(self) -> list[str]:
        """The inside addresses that were connected to."""
        return [address for address in self.met if address.removeprefix("::ffff:") != OUTSIDE]


@contextmanager
def inside() -> Iterator[Inside]:
    """Serve on every address of 127.0.0.0/8 and on ::1."""
    port = _port_of_both()
    found = Inside(port)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            query = parse_qs(asked.query)
            to = query.get("to", [""])[0]
            host = re.match(r"r(\d+)\.", self.headers.get("Host", ""))
            if asked.path == "/robots.txt" and host and found.robots:
                to = found.robots[int(host[1])]
            html = found.page.encode() if asked.path == "/page" else b""
            if to:
                self.send_response(int(query.get("status", ["302"])[0]))
                self.send_header("Location", to.encode().decode("latin-1"))
            else:
                self.send_response(404 if asked.path == "/robots.txt" else 200)
            self.send_header("Content-Type", "text/html" if html else "text/plain")
            self.send_header("Content-Length", str(len(html or b"ok")))
            self.end_headers()
            self.wfile.write(html or b"ok")

        do_POST = do_GET  # noqa: N815 - the name that http.server calls

        def log_message(self, *_: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def get_request(self) -> tuple[socket.socket, object]:
            connection, client = super().get_request()
            found.met.append(connection.getsockname()[0])
            return connection, client

        def handle_error(self, *_: object) -> None:
            """A client that goes away is no fault."""

    class Server6(Server):
        address_family = socket.AF_INET6

    servers = [Server(("0.0.0.0", port), Handler), Server6(("::1", port), Handler)]
    threads = [threading.Thread(target=server.serve_forever, args=(0.05,)) for server in servers]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        for server, thread in zip(servers, threads, strict=True):
            server.shutdown()
            thread.join()
            server.server_close()


def _port_of_both() -> int:
    while True:
        with socket.create_server(("0.0.0.0", 0)) as four:
            port = int(four.getsockname()[1])
            try:
                with socket.create_server(("::1", port), family=socket.AF_INET6):
                    return port
            except OSError:
                continue
