"""Every way out of the product is shut towards the inside, however an address is written, redirected or resolved.

A web server really runs on all of 127.0.0.0/8 and ::1 and counts who connects. The rule about ports is out of the way
and one of its addresses stands for a public one, so that nothing but the rule about addresses protects the others.
"""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import requests
from chaos.report import Outcome, publish

from services import leaving
from services.inside import NAMES, OUTSIDE, SPELLINGS, Inside, inside
from services.leaving import leave
from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.http import url_guard
from tenderscrapy.http.client import session
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.chaos  # for its row in docs/reliability.md

BROWSER = {"playwright": True, "dont_retry": True}
#: A page is done when its own requests are.
QUIET = {"playwright_page_goto_kwargs": {"wait_until": "networkidle"}}
#: Inside addresses that a hop of a chain leads to, and what the hops before it answer with.
TARGETS = ("127.0.0.1", "0x7f.1", "[::1]", "inside.example.org", "rebinds.example.org", "user@127.0.0.1")
STATUSES = (301, 302, 303, 307, 308)
#: Names that lead outside too.
REBINDING = [name for name, addresses in NAMES.items() if OUTSIDE in addresses]


def plan(server: Inside, **more: Any) -> dict[str, Any]:
    return {"names": NAMES, "ports": [server.port], "public": [OUTSIDE], **more}


def hop(server: Inside, to: str, status: int = 302) -> str:
    return server.outside(f"/to?status={status}&to={quote(to, safe='')}")


def chains(server: Inside) -> list[str]:
    """Redirects from outside to the inside: each status, each way to write the target, up to four hops before it."""
    found = [hop(server, f"http://{host}:{server.port}/x", status) for host in TARGETS for status in STATUSES]
    found += [hop(server, to.format(server.port)) for to in ("//127.0.0.1:{}/", "//[::1]:{}/x")]
    for length in range(2, 6):
        address = f"http://127.0.0.1:{server.port}/x"
        for _ in range(length):
            address = hop(server, address)
        found.append(address)
    return [*found, hop(server, "file:///etc/passwd"), hop(server, "data:text/plain,ok")]


def requested(addresses: list[str], **more: Any) -> list[dict[str, Any]]:
    """A request each, also for two spellings that are one address to Scrapy."""
    return [{"url": address, "dont_filter": True, **more} for address in addresses]


@dataclass
class Tally:
    """What was tried at each door, and how much of it the guard had to stop."""

    tried: dict[str, int] = field(default_factory=dict)
    stopped: int = 0
    reached: int = 0

    def shut(self, door: str, server: Inside, outcomes: list[dict[str, Any]], tried: int, least: int) -> None:
        """Nobody came in, every request ended, and only what leads outside was answered."""
        self.tried[door] = tried
        self.stopped += len([outcome for outcome in outcomes if "error" in outcome])
        self.reached += len(server.reached)
        assert server.reached == []
        assert tried >= least
        assert len(outcomes) == tried
        answered = [outcome["asked"] for outcome in outcomes if "error" not in outcome]
        assert [asked for asked in answered if not any(name in asked for name in REBINDING)] == []


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    """Publishes one row for all doors."""
    tally = Tally()
    yield tally
    doors = ", ".join(f"{door} {tried}" for door, tried in tally.tried.items())
    result = f"{tally.reached} connections to the listener ({doors})"
    publish(Outcome("hostile address or redirect", sum(tally.tried.values()), tally.stopped, 0, 0, result))


DOORS = pytest.mark.parametrize("door", ["page", "file"])


def through(door: str, folder: Path) -> dict[str, Any]:
    return {"stream_to": str(folder)} if door == "file" else {}


@DOORS
def test_an_address_of_the_inside(tmp_path: Path, tally: Tally, door: str) -> None:
    with inside() as server:
        addresses = server.addresses()
        answer = leave(*requested(addresses), **plan(server, **through(door, tmp_path)))
    outcomes = answer["outcomes"]
    tally.shut(door, server, outcomes, len(addresses), 60)
    assert {outcome.get("error") for outcome in outcomes} <= {"AddressRefusedError", "ValueError", None}
    assert "retry/count" not in answer["stats"]


