"""Pages leave through the guard, the redirect and the retry middleware, against a real server."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from services.leaving import leave

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator import PortalSimulator

pytestmark = pytest.mark.usefixtures("simulator")

PATIENT = {"RETRY_TIMES": 2}


def only(answer: dict[str, Any]) -> dict[str, Any]:
    (outcome,) = answer["outcomes"]
    return outcome


@contextmanager
def listener() -> Iterator[tuple[int, list[Any]]]:
    """A port that notes who connects, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        met: list[Any] = []

        def accept() -> None:
            while True:
                try:
                    connection, address = server.accept()
                except OSError:
                    return
                met.append(address)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield server.getsockname()[1], met
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


def test_no_spelling_of_a_private_address_is_connected_to() -> None:
    hosts = ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "127.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"]
    with listener() as (port, met):
        answer = leave(*(f"http://{host}:{port}/x" for host in hosts), "http://localhost/", "http://127.0.0.1/")

    assert {outcome["error"] for outcome in answer["outcomes"]} == {"AddressRefusedError"}
    assert len(answer["outcomes"]) == len(hosts) + 2
    assert met == []


def test_a_public_name_that_resolves_to_a_private_address_is_refused_and_not_tried_again() -> None:
    with listener() as (_, met):
        names = {"portal.example.org": "127.0.0.1", "six.example.org": "::1", "mixed.example.org": "169.254.169.254"}
        outcomes = leave(*(f"http://{name}/" for name in names), names=names, settings=PATIENT)

    messages = {outcome["asked"]: outcome["message"] for outcome in outcomes["outcomes"]}
    assert messages == {
        f"http://{name}/": f"{name} resolves to {address}, which is not a public address"
        for name, address in names.items()
    }
    assert "retry/count" not in outcomes["stats"]
    assert met == []


def test_a_redirect_to_a_private_address_is_refused_before_anything_connects(simulator: PortalSimulator) -> None:
    with listener() as (port, met):
        outcome = only(leave(simulator.files.file_url("a", to=f"http://127.0.0.1:{port}/inside")))

    assert (outcome["error"], met) == ("AddressRefusedError", [])


def test_a_redirect_to_a_denied_portal_is_refused_although_its_port_is_open(simulator: PortalSimulator) -> None:
    url = simulator.files.file_url("a", to="https://www.vergabe24.de./notice")

    outcome = only(leave(url, settings={"ALLOW_PRIVATE_HOSTS": f"{simulator.host},www.vergabe24.de:443"}))

    assert outcome["error"] == "AddressRefusedError"
    assert "prohibits" in outcome["message"]


def test_five_redirects_are_followed_and_six_are_not(simulator: PortalSimulator) -> None:
    five, six = (simulator.files.file_url(f"f{hops}", redirects=hops) for hops in (5, 6))

    answer = leave(five, six, settings=PATIENT)

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    assert outcomes[five]["status"] == 200
    assert outcomes[six]["error"] == "SourceRequestError"
    assert "more than 5 redirects" in outcomes[six]["message"]
    assert "retry/count" not in answer["stats"]


def test_a_redirect_loop_ends(simulator: PortalSimulator) -> None:
    outcome = only(leave(simulator.files.file_url("loop", loop=1)))

    assert "more than 5 redirects" in outcome["message"]
    assert len(simulator.requests_to("/files/loop")) == 6


def test_a_redirect_to_an_address_seen_before_is_followed(simulator: PortalSimulator) -> None:
    target = simulator.files.file_url("target")
    sources = [simulator.files.file_url(name, to=target) for name in ("one", "two")]

    answer = leave(target, *sources)

    assert [outcome["url"] for outcome in answer["outcomes"]] == [target] * 3


def test_a_query_in_a_json_post_is_sent_on_whole_or_not_at_all(simulator: PortalSimulator) -> None:
    kept, refused = (307, 308), (301, 302, 303)
    for status in kept + refused:
        place = [("Location", f"{simulator.url}/files/new{status}")]
        simulator.fault(f"/files/old{status}", times=1, kind="status", status=status, headers=place)
    header = {"Content-Type": "application/json"}
    posts = [
        {"url": simulator.files.file_url(f"old{status}"), "method": "POST", "body": "{}", "headers": header}
        for status in kept + refused
    ]

    answer = leave(*posts)

    arrived = {(request.path, request.method, request.body) for request in simulator.requests_to("/files/new")}
    assert arrived == {(f"/files/new{status}", "POST", b"{}") for status in kept}
    messages = [outcome["message"] for outcome in answer["outcomes"] if outcome.get("error") == "SourceRequestError"]
    assert len(messages) == len(refused)
    assert all("set the source's URL to its new place" in message for message in messages)


