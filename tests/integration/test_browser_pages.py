"""Requests that a browser loads: what they bring, what they cannot reach, and that they end."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from services.leaving import ROOT, leave

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator import PortalSimulator

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("simulator", "chromium")]

BROWSER = {"playwright": True, "dont_retry": True, "show": ["redirect_times"]}


def page(url: str, **meta: Any) -> dict[str, Any]:
    return {"url": url, "meta": {**BROWSER, **meta}}


def only(answer: dict[str, Any]) -> dict[str, Any]:
    (outcome,) = answer["outcomes"]
    return outcome


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


def test_a_page_arrives_as_its_script_made_it_and_ordinary_requests_go_without_the_browser(
    simulator: PortalSimulator,
) -> None:
    simulator.files.add("/list.json", '{"title": "Erneuerung der Straßenbeleuchtung"}'.encode(), "application/json")
    url = simulator.files.add(
        "/list",
        b"""<!DOCTYPE html><meta charset="utf-8"><p id="row">loading</p><script>
        fetch("/list.json").then(r => r.json()).then(d => { document.getElementById("row").textContent = d.title })
        </script>""",
        "text/html",
    )
    moved = simulator.files.file_url("moved", to=url)

    answer = leave(page(moved), f"{url}?plain", texts=True)

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    assert '<p id="row">Erneuerung der Straßenbeleuchtung</p>' in outcomes[moved]["text"]
    assert (outcomes[moved]["url"], outcomes[moved]["meta"]["redirect_times"]) == (url, 1)
    assert '<p id="row">loading</p>' in outcomes[f"{url}?plain"]["text"]
    assert answer["stats"]["playwright/page_count"] == 1
    agents = {request.headers["user-agent"] for request in simulator.requests}
    assert len(agents) == 1
    assert agents.pop().startswith("tenderscrapy/")


def test_an_ordinary_crawl_loads_no_browser_code() -> None:
    program = (
        "import sys; import tenderscrapy.http.scrapy_browser;"
        "sys.exit(any(name.partition('.')[0] in ('playwright', 'scrapy_playwright') for name in sys.modules))"
    )

    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


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


#: The denied portals' port is opened and their names lead to the listener: only the denylist is in the way.
DENIED = ("www.vergabe24.de", "vergabe24.de", "a.aumass.de")


@pytest.mark.parametrize("opened", [False, True], ids=["closed", "opened"])
def test_a_page_reaches_nothing_that_the_guard_refuses(simulator: PortalSimulator, opened: bool) -> None:
    with listener() as (port, met):
        hosts = [*DENIED, *(["127.0.0.1"] if opened else [])]
        answer = leave(
            page(hostile_page(simulator, port)),
            names=dict.fromkeys((*DENIED, "inside.example.org"), "127.0.0.1"),
            settings={"ALLOW_PRIVATE_HOSTS": ",".join([simulator.host, *(f"{host}:{port}" for host in hosts)])},
            texts=True,
        )

    outcome = only(answer)
    assert outcome["status"] == 200
    assert '<p id="end">tried 13</p>' in outcome["text"]
    assert answer["stats"]["browser/refused"] >= 4
    assert not any(name in first for first in met for name in (b"vergabe24", b"aumass", b"inside", b"localhost"))
    if opened:  # the page does try: the same one gets through where an operator says that it may
        paths = {first.split(b" ")[1].decode() for first in met if b" HTTP/1.1" in first}
        assert paths >= {"/script", "/frame", "/fetch", "/socket", "/events", "/worker", "/moved", "/beacon", "/form"}
    else:
        assert met == []


def test_a_page_that_leads_to_a_refused_address_is_refused(simulator: PortalSimulator) -> None:
    with listener() as (port, met):
        inside = simulator.files.file_url("inside", to=f"http://127.0.0.1:{port}/")
        denied = simulator.files.file_url("denied", to="https://www.Vergabe24.de./")
        named = simulator.files.file_url("named", to=f"http://inside.example.org:{port}/")
        script = simulator.files.add("/script", b"<script>location = 'http://other.test/'</script>", "text/html")
        answer = leave(
            *(page(url) for url in (inside, denied, named, script, "http://inside.example.org/")),
            names={"inside.example.org": "127.0.0.1", "other.test": "127.0.0.1"},
        )

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    refused = {asked for asked, outcome in outcomes.items() if outcome.get("error") == "AddressRefusedError"}
    assert refused >= {inside, denied, named, "http://inside.example.org/"}
    assert "prohibits" in outcomes[denied]["message"]
    assert "is not a public address" in outcomes["http://inside.example.org/"]["message"]
    assert outcomes[script].get("url", script) == script
    assert met == []


def test_a_page_that_leaves_the_hosts_of_its_source_is_an_error_and_takes_no_credentials_there(
    simulator: PortalSimulator,
) -> None:
    other = simulator.url.replace("127.0.0.1", "localhost")
    leaving = simulator.files.file_url("leaving", to=f"{other}/files/elsewhere?type=text/html")
    circling = simulator.files.file_url("circling", redirects=6, type="text/html")
    file = simulator.files.file_url("file.bin", type="application/octet-stream", disposition="attachment")

    secrets = {"Authorization": "Basic c2VjcmV0", "X-API-Key": "secret"}

    answer = leave(
        page(leaving) | {"headers": secrets},
        *map(page, (circling, file)),
        spider={"allowed_hosts": ["127.0.0.1"]},
        settings={"ALLOW_PRIVATE_HOSTS": f"{simulator.host},localhost:{simulator.port}"},
    )

    outcomes = {outcome["asked"]: (outcome["error"], outcome["message"]) for outcome in answer["outcomes"]}
    assert outcomes[leaving] == ("AddressRefusedError", "localhost is not a host of this source")
    assert outcomes[circling][0] == "SourceRequestError"
    assert "more than 5 redirects" in outcomes[circling][1]
    assert outcomes[file][0] == "SourceRequestError"
    assert "without the browser" in outcomes[file][1]
    assert len(simulator.requests_to("/files/elsewhere")) == 1
    assert not any({"authorization", "x-api-key"} & request.headers.keys() for request in simulator.requests)


def test_twenty_pages_that_never_finish_hold_up_neither_five_good_ones_nor_the_end(simulator: PortalSimulator) -> None:
    files = simulator.files
    endless = files.file_url("endless", delay=120)
    kinds = [
        endless,
        files.file_url("trickle", type="text/html", rate=1, piece=1, size=1000),
        files.add("/picture", f'<img src="{endless}">'.encode(), "text/html"),
        files.add("/loop", b"<p>x</p><script>while (true) {}</script>", "text/html"),
    ]
    bad = [f"{kind}{'&' if '?' in kind else '?'}copy={copy}" for copy in range(5) for kind in kinds]
    good = [files.add(f"/good{number}", b"<p>good</p>", "text/html") for number in range(5)]

    answer = leave(
        *(page(url, download_timeout=1) for url in bad),
        *map(page, good),
        settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 25, "DOWNLOAD_DELAY": 0.001},
    )

    outcomes = {outcome["asked"]: outcome.get("error", outcome.get("status")) for outcome in answer["outcomes"]}
    assert outcomes == dict.fromkeys(bad, "DownloadTimeoutError") | dict.fromkeys(good, 200)
    assert answer["stats"]["browser/timed_out"] == 20
    assert answer["stats"]["playwright/page_count"] == 25
    assert answer["stats"]["playwright/page_count/max_concurrent"] <= 4
    assert "Traceback" not in answer["log"]
    assert "Exception" not in answer["log"]


def test_without_a_browser_only_the_pages_that_need_one_fail(simulator: PortalSimulator) -> None:
    plain, needing = simulator.files.file_url("plain"), simulator.files.file_url("needing")

    answer = leave(page(needing), plain, page(f"{needing}2"), settings={"CHROMIUM": "/nowhere/chromium"})

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    assert outcomes[plain]["status"] == 200
    for url in (needing, f"{needing}2"):
        assert outcomes[url]["error"] == "ConfigurationError"
        assert "install chromium, or set CHROMIUM" in outcomes[url]["message"]
    assert simulator.requests_to("/files/needing") == []
