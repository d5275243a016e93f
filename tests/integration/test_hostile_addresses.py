"""Every way out of the product is shut towards the inside, however an address is written, redirected or resolved.

A web server really runs on all of 127.0.0.0/8 and ::1 and counts who connects. The rule about ports is out of the way
and one of its addresses stands for a public one, so that nothing but the rule about addresses protects the others.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
import requests
from chaos.report import Outcome, publish

from services import leaving
from services.inside import NAMES, OUTSIDE, SPELLINGS, Inside, inside
from services.leaving import leave
from tenderscrapy.http import url_guard
from tenderscrapy.http.client import session
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from pathlib import Path

BROWSER = {"playwright": True}
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


def shut(door: str, server: Inside, tried: int, outcomes: list[dict[str, Any]], least: int) -> None:
    """Nobody came in, every request ended, and the row of this door says so."""
    told = "no connection" if not server.reached else f"{len(server.reached)} connections"
    publish(Outcome(f"hostile address: {door}", tried, tried, 0, 0, f"{told} to the listener"))
    assert server.reached == []
    assert tried >= least
    assert len(outcomes) == tried
    refused = [o for o in outcomes if "error" in o]
    assert {o["error"] for o in refused} <= {"AddressRefusedError", "ValueError", "SourceRequestError", "HttpError"}
    assert len(refused) >= tried - len(NAMES), [o for o in outcomes if "error" not in o]
    # what got through went to the address that stands for a public one
    assert [o for o in outcomes if "error" not in o and not any(name in o["asked"] for name in REBINDING)] == []


@pytest.mark.parametrize("streamed", [False, True], ids=["page", "file"])
def test_an_address_of_the_inside(tmp_path: Path, streamed: bool) -> None:
    with inside() as server:
        addresses = server.addresses()
        answer = leave(*requested(addresses), **plan(server, **({"stream_to": str(tmp_path)} if streamed else {})))
    shut("a file" if streamed else "a page", server, len(addresses), answer["outcomes"], 60)


@pytest.mark.parametrize("streamed", [False, True], ids=["page", "file"])
def test_a_redirect_to_the_inside(tmp_path: Path, streamed: bool) -> None:
    with inside() as server:
        addresses = chains(server)
        answer = leave(*requested(addresses), **plan(server, **({"stream_to": str(tmp_path)} if streamed else {})))
        assert OUTSIDE in server.met
    shut(f"a redirect of {'a file' if streamed else 'a page'}", server, len(addresses), answer["outcomes"], 30)


def test_a_query_that_is_redirected_to_the_inside() -> None:
    with inside() as server:
        query = {"method": "POST", "body": '{"query": "x"}', "headers": {"Content-Type": "application/json"}}
        addresses = chains(server)
        answer = leave(*requested(addresses, **query), **plan(server))
    shut("a redirect of a query", server, len(addresses), answer["outcomes"], 30)


def test_robots_txt_that_leads_to_the_inside() -> None:
    tried = 0
    for target in ("http://127.0.0.1:{}/robots.txt", "http://inside.example.org:{}/robots.txt", "//[::1]:{}/"):
        with inside(robots=target) as server:
            answer = leave(server.outside("/x"), **plan(server, settings={"ROBOTSTXT_OBEY": True}))
            tried += 1
            assert server.reached == []
            assert OUTSIDE in server.met
            assert [outcome.get("status") for outcome in answer["outcomes"]] == [200]
    publish(Outcome("hostile address: robots.txt", tried, tried, 0, 0, "no connection to the listener"))


@pytest.fixture
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name server and the guard of this process, as ``leave`` has them in one of its own."""
    monkeypatch.setattr("socket.getaddrinfo", __import__("socket").getaddrinfo)
    monkeypatch.setattr(url_guard, "is_public", url_guard.is_public)
    monkeypatch.setattr(url_guard, "PORTS", dict(url_guard.PORTS))


@pytest.mark.usefixtures("_names")
def test_the_client_of_the_parts_without_scrapy() -> None:
    outcomes: list[dict[str, Any]] = []
    with inside() as server:
        leaving.answer_names(NAMES)
        leaving.open_the_guard([server.port], [OUTSIDE])
        addresses = [*server.addresses(), *chains(server)]
        for address in addresses:
            with session(PrivateHosts()) as client:
                try:
                    status = client.get(address, timeout=10).status_code
                    outcomes.append({"asked": address, "status": status})
                except (url_guard.AddressRefusedError, requests.RequestException, ValueError) as error:
                    name = "AddressRefusedError" if isinstance(error, url_guard.AddressRefusedError) else "ValueError"
                    outcomes.append({"asked": address, "error": name})
    shut("the client without Scrapy", server, len(addresses), outcomes, 90)


@pytest.mark.browser
def test_a_page_of_the_browser_and_all_that_it_asks_for() -> None:
    with inside() as server:
        addresses = [a for a in (*server.addresses(), *chains(server)) if a.startswith(("http", "HTTP"))][:60]
        answer = leave(*requested(addresses, meta=BROWSER), **plan(server))
    assert server.reached == []
    assert len(answer["outcomes"]) == len(addresses)
    publish(
        Outcome("hostile address: the browser", len(addresses), len(addresses), 0, 0, "no connection to the listener")
    )


CONTROLS = ["127.0.0.1", "[::1]", "inside.example.org"]


@pytest.mark.parametrize("door", ["page", "file", "redirect", "browser"])
def test_where_an_operator_opens_the_inside_the_same_doors_lead_there(tmp_path: Path, door: str) -> None:
    with inside() as server:
        addresses = [f"http://{host}:{server.port}/x" for host in CONTROLS]
        allowed = ",".join(f"{host}:{server.port}" for host in CONTROLS)
        asked = [hop(server, address) for address in addresses] if door == "redirect" else addresses
        meta = {"meta": BROWSER} if door == "browser" else {}
        more = {"stream_to": str(tmp_path)} if door == "file" else {}
        answer = leave(*requested(asked, **meta), **plan(server, settings={"ALLOW_PRIVATE_HOSTS": allowed}, **more))
    assert [outcome.get("status") for outcome in answer["outcomes"]] == [200] * 3
    assert {"127.0.0.1", "::1"} <= {address.removeprefix("::ffff:") for address in server.reached}
    assert "ALLOW_PRIVATE_HOSTS opens addresses that are refused otherwise" in answer["log"]


def test_the_listener_counts_every_spelling_that_a_plain_client_reads() -> None:
    """What is refused above would have been reached: a client without a guard gets through."""
    with inside() as server:
        for host in SPELLINGS:
            with contextlib.suppress(requests.RequestException, ValueError, UnicodeError):
                requests.get(f"http://{host}:{server.port}/x", timeout=5)
    assert len(server.reached) >= 20
