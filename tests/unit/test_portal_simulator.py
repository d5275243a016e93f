"""The simulator itself: its log, its faults, its files, its life as a process."""

from __future__ import annotations

import gzip
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pypdfium2
import pytest
import requests
from lxml import etree

from portal_simulator import PortalSimulator
from portal_simulator.faults import KINDS, bomb
from tenderscrapy.config import config

TESTS = Path(__file__).resolve().parent.parent
QUERY = {"query": "publication-date>=today(-60)", "fields": ["publication-number"], "limit": 5}


def get(url: str, **options: object) -> requests.Response:
    return requests.get(url, timeout=10, **options)


def test_the_fixture_points_the_product_to_the_simulator(simulator):
    assert config().ted_api_url == simulator.url + "/v3/notices/search"
    assert config().contracts_finder_url == simulator.url + "/Published/Notices/OCDS/Search"
    assert config().allow_private_hosts == os.environ["ALLOW_PRIVATE_HOSTS"] == simulator.host


def test_every_request_is_recorded_with_what_was_answered(simulator):
    with requests.Session() as session:
        session.post(simulator.ted_url, json=QUERY, headers={"User-Agent": "a test"}, timeout=10)
        session.get(simulator.url + "/nothing?a=1&a=2", timeout=10)
    search, other = simulator.requests
    assert (search.method, search.path, search.status, search.json()) == ("POST", "/v3/notices/search", 200, QUERY)
    assert search.headers["user-agent"] == "a test"
    assert (other.parameters, other.status) == ({"a": "2"}, 404)
    assert [r.number for r in simulator.requests_to("/v3/")] == [1]
    assert (search.connection, other.connection, simulator.connections) == (1, 1, 1)
    assert search.at <= other.at


def test_the_log_can_be_a_file(tmp_path):
    with PortalSimulator(log_file=tmp_path / "log.jsonl") as simulator:
        requests.post(simulator.ted_url, json=QUERY, timeout=10)
    (line,) = (tmp_path / "log.jsonl").read_text().splitlines()
    assert json.loads(json.loads(line)["body"]) == QUERY


def test_a_fault_befalls_as_many_requests_as_it_says_after_as_many_as_it_spares(simulator):
    fault = simulator.fault("GET /files/*", times=2, kind="status", status=503, wait=1, after=1)
    answers = [get(simulator.files.file_url("a.pdf")) for _ in range(4)]
    assert [a.status_code for a in answers] == [200, 503, 503, 200]
    assert answers[1].headers["Retry-After"] == "1"
    assert (fault.seen, fault.left) == (2, 0)


def test_a_fault_can_choose_by_any_property_of_the_request(simulator):
    simulator.fault(lambda request: request.parameters.get("page") == "2", times=None, status=500)
    pages = [get(simulator.files.file_url("a.pdf", page=page)).status_code for page in (1, 2, 2, 3)]
    assert pages == [200, 500, 500, 200]
    simulator.clear_faults()
    assert get(simulator.files.file_url("a.pdf", page=2)).status_code == 200


def test_an_unknown_fault_is_refused(simulator):
    with pytest.raises(ValueError, match="half_close"):
        simulator.fault("/x", kind="earthquake")
    assert len(KINDS) == 11


@pytest.mark.parametrize(("kind", "options"), [("reset", {}), ("reset", {"after_bytes": 100}), ("half_close", {})])
def test_a_connection_can_break(simulator, kind, options):
    simulator.fault("/files/*", kind=kind, **options)
    with pytest.raises(requests.exceptions.RequestException):
        get(simulator.files.file_url("a.pdf", size=200_000))
    assert get(simulator.files.file_url("a.pdf", size=200_000)).status_code == 200


def test_a_reset_is_a_reset_and_not_an_orderly_end(simulator):
    simulator.fault("/x", kind="reset")
    with socket.create_connection(("127.0.0.1", simulator.port)) as client:
        client.settimeout(10)
        client.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            client.recv(1)


def test_silence_ends_the_connection_without_an_answer(simulator):
    simulator.fault("/x", kind="silence", seconds=0.01)
    with pytest.raises(requests.exceptions.ConnectionError):
        get(simulator.url + "/x")
    assert simulator.requests[0].status == 0