@DOORS
def test_a_redirect_to_the_inside(tmp_path: Path, tally: Tally, door: str) -> None:
    with inside() as server:
        addresses = chains(server)
        answer = leave(*requested(addresses), **plan(server, **through(door, tmp_path)))
        assert OUTSIDE in server.met
    tally.shut(f"redirect of a {door}", server, answer["outcomes"], len(addresses), 30)


def test_a_query_that_is_redirected_to_the_inside(tally: Tally) -> None:
    with inside() as server:
        query = {"method": "POST", "body": '{"query": "x"}', "headers": {"Content-Type": "application/json"}}
        addresses = chains(server)
        answer = leave(*requested(addresses, **query), **plan(server))
    tally.shut("redirect of a query", server, answer["outcomes"], len(addresses), 30)


def test_robots_txt_that_leads_to_or_lies_in_the_inside(tally: Tally) -> None:
    with inside() as server:
        server.robots = [f"http://{host}:{server.port}/robots.txt" for host in TARGETS] + chains(server)
        hosts = {f"r{number}.example.org": OUTSIDE for number in range(len(server.robots))}
        sent_on = [f"http://{host}:{server.port}/x" for host in hosts]
        inner = [f"http://{name}:{server.port}/x" for name in NAMES if name not in REBINDING]
        settings = {"ROBOTSTXT_OBEY": True}
        answer = leave(*requested(sent_on + inner), **{**plan(server, settings=settings), "names": NAMES | hosts})
    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    # a robots.txt that cannot be had forbids nothing
    assert {outcomes[asked].get("status") for asked in sent_on} == {200}
    inward = [asked for asked, to in zip(sent_on, server.robots, strict=True) if "rebinds" not in to]
    assert answer["log"].count("no robots.txt for <GET http://r") == len(inward)
    assert "Traceback" not in answer["log"]
    ended = [outcomes[asked] for asked in inner] + [{"asked": asked, "error": "of robots.txt"} for asked in inward]
    tally.shut("robots.txt", server, ended, len(inward + inner), 40)