def test_credentials_and_cookies_do_not_reach_another_host(simulator: PortalSimulator) -> None:
    other = simulator.url.replace("127.0.0.1", "localhost")
    request = {
        "url": simulator.files.file_url("a", to=f"{other}/files/b"),
        "headers": {"Authorization": "Basic c2VjcmV0", "X-API-Key": "secret"},
        "cookies": {"session": "secret"},
    }

    leave(request, settings={"ALLOW_PRIVATE_HOSTS": f"{simulator.host},localhost:{simulator.port}"})

    first, second = (request.headers for request in simulator.requests_to("/files/"))
    assert {"authorization", "x-api-key", "cookie"} <= first.keys()
    assert not {"authorization", "x-api-key", "cookie"} & second.keys()


def test_the_slot_follows_a_redirect_to_another_host(simulator: PortalSimulator) -> None:
    other = simulator.url.replace("127.0.0.1", "localhost")
    leaving, staying = (
        simulator.files.file_url(name, to=f"{base}/files/{name}2")
        for name, base in (("a", other), ("b", simulator.url))
    )

    answer = leave(
        {"url": leaving, "meta": {"download_slot": "attachments:127.0.0.1", "show": ["download_slot"]}},
        {"url": staying, "meta": {"download_slot": "special", "show": ["download_slot"]}},
        settings={"ALLOW_PRIVATE_HOSTS": f"{simulator.host},localhost:{simulator.port}"},
    )

    slots = {outcome["asked"]: outcome["meta"]["download_slot"] for outcome in answer["outcomes"]}
    assert slots == {leaving: "attachments:localhost", staying: "special"}


def test_an_error_that_may_pass_is_tried_again(simulator: PortalSimulator) -> None:
    statuses = [408, 429, 500, 502, 503, 504]
    for status in statuses:
        simulator.fault(f"/files/{status}", times=2, kind="status", status=status)
    for kind in ("reset", "half_close"):
        simulator.fault(f"/files/{kind}", times=1, kind=kind)
    urls = [simulator.files.file_url(str(name), size=2000) for name in (*statuses, "reset", "half_close")]

    answer = leave(*urls, settings=PATIENT, speed=100)

    assert [outcome["status"] for outcome in answer["outcomes"]] == [200] * len(urls)
    assert len(simulator.requests) == 3 * len(statuses) + 2 * 2


def test_a_page_that_times_out_is_tried_again(simulator: PortalSimulator) -> None:
    simulator.fault("/files/a", times=1, kind="silence", seconds=30)

    outcome = only(leave(simulator.files.file_url("a"), settings={"DOWNLOAD_TIMEOUT": 0.6, **PATIENT}, speed=100))

    assert outcome["status"] == 200


def test_attempts_are_bounded_and_their_end_is_a_source_request_error(simulator: PortalSimulator) -> None:
    simulator.fault("/files/a", times=None, kind="status", status=503)

    outcome = only(leave(simulator.files.file_url("a", secret="token"), settings=PATIENT, speed=100))

    assert outcome["error"] == "SourceRequestError"
    assert outcome["message"] == f"{simulator.url}/files/a: status 503 after 3 attempts"
    assert len(simulator.requests_to("/files/a")) == 3


def test_a_404_is_not_tried_again(simulator: PortalSimulator) -> None:
    outcome = only(leave(simulator.files.file_url("a", status=404), settings=PATIENT))

    assert outcome["error"] == "HttpError"
    assert len(simulator.requests_to("/files/a")) == 1


@pytest.mark.parametrize("wait", [2, "date:3"])
def test_retry_after_is_never_undercut(simulator: PortalSimulator, wait: object) -> None:
    simulator.fault("/files/a", times=1, kind="status", status=429, wait=wait)

    leave(simulator.files.file_url("a"), settings=PATIENT)

    refused, again = simulator.requests_to("/files/a")
    assert again.at - refused.at >= 2