def test_stopping_ends_every_wait():
    with PortalSimulator() as simulator, socket.create_connection(("127.0.0.1", simulator.port)) as client:
        simulator.fault("/x", kind="delay", seconds=100)
        client.settimeout(10)
        client.sendall(b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        while not simulator.requests:
            time.sleep(0.001)
        simulator.close()
        assert client.recv(1) == b""


def test_bodies_can_be_spoilt(simulator):
    def ask() -> requests.Response:
        return requests.post(simulator.ted_url, json=QUERY | {"fields": ["title-proc"]}, timeout=10)

    for kind in ("invalid_json", "not_utf8", "html", "empty"):
        simulator.fault("POST *", kind=kind)
    cut, mangled, page, empty = ask(), ask(), ask(), ask()
    assert ask().json()["notices"]
    with pytest.raises(json.JSONDecodeError):
        json.loads(cut.content)
    assert cut.headers["Content-Type"] == "application/json"
    with pytest.raises(UnicodeDecodeError):
        mangled.content.decode()
    assert page.headers["Content-Type"].startswith("text/html")
    assert (empty.status_code, empty.content) == (200, b"")


def test_a_body_can_come_in_another_encoding(simulator):
    simulator.contracts_finder.releases = [
        {"id": "x", "date": "2026-11-01T00:00:00Z", "tag": ["tender"], "tender": {"title": "£1 café"}}
    ]
    simulator.fault("GET *", kind="not_utf8", encoding="iso-8859-1")
    assert "£1 café".encode("iso-8859-1") in get(simulator.contracts_finder_url).content


def test_a_gzip_bomb_is_small_on_the_wire(simulator):
    simulator.fault("POST *", kind="gzip_bomb", size=20_000_000)
    answer = requests.post(simulator.ted_url, json=QUERY, timeout=10, stream=True)
    wire = answer.raw.read(decode_content=False)
    assert (answer.headers["Content-Encoding"], answer.headers["Content-Type"]) == ("gzip", "application/json")
    assert len(wire) < 50_000
    assert len(gzip.decompress(bomb(3_000_000))) == 2 * 1024 * 1024


def test_answers_can_be_compressed(simulator):
    simulator.compress = True
    assert requests.post(simulator.ted_url, json=QUERY, timeout=10).headers["Content-Encoding"] == "gzip"
    assert len(requests.post(simulator.ted_url, json=QUERY, timeout=10).json()["notices"]) == 5


def test_robots_txt_is_missing_until_it_is_written(simulator):
    assert get(simulator.url + "/robots.txt").status_code == 404
    simulator.robots = "User-agent: *\nDisallow: /files/\n"
    assert get(simulator.url + "/robots.txt").text == simulator.robots


def test_an_error_of_the_simulator_is_kept_and_said(simulator):
    simulator.contracts_finder.publish([{"date": "2026-11-01T00:00:00Z", "no": "tag"}])
    answer = get(simulator.contracts_finder_url + "?stages=award")
    assert answer.status_code == 599
    assert isinstance(simulator.errors.pop(), KeyError)


def test_the_files_behind_the_links_are_what_they_say(simulator):
    notice = simulator.ted.notices[0]
    number = notice["publication-number"]
    pdf = get(f"{simulator.url}/de/notice/{number}/pdf").content
    text = pypdfium2.PdfDocument(pdf)[0].get_textpage().get_text_range()
    assert text.startswith(number)
    xml = etree.fromstring(get(f"{simulator.url}/en/notice/{number}/xml").content)
    assert xml.xpath("string(//*[local-name()='NoticePublicationID'])") == f"00{number}"
    assert xml.xpath("string(//*[local-name()='ContractFolderID'])") == notice["procedure-identifier"]
    page = get(f"{simulator.url}/de/notice/-/detail/{number}")
    assert page.headers["Content-Type"].startswith("text/html")
    assert get(f"{simulator.url}/de/notice/999-2026/pdf").status_code == 404


def test_contracts_finder_serves_notices_and_attachments(simulator):
    release = next(r for r in simulator.contracts_finder.releases if r["tender"].get("documents"))
    page, attachment = (d["url"].replace("https://www.contractsfinder.service.gov.uk", simulator.url)
                        for d in release["tender"]["documents"][:2])  # fmt: skip
    assert release["tender"]["title"].split("'")[0][:10] in get(page).text
    answer = get(attachment)
    assert answer.content.startswith(b"%PDF-")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="specification-')


def test_as_a_process_it_prints_its_address_and_ends_on_sigterm():
    command = [sys.executable, "-m", "portal_simulator", "--notices", "7", "--releases", "3"]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        answer = requests.post(address + "/v3/notices/search", json=QUERY, timeout=10).json()
        process.send_signal(signal.SIGTERM)
        assert process.wait(10) == 0
    assert answer["totalNoticeCount"] == 7
