"""One host asks to be left alone; it is, and nobody else waits for it."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from services.leaving import leave

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator import PortalSimulator

#: Retry-After as servers send it, and the least wait that it means, in seconds: a date is cut to whole ones.
HEADERS = {"7": 7.0, "date:7": 6.0, "86400": None, "-1": 0.0, "soon": 0.0}


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_in_each_form_is_kept_to_and_slows_no_other_host(simulator: PortalSimulator, status: int) -> None:
    hosts = {f"h{number}.example.org": header for number, header in enumerate(HEADERS)}
    for host, header in hosts.items():
        simulator.fault(f"/files/{host}", times=1, kind="status", status=status, wait=header)
    named = [*hosts, "other.example.org"]
    urls = [f"http://{host}:{simulator.port}/files/{host}" for host in hosts]
    urls += [f"http://other.example.org:{simulator.port}/files/other{number}" for number in range(8)]

    answer = leave(
        *urls,
        names=dict.fromkeys(named, "127.0.0.1"),
        settings={"ALLOW_PRIVATE_HOSTS": ",".join(f"{host}:{simulator.port}" for host in named)},
    )

    outcomes = {outcome["asked"]: outcome for outcome in answer["outcomes"]}
    waited_longest = simulator.requests_to("/files/h0.example.org")[1].at
    for host, header in hosts.items():
        asked, outcome = (
            simulator.requests_to(f"/files/{host}"),
            outcomes[f"http://{host}:{simulator.port}/files/{host}"],
        )
        least = HEADERS[header]
        if least is None:
            assert (outcome["error"], outcome["retry_after"], len(asked)) == ("SourceRequestError", 86_400, 1)
            continue
        assert outcome["status"] == 200
        refused, again = asked
        assert again.at - refused.at >= least
        if not least:  # nonsense: the back-off, which is over long before the rest of the others
            assert again.at < waited_longest
    others = simulator.requests_to("/files/other")
    assert len(others) == 8
    assert max(request.at for request in others) < waited_longest


@pytest.mark.parametrize("header", [None, "0", "soon"])
def test_a_host_that_never_stops_saying_429_is_asked_a_bounded_number_of_times(
    simulator: PortalSimulator, header: str | None
) -> None:
    simulator.fault("/files/a", times=None, kind="status", status=429, wait=header)

    answer = leave(simulator.files.file_url("a"), speed=100)

    (outcome,) = answer["outcomes"]
    assert (outcome["error"], len(simulator.requests_to("/files/a"))) == ("SourceRequestError", 5)


RESTING = 16
OTHERS, EACH = 4, 4


class Slots:
    """A host that wants its rest, and others whose answers come only when all of them are asked for at once."""

    def __init__(self) -> None:
        self.all_rest = threading.Event()
        self.all_there = threading.Barrier(OTHERS * EACH)
        self.asked = 0
        self.order: list[str] = []
        self.lock = threading.Lock()

    def answer(self, host: str, path: str) -> tuple[int, dict[str, str]]:
        with self.lock:
            self.order.append(f"{host}{path}")
            self.asked += host == "resting.example.org"
            if self.asked == RESTING:
                self.all_rest.set()
            again = self.asked > RESTING
        if host == "resting.example.org":
            self.all_rest.wait(60)
            return (200, {}) if again else (429, {"Retry-After": "12"})
        if path.startswith("/first"):
            self.all_rest.wait(60)
            return 302, {"Location": path.replace("first", "second")}
        self.all_there.wait(60)
        return 200, {}


@contextmanager
def serving(slots: Slots) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host = self.headers["Host"].partition(":")[0]
            try:
                status, headers = slots.answer(host, self.path)
            except threading.BrokenBarrierError:
                status, headers = 404, {}
            self.send_response(status)
            for name, value in {**headers, "Content-Length": "0"}.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    class Server(ThreadingHTTPServer):
        request_queue_size = 100

    server = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("door", ["page", "attachment"])
def test_sixteen_requests_of_a_resting_host_leave_every_slot_to_the_others(door: str) -> None:
    slots = Slots()
    hosts = [f"other{number}.example.org" for number in range(OTHERS)]
    with serving(slots) as port:

        def request(host: str, path: str) -> dict[str, Any]:
            meta = {"download_slot": f"attachments:{host}"} if door == "attachment" else {}
            return {"url": f"http://{host}:{port}{path}", "meta": meta}

        answer = leave(
            *(request("resting.example.org", f"/{number}") for number in range(RESTING)),
            *(request(host, f"/first{number}") for number in range(EACH) for host in hosts),
            names=dict.fromkeys(["resting.example.org", *hosts], "127.0.0.1"),
            settings={
                "ALLOW_PRIVATE_HOSTS": ",".join(f"{host}:{port}" for host in ["resting.example.org", *hosts]),
                "CONCURRENT_REQUESTS_PER_DOMAIN": RESTING,
            },
        )

    assert [outcome.get("status") for outcome in answer["outcomes"]] == [200] * (RESTING + OTHERS * EACH)
    # all sixteen rest when the others' second requests come, and are asked again only after the last of those
    resting = [place for place, asked in enumerate(slots.order) if asked.startswith("resting")]
    others = [place for place, asked in enumerate(slots.order) if "/second" in asked]
    assert len(others) == OTHERS * EACH
    assert resting[RESTING - 1] < min(others)
    assert max(others) < resting[RESTING]
    assert len(resting) == 2 * RESTING
