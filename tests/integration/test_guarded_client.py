"""The requests session of the parts without Scrapy goes out by the same rules."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest
import requests

from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.http.client import body, session
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_simulator import PortalSimulator


@pytest.fixture
def client(simulator: PortalSimulator) -> Iterator[requests.Session]:
    with session() as made:
        yield made


def test_an_allowed_host_is_fetched_with_an_honest_name(client: requests.Session, simulator: PortalSimulator) -> None:
    answer = client.get(simulator.files.file_url("a.pdf", size=1000))

    assert (answer.status_code, len(answer.content)) == (200, 1000)
    assert simulator.requests[0].headers["user-agent"].startswith("tenderscrapy/")


@pytest.mark.parametrize(
    "host", ["localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "www.vergabe24.de"]
)
def test_other_private_and_denied_hosts_are_refused(
    client: requests.Session, simulator: PortalSimulator, host: str
) -> None:
    with pytest.raises(AddressRefusedError):
        client.get(f"http://{host}:{simulator.port}/")

    assert simulator.connections == 0


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_public_name_with_a_private_address_is_refused(
    client: requests.Session, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)

    with pytest.raises(AddressRefusedError, match=r"portal\.example\.org resolves to 10\.0\.0\.1"):
        client.get(f"{scheme}://portal.example.org/")


def test_the_connection_goes_to_the_address_that_was_checked(
    simulator: PortalSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["127.0.0.1", "10.0.0.1"])
    resolve = socket.getaddrinfo
    asked = []

    def rebinding(host: str, *rest: object, **more: object) -> object:
        if host == "portal.example.org":
            asked.append(host)
            host = next(answers)
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)

    with session(PrivateHosts.parse(f"portal.example.org:{simulator.port}")) as client:
        answer = client.get(f"http://portal.example.org:{simulator.port}/files/a.pdf")

    assert answer.status_code == 200
    assert asked == ["portal.example.org"]


def test_each_redirect_is_checked(client: requests.Session, simulator: PortalSimulator) -> None:
    with pytest.raises(AddressRefusedError):
        client.get(simulator.files.file_url("a", to=f"http://localhost:{simulator.port}/files/b"))

    assert [request.path for request in simulator.requests] == ["/files/a"]


def test_redirects_are_bounded(client: requests.Session, simulator: PortalSimulator) -> None:
    assert client.get(simulator.files.file_url("a", redirects=5)).status_code == 200
    with pytest.raises(requests.TooManyRedirects):
        client.get(simulator.files.file_url("b", redirects=6))


def test_credentials_do_not_reach_another_host(simulator: PortalSimulator) -> None:
    allowed = PrivateHosts.parse(f"{simulator.host},localhost:{simulator.port}")
    other = f"http://localhost:{simulator.port}/files/b"

    with session(allowed) as client:
        client.get(
            simulator.files.file_url("a", to=other),
            headers={"Authorization": "Basic x", "X-API-Key": "x"},
            cookies={"s": "x"},
        )

    first, second = (request.headers for request in simulator.requests)
    assert {"authorization", "cookie", "x-api-key"} <= first.keys()
    assert not {"authorization", "cookie", "x-api-key"} & second.keys()


def test_a_proxy_of_the_environment_is_not_used(
    client: requests.Session, simulator: PortalSimulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")

    assert client.get(simulator.files.file_url("a")).status_code == 200


def test_a_body_is_read_no_further_than_its_limit(client: requests.Session, simulator: PortalSimulator) -> None:
    url = simulator.files.file_url("large.pdf", size=3_000_000)
    simulator.fault("/files/bomb", kind="gzip_bomb", size=100_000_000)

    assert len(body(client.get(url, stream=True))) == 3_000_000
    with pytest.raises(ValueError, match="more than 1000000 bytes"):
        body(client.get(url, stream=True), 1_000_000)
    with pytest.raises(ValueError, match="more than 1000000 bytes"):
        body(client.get(simulator.files.file_url("bomb"), stream=True), 1_000_000)


def test_a_host_that_does_not_resolve_is_a_connection_error(client: requests.Session) -> None:
    with pytest.raises(requests.ConnectionError):
        client.get("http://nowhere.invalid/")
