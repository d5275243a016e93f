"""A page that tries every way out of a browser, and a port that notes who comes."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator import PortalSimulator


@contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A port that keeps the first bytes of every connection, and every datagram."""
    met: list[bytes] = []
    tcp = socket.create_server(("127.0.0.1", 0))
    port = tcp.getsockname()[1]
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("0.0.0.0", port))

    def accept() -> None:
        while True:
            try:
                connection, _ = tcp.accept()
            except OSError:
                return
            met.append(connection.recv(100))
            connection.close()

    def receive() -> None:
        while (datagram := udp.recv(2000)) != b"end":
            met.append(datagram)

    threads = [threading.Thread(target=work) for work in (accept, receive)]
    for thread in threads:
        thread.start()
    yield port, met
    tcp.shutdown(socket.SHUT_RDWR)
    udp.sendto(b"end", ("127.0.0.1", port))
    for thread in threads:
        thread.join()
    tcp.close()
    udp.close()


def hostile_page(simulator: PortalSimulator, port: int) -> str:
    """The address of a page that tries every way to reach ``port``, and waits a while for the answers."""
    target, moved = f"http://127.0.0.1:{port}", simulator.files.file_url("moved", to=f"http://127.0.0.1:{port}/moved")
    worker = f"fetch('{target}/worker').catch(() => 0); new WebSocket('ws://127.0.0.1:{port}/worker')"
    simulator.files.add("/worker.js", worker.encode(), "text/javascript")
    tags = [
        f'<{tag} src="{address}"></{tag}>'
        for tag, address in [
            *(("script", f"{target}/script"), ("iframe", f"{target}/frame"), ("video preload", f"{target}/video")),
            *(("embed", f"{target}/embed"), ("iframe", moved), ("script", moved)),
            *(("img", f"http://{host}:{port}/x") for host in ("127.0.0.1", "localhost", "0x7f.1", "2130706433")),
            *(("img", f"http://{host}:{port}/x") for host in ("[::1]", "[::ffff:127.0.0.1]", "user:pw@127.0.0.1")),
            *(
                ("img", f"http://{host}:{port}/x")
                for host in ("www.VERGABE24.de.", "ＶＥＲＧＡＢＥ24.de", "a.aumass.de")
            ),
            *(("img", f"http://{host}/x") for host in ("inside.example.org", f"inside.example.org:{port}", "127.1")),
        ]
    ]
    links = [f'<link rel="{rel}" href="{target}/{rel}">' for rel in ("preconnect", "prefetch", "stylesheet", "icon")]
    html = f"""<!DOCTYPE html><meta charset="utf-8">{"".join(links)}
    <script type="speculationrules">{{"prerender": [{{"source": "list", "urls": ["{target}/prerender"]}}]}}</script>
    <p id="end">begun</p>{"".join(tags)}
    <form id="form" action="{target}/form" method="post" target="_blank"></form>
    <a id="ping" href="#x" ping="{target}/ping">x</a>
    <script>
    const ways = [
      () => fetch("{target}/fetch").catch(() => 0),
      () => fetch("{moved}").catch(() => 0),
      () => new WebSocket("ws://127.0.0.1:{port}/socket"),
      () => new WebSocket("ws://www.vergabe24.de:{port}/socket"),
      () => new EventSource("{target}/events"),
      () => navigator.sendBeacon("{target}/beacon", "x"),
      () => window.open("{target}/popup"),
      () => document.getElementById("form").submit(),
      () => document.getElementById("ping").click(),
      () => new Worker("/worker.js"),
      () => navigator.serviceWorker.register("/worker.js").catch(() => 0),
      () => {{
        const way = new WebTransport("https://127.0.0.1:{port}/")
        way.ready.catch(() => 0)
        way.closed.catch(() => 0)
      }},
      () => {{
        const servers = ["stun:127.0.0.1:{port}", "turn:127.0.0.1:{port}", "turn:127.0.0.1:{port}?transport=tcp"]
          .map(urls => ({{ urls, username: "a", credential: "b" }}))
        const peer = new RTCPeerConnection({{ iceServers: servers }})
        peer.createDataChannel("x")
        peer.createOffer().then(offer => peer.setLocalDescription(offer))
      }},
    ]
    let tried = 0
    for (const way of ways) {{ try {{ way(); tried += 1 }} catch (error) {{ console.log(error) }} }}
    document.getElementById("end").textContent = "tried " + tried
    </script><img src="{simulator.files.file_url("slow", delay=2)}">"""
    return simulator.files.add("/hostile", html.encode(), "text/html", Link=f"<{target}/early>; rel=preload; as=script")
