"""A source's endpoint that leads to where nobody may go: asking again cannot help, so the run is ``failed``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from services.hostile_page import listener

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal_simulator import PortalSimulator
    from services.crawling import Crawl

SINCE = (datetime.now(UTC) - timedelta(days=40)).date().isoformat()
SEARCH = {"ted": "/v3/notices/search", "contracts_finder": "/Published/Notices/OCDS/Search"}
STATE = "SELECT state, reason FROM crawl_run ORDER BY id DESC LIMIT 1"
CURSOR = "SELECT cursor FROM source WHERE cursor IS NOT NULL"


@pytest.mark.parametrize(
    ("spider", "status", "target", "reason"),
    [
        ("contracts_finder", 302, "http://127.0.0.1:{}/inside", "port"),
        ("contracts_finder", 301, "http://10.0.0.1/inside", "not a public address"),
        ("contracts_finder", 302, "http://localhost/inside", "not a public name"),
        ("contracts_finder", 302, "file:///etc/passwd", "redirects to an address (file:) that cannot be asked"),
        ("contracts_finder", 302, "http://[::1", "cannot be asked"),
        ("contracts_finder", 302, "https://www.vergabe24.de/", "prohibits automated access"),
        ("contracts_finder", 302, "https://user:secret@example.org/", "user name"),
        ("ted", 307, "http://127.0.0.1:{}/inside", "port"),
        ("ted", 308, "file:///etc/passwd", "cannot be asked"),
        ("ted", 302, "http://user:secret@127.0.0.1:{}/inside", "set the source's URL to its new place"),
    ],
)
def test_a_source_that_redirects_to_a_refused_address_fails(
    simulator: PortalSimulator,
    crawl: Crawl,
    ask: Callable[..., Any],
    spider: str,
    status: int,
    target: str,
    reason: str,
) -> None:
    with listener() as (port, met):
        place = [("Location", target.format(port))]
        simulator.fault(SEARCH[spider], times=None, kind="status", status=status, headers=place)
        run = crawl(spider, since=SINCE)

    ((state, said),) = ask(STATE)
    assert (state, run.returncode, met) == ("failed", 1, []), run.stderr
    assert reason in said
    assert "secret" not in said + run.stderr
    assert "Traceback" not in run.stderr
    assert ask(CURSOR) == []


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:{}/", "http://2130706433:{}/", "file:///etc/passwd", "https://api.aumass.de/search"]
)
def test_a_source_whose_own_address_is_refused_fails(
    simulator: PortalSimulator, crawl: Crawl, ask: Callable[..., Any], url: str
) -> None:
    with listener() as (port, met):
        run = crawl("ted", since=SINCE, TED_API_URL=url.format(port))

    ((state, _),) = ask(STATE)
    assert (state, run.returncode, met) == ("failed", 1, []), run.stderr
    assert "Traceback" not in run.stderr


def test_a_loop_of_redirects_fails(simulator: PortalSimulator, crawl: Crawl, ask: Callable[..., Any]) -> None:
    there = [("Location", f"{simulator.url}{SEARCH['contracts_finder']}")]
    simulator.fault(SEARCH["contracts_finder"], times=None, kind="status", status=302, headers=there)

    run = crawl("contracts_finder", since=SINCE)

    ((state, said),) = ask(STATE)
    assert (state, run.returncode) == ("failed", 1)
    assert "more than 5 redirects" in said
    assert len(simulator.requests_to(SEARCH["contracts_finder"])) == 6


def test_a_host_that_cannot_be_reached_is_incomplete_and_its_robots_txt_one_line(
    simulator: PortalSimulator, crawl: Crawl, ask: Callable[..., Any]
) -> None:
    with listener() as (port, _):
        pass  # nobody listens there any more
    closed = f"127.0.0.1:{port}"

    run = crawl(
        "ted",
        since=SINCE,
        TED_API_URL=f"http://{closed}/search",
        ALLOW_PRIVATE_HOSTS=closed,
        ROBOTSTXT_OBEY="1",
        RETRY_TIMES="1",
    )

    ((state, said),) = ask(STATE)
    assert (state, run.returncode) == ("incomplete", 1)
    assert "after 2 attempts" in said
    assert "Traceback" not in run.stderr
    assert len([line for line in run.stderr.splitlines() if "robots.txt" in line]) == 1
