"""The API as it is served: real sockets, bytes that no client library would send, keys from the command line."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from services.crawling import ROOT, environment
from services.page import page_process
from services.radar import tender_notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.radar import Radar

BODY = json.dumps({"query": "school meals"}).encode()


@pytest.fixture
def served(radar: Radar) -> Iterator[str]:
    """The address of the application over a radar with one tender."""
    radar.publish(tender_notice(1, "School meals"))
    with page_process(radar.files) as address:
        yield address


def flask(radar: Radar, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flask", "--app", "webapp", *arguments],
        cwd=ROOT,
        env=environment(radar.files),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def asked(address: str, *headers: bytes, path: bytes = b"/api/v1/search", body: bytes = BODY) -> tuple[int, bytes]:
    """Status and body of a request whose header lines go out as they are."""
    parts = urlsplit(address)
    lines = [
        b"POST " + path + b" HTTP/1.1",
        b"Host: " + parts.netloc.encode(),
        b"Content-Type: application/json",
        b"Content-Length: %d" % len(body),
        b"Connection: close",
        *headers,
    ]
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as connection:
        connection.sendall(b"\r\n".join(lines) + b"\r\n\r\n" + body)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), content


def test_a_key_from_the_command_line_opens_the_api_and_no_broken_header_does(radar: Radar, served: str) -> None:
    made = flask(radar, "keys", "create", "bid office")
    assert made.returncode == 0, made.stderr
    key = made.stdout.splitlines()[-1].encode()

    refused = {
        name: asked(served, *headers)[0]
        for name, headers in {
            "missing": [],
            "empty": [b"X-API-Key:"],
            "byte 0xFC": [b"X-API-Key: \xfc"],
            "key with byte 0xFC": [b"X-API-Key: " + key + b"\xfc"],
            "twice": [b"X-API-Key: " + key, b"X-API-Key: " + key],
            "twice with another": [b"X-API-Key: " + key, b"X-API-Key: x"],
            "long": [b"X-API-Key: " + b"k" * 100_000],
            "folded": [b"X-API-Key: " + key[:10], b"\t" + key[10:]],
        }.items()
    }
    status, content = asked(served, b"X-API-Key: " + key)

    assert {name: code for name, code in refused.items() if code not in (400, 401)} == {}
    assert (refused["byte 0xFC"], refused["twice"], refused["empty"], refused["long"]) == (401, 401, 401, 401)
    assert status == 200
    assert [item["tender"]["title"] for item in json.loads(content)["items"]] == ["School meals"]


def test_hostile_requests_are_answered_and_never_by_500(radar: Radar, served: str) -> None:
    key = b"X-API-Key: " + radar.key().encode()
    statuses = {
        path: asked(served, key, path=path, body=b"")[0]
        for path in (
            b"/?q=a%00b",
            b"/api/v1/search",
            b"/api/v1/%00",
            b"/tenders/%ff",
            b"/static/../app.py",
            b"/%2e%2e/x",
        )
    }

    assert {path: status for path, status in statuses.items() if not 400 <= status < 500} == {}
    with urllib.request.urlopen(f"{served}/?q=a%00b", timeout=60) as answer:
        assert answer.status == 200


def test_a_taken_port_leads_to_the_next_one(radar: Radar, served: str) -> None:
    taken = urlsplit(served).port or 0
    with page_process(radar.files, port=taken) as second:
        assert taken < (urlsplit(second).port or 0) <= taken + 50


def test_the_page_starts_without_a_database_and_says_so(radar: Radar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:9/nothing")
    with page_process(radar.files) as address:
        status, content = asked(address, path=b"/", body=b"")
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(address, timeout=60)
        with refused.value as page:
            shown = page.read()

    assert (status, refused.value.code) == (405, 503)
    assert b"scrapy doctor" in shown
    assert b"Traceback" not in content + shown
    assert b"127.0.0.1:9" not in content + shown


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP"]
)
def test_whoever_comes_through_a_proxy_finds_the_pages_closed(served: str, header: str) -> None:
    with urllib.request.urlopen(served, timeout=60) as answer:
        assert answer.status == 200
    request = urllib.request.Request(served, headers={header: "8.8.8.8"})
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        urllib.request.urlopen(request, timeout=60)
    refused.value.close()
