"""Requests that a browser loads: what they bring, what they cannot reach, and that they end."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from services.hostile_page import hostile_page, listener
from services.leaving import ROOT, leave

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("simulator", "chromium")]

BROWSER = {"playwright": True, "dont_retry": True, "show": ["redirect_times"]}


def page(url: str, **meta: Any) -> dict[str, Any]:
    return {"url": url, "meta": {**BROWSER, **meta}}


def only(answer: dict[str, Any]) -> dict[str, Any]:
    (outcome,) = answer["outcomes"]
    return outcome


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

    quiet = {"wait_until": "networkidle"}  # the script's own request does not hold up the event "load"
    answer = leave(page(moved, playwright_page_goto_kwargs=quiet), f"{url}?plain", texts=True)

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
