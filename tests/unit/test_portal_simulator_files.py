"""Files that behave as a test asks them to."""

from __future__ import annotations

import socket

import pypdfium2
import pytest
import requests


def get(url: str, **options: object) -> requests.Response:
    return requests.get(url, timeout=10, **options)


@pytest.mark.parametrize("size", [0, 1_000, 500_000])
def test_a_pdf_of_any_size_can_be_read(simulator, size):
    answer = get(simulator.files.file_url("a.pdf", size=size, text="Straße (neu) \\ 1"))
    assert answer.headers["Content-Type"] == "application/pdf"
    assert pypdfium2.PdfDocument(answer.content)[0].get_textpage().get_text_range() == "Straße (neu) \\ 1"
    assert len(answer.content) == size or size == 0


def test_a_large_file_is_streamed_and_as_long_as_it_says(simulator):
    answer = get(simulator.files.file_url("a.bin", size=20_000_001, type="application/octet-stream"), stream=True)
    assert answer.headers["Content-Length"] == "20000001"
    assert sum(len(piece) for piece in answer.iter_content(65_536)) == 20_000_001


def test_a_slow_file_comes_in_pieces(simulator):
    target = simulator.files.file_url("a.bin", type="x/y", size=1_000, rate=20_000, piece=100)
    with socket.create_connection(("127.0.0.1", simulator.port)) as client:
        client.settimeout(10)
        client.sendall(f"GET {target} HTTP/1.0\r\n\r\n".encode())
        pieces = list(iter(lambda: client.recv(65_536), b""))
    assert len(pieces) > 2
    assert len(b"".join(pieces).partition(b"\r\n\r\n")[2]) == 1_000


@pytest.mark.parametrize(
    ("form", "header"),
    [
        ("attachment", 'attachment; filename="Los 1.pdf"'),
        ("bare", "attachment; filename=Los 1.pdf"),
        ("utf8", "attachment; filename*=UTF-8''Los%201.pdf"),
        ("both", "attachment; filename=\"file.pdf\"; filename*=UTF-8''Los%201.pdf"),
        ("path", 'attachment; filename="../../../etc/Los 1.pdf"'),
        ("windows", 'attachment; filename="C:\\temp\\Los 1.pdf"'),
        ("inline", "inline"),
        ("none", None),
    ],
)
def test_names_come_in_every_spelling(simulator, form, header):
    answer = get(simulator.files.file_url("Los 1.pdf", disposition=form))
    assert answer.headers.get("Content-Disposition") == header


def test_redirects_are_as_many_as_asked_for_and_may_never_end(simulator):
    answer = get(simulator.files.file_url("a.pdf", redirects=3))
    assert [a.status_code for a in [*answer.history, answer]] == [302, 302, 302, 200]
    with pytest.raises(requests.exceptions.TooManyRedirects):
        get(simulator.files.file_url("a.pdf", loop=1))
    away = get(simulator.files.file_url("a.pdf", to="http://10.0.0.1/secret"), allow_redirects=False)
    assert away.headers["Location"] == "http://10.0.0.1/secret"


def test_a_file_may_fail_at_first_or_always(simulator):
    url = simulator.files.file_url("a.pdf", fail=2)
    assert [get(url).status_code for _ in range(3)] == [500, 500, 200]
    assert get(simulator.files.file_url("a.pdf", status=404)).status_code == 404


@pytest.mark.parametrize("behaviour", [{"declared": 99_999}, {"cut": 700}, {"cut": 700, "ending": "reset"}])
def test_a_body_may_be_shorter_than_it_says(simulator, behaviour):
    with pytest.raises(requests.exceptions.RequestException):
        get(simulator.files.file_url("a.pdf", size=5_000, **behaviour))


def test_a_body_may_be_longer_than_it_says(simulator):
    assert len(get(simulator.files.file_url("a.pdf", declared=100)).content) == 100


def test_a_login_page_may_stand_in_for_the_file(simulator):
    answer = get(simulator.files.file_url("a.pdf", html=1))
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert answer.text.startswith("<!DOCTYPE html>")


def test_an_etag_saves_the_second_transfer(simulator):
    url = simulator.files.file_url("a.pdf", etag=1)
    tag = get(url).headers["ETag"]
    again = get(url, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")


def test_a_body_may_come_in_chunks(simulator):
    answer = get(simulator.files.file_url("a.pdf", size=50_000, chunked=1))
    assert answer.headers["Transfer-Encoding"] == "chunked"
    assert answer.content.endswith(b"%%EOF\n")


def test_own_files_can_be_added(simulator):
    url = simulator.files.add("/doc/1", b"PK\x03\x04", "application/zip", Content_Disposition="inline")
    answer = get(url)
    assert (answer.content, answer.headers["Content-Type"]) == (b"PK\x03\x04", "application/zip")
    assert answer.headers["Content-Disposition"] == "inline"