@pytest.fixture
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name server and the guard of this process are put back after the test changed them."""
    monkeypatch.setattr(socket, "getaddrinfo", socket.getaddrinfo)
    monkeypatch.setattr(url_guard, "is_public", url_guard.is_public)
    monkeypatch.setattr(url_guard, "PORTS", dict(url_guard.PORTS))


def fetched(addresses: list[str], allowed: PrivateHosts) -> list[dict[str, Any]]:
    """What became of each address in the client of the parts without Scrapy."""
    outcomes: list[dict[str, Any]] = []
    for address in addresses:
        with session(allowed) as client:
            try:
                outcomes.append({"asked": address, "status": client.get(address, timeout=10).status_code})
            except (AddressRefusedError, requests.RequestException, ValueError) as error:
                outcomes.append({"asked": address, "error": type(error).__name__})
    return outcomes


@pytest.mark.usefixtures("_names")
def test_the_client_of_the_parts_without_scrapy(tally: Tally) -> None:
    with inside() as server:
        leaving.answer_names(NAMES)
        leaving.open_the_guard([server.port], [OUTSIDE])
        addresses = [*server.addresses(), *chains(server)]
        outcomes = fetched(addresses, PrivateHosts())
    tally.shut("client", server, outcomes, len(addresses), 90)


def browsable(server: Inside) -> list[str]:
    return [address for address in (*server.addresses(), *chains(server)) if address.lower().startswith("http")]


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
def test_a_page_of_the_browser(tally: Tally) -> None:
    with inside() as server:
        addresses = browsable(server)
        asked = requested(addresses, meta=BROWSER)
        answer = leave(*asked, **plan(server, settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 4}))
    tally.shut("browser", server, answer["outcomes"], len(addresses), 90)


def asking(addresses: list[str]) -> str:
    """A page that asks for every address as a picture, a script and by itself."""
    return f"""<!DOCTYPE html><meta charset="utf-8"><p id="end"></p><script>
    let tried = 0
    for (const address of {json.dumps(addresses)}) {{
      new Image().src = address
      document.head.append(Object.assign(document.createElement("script"), {{ src: address }}))
      fetch(address, {{ mode: "no-cors" }}).catch(() => 0)
      tried += 1
    }}
    document.getElementById("end").textContent = "tried " + tried
    </script>"""


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
def test_what_a_page_of_the_browser_asks_for(tally: Tally) -> None:
    with inside() as server:
        addresses = browsable(server)
        server.page = asking(addresses)
        answer = leave({"url": server.outside("/page"), "meta": BROWSER | QUIET}, **plan(server, texts=True))
    (outcome,) = answer["outcomes"]
    assert f"tried {len(addresses)}<" in outcome["text"]
    assert answer["stats"]["browser/refused"] >= len(addresses)
    ended = [{"asked": address, "error": "of the browser"} for address in addresses]
    tally.shut("subresource", server, ended, len(addresses), 90)


CONTROLS = ["127.0.0.1", "[::1]", "inside.example.org"]


@pytest.mark.parametrize("door", ["page", "file", "redirect", "query", "robots.txt"])
def test_where_an_operator_opens_the_inside_the_same_doors_lead_there(tmp_path: Path, door: str) -> None:
    with inside() as server:
        answer = opened(server, door, **through(door, tmp_path))
    assert [outcome.get("status") for outcome in answer["outcomes"]] == [200] * 3
    came_in(server)
    assert "ALLOW_PRIVATE_HOSTS opens addresses that are refused otherwise" in answer["log"]


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
@pytest.mark.parametrize("door", ["browser", "subresource"])
def test_where_an_operator_opens_the_inside_the_browser_leads_there(door: str) -> None:
    with inside() as server:
        answer = opened(server, door)
    assert {outcome.get("status") for outcome in answer["outcomes"]} == {200}
    came_in(server)


@pytest.mark.usefixtures("_names")
def test_where_an_operator_opens_the_inside_the_client_leads_there() -> None:
    with inside() as server:
        leaving.answer_names(NAMES)
        outcomes = fetched([f"http://{host}:{server.port}/x" for host in CONTROLS], PrivateHosts.parse(allowed(server)))
    assert [outcome.get("status") for outcome in outcomes] == [200] * 3
    came_in(server)


def allowed(server: Inside) -> str:
    return ",".join(f"{host}:{server.port}" for host in CONTROLS)


def opened(server: Inside, door: str, **more: Any) -> dict[str, Any]:
    """Go through ``door`` to the inside where ALLOW_PRIVATE_HOSTS names it."""
    addresses = [f"http://{host}:{server.port}/x" for host in CONTROLS]
    settings: dict[str, Any] = {"ALLOW_PRIVATE_HOSTS": allowed(server)}
    names: dict[str, Any] = dict(NAMES)
    asked: list[dict[str, Any]] = requested(addresses)
    if door == "redirect":
        asked = requested([hop(server, address) for address in addresses])
    elif door == "query":
        query = {"method": "POST", "body": "{}", "headers": {"Content-Type": "application/json"}}
        asked = requested([hop(server, address, 307) for address in addresses], **query)
    elif door == "robots.txt":
        server.robots = [f"{address}?robots" for address in addresses]
        names |= {f"r{number}.example.org": OUTSIDE for number in range(3)}
        asked = requested([f"http://r{number}.example.org:{server.port}/x" for number in range(3)])
        settings["ROBOTSTXT_OBEY"] = True
    elif door == "browser":
        asked = requested(addresses, meta=BROWSER)
    elif door == "subresource":
        server.page = asking(addresses)
        asked = [{"url": server.outside("/page"), "meta": BROWSER | QUIET}]
    return leave(*asked, **{**plan(server, settings=settings, **more), "names": names})


def came_in(server: Inside) -> None:
    assert {"127.0.0.1", "::1"} <= {address.removeprefix("::ffff:") for address in server.reached}


def test_the_listener_counts_every_spelling_that_a_plain_client_reads() -> None:
    """What is refused above would have been reached: a client without a guard gets through."""
    with inside() as server:
        for host in SPELLINGS:
            with contextlib.suppress(requests.RequestException, ValueError, UnicodeError):
                requests.get(f"http://{host}:{server.port}/x", timeout=5)
    assert len(server.reached) >= 20