def test_a_retry_after_that_says_nothing_falls_back_to_the_back_off(simulator: PortalSimulator) -> None:
    waits = [-1, "soon", "Mon, 99 Foo", "0", ""]
    for number, wait in enumerate(waits):
        simulator.fault(f"/files/{number}", times=1, kind="status", status=503, wait=wait)

    answer = leave(*(simulator.files.file_url(str(n)) for n in range(len(waits))), settings=PATIENT, speed=100)

    assert [outcome["status"] for outcome in answer["outcomes"]] == [200] * len(waits)


def test_a_retry_after_longer_than_allowed_ends_the_request_politely(simulator: PortalSimulator) -> None:
    simulator.fault("/files/a", times=None, kind="status", status=429, wait=86_400)

    outcome = only(leave(simulator.files.file_url("a"), settings={**PATIENT, "RETRY_AFTER_MAX": 600}))

    assert (outcome["error"], outcome["retry_after"]) == ("SourceRequestError", 86_400)
    assert len(simulator.requests_to("/files/a")) == 1


def test_a_resting_host_does_not_slow_another_one(simulator: PortalSimulator) -> None:
    simulator.fault(lambda request: request.path == "/files/a0", times=1, kind="status", status=429, wait=3)
    other = simulator.url.replace("127.0.0.1", "localhost")
    urls = [f"{simulator.url}/files/a{n}" for n in range(4)] + [f"{other}/files/b{n}" for n in range(12)]

    answer = leave(*urls, settings={"ALLOW_PRIVATE_HOSTS": f"{simulator.host},localhost:{simulator.port}", **PATIENT})

    assert len(answer["outcomes"]) == 16
    refused, again = simulator.requests_to("/files/a0")
    before = [request.path for request in simulator.requests if refused.at < request.at < refused.at + 2.9]
    assert len([path for path in before if path.startswith("/files/b")]) == 12
    assert [path for path in before if path.startswith("/files/a")] == []
    assert again.at - refused.at >= 3


def test_403_is_a_rate_limit_only_where_request_or_spider_say_so(simulator: PortalSimulator) -> None:
    simulator.fault("/files/*", times=2, kind="status", status=403, body="<html>slow down</html>")
    plain, patient = simulator.files.file_url("plain"), simulator.files.file_url("patient")

    answer = leave(plain, {"url": patient, "meta": {"retry_statuses": [403]}}, speed=1000)

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    assert outcomes[plain]["error"] == "HttpError"
    assert outcomes[patient]["status"] == 200
    assert answer["stats"]["retry/count"] == 1


def test_a_host_that_answers_403_rests_for_five_minutes_each_time(simulator: PortalSimulator) -> None:
    simulator.fault("/files/a", times=3, kind="status", status=403)
    speed = 200

    leave(simulator.files.file_url("a"), spider={"retry_statuses": [403]}, speed=speed, settings={"RETRY_TIMES": 4})

    times = [request.at for request in simulator.requests_to("/files/a")]
    waits = [(later - earlier) * speed for earlier, later in pairwise(times)]
    assert len(waits) == 3
    assert min(waits) >= 300


def test_a_page_of_another_host_than_the_sources_is_refused(simulator: PortalSimulator) -> None:
    outcome = only(leave(simulator.files.file_url("a"), spider={"allowed_hosts": ["api.example.org"]}))

    assert outcome["message"] == "127.0.0.1 is not a host of this source"


def test_a_page_that_unpacks_to_more_than_the_limit_is_refused(simulator: PortalSimulator) -> None:
    simulator.fault("/files/a", times=None, kind="gzip_bomb", size=400_000_000)

    answer = leave(simulator.files.file_url("a"), settings={"DOWNLOAD_MAXSIZE": 3_000_000})

    assert only(answer)["error"] == "IgnoreRequest"
    assert answer["peak_memory"] < 300_000_000


def test_a_proxy_of_the_environment_is_not_used(simulator: PortalSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
    with listener() as (port, met):
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        outcome = only(leave(simulator.files.file_url("a")))

    assert (outcome["status"], met) == (200, [])


def test_robots_txt_is_obeyed(simulator: PortalSimulator) -> None:
    simulator.robots = "User-agent: *\nDisallow: /files/private"

    answer = leave(
        simulator.files.file_url("private"), simulator.files.file_url("open"), settings={"ROBOTSTXT_OBEY": True}
    )

    outcomes = {outcome["asked"].rpartition("/")[2]: outcome for outcome in answer["outcomes"]}
    assert outcomes["private"]["error"] == "IgnoreRequest"
    assert outcomes["open"]["status"] == 200
    assert len(simulator.requests_to("/robots.txt")) == 1
