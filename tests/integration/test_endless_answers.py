"""Answers without an end, by time or by what they unpack to, are given up."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING, Any

import brotli
import pytest
import requests
from backports import zstd

from portal_simulator.faults import bomb
from services.dripping import dripping
from services.leaving import leave
from tenderscrapy.http import client
from tenderscrapy.http.client import body, session
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

DRIPS = pytest.mark.parametrize("part", ["headers", "body"])
LARGE = 400_000_000


@DRIPS
@pytest.mark.parametrize("door", ["page", "file"])
def test_what_comes_byte_by_byte_is_given_up(tmp_path: Path, door: str, part: str) -> None:
    folder = {"stream_to": str(tmp_path), "patience": 1} if door == "file" else {}
    with dripping() as host:
        settings = {"ALLOW_PRIVATE_HOSTS": host, "DOWNLOAD_TIMEOUT": 1 if door == "page" else 100, "RETRY_TIMES": 0}
        answer = leave(f"http://{host}/{part}", settings=settings, **folder)

    (outcome,) = answer["outcomes"]
    assert (outcome["error"], "DownloadTimeoutError after 1 attempts" in outcome["message"]) == (
        "SourceRequestError",
        True,
    )


@DRIPS
def test_the_client_of_the_parts_without_scrapy_gives_up_what_comes_byte_by_byte(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "MAX_HEADERS_SECONDS", 1.0)
    with dripping() as host, session(PrivateHosts.parse(host)) as http, pytest.raises(requests.ReadTimeout):
        body(http.get(f"http://{host}/{part}", stream=True), max_seconds=1)


def brotli_bomb() -> bytes:
    packer = brotli.Compressor(quality=5)
    block = b" " * 1_000_000
    return b"".join([*(packer.process(block) for _ in range(LARGE // len(block))), packer.finish()])


def zstd_bomb() -> bytes:
    packer = zstd.ZstdCompressor()
    block = b" " * 1_000_000
    return b"".join([*(packer.compress(block) for _ in range(LARGE // len(block))), packer.flush()])


def deflate_bomb() -> bytes:
    packer = zlib.compressobj(9)
    block = b" " * 1_000_000
    return b"".join([*(packer.compress(block) for _ in range(LARGE // len(block))), packer.flush()])


def bombs() -> dict[str, bytes]:
    """Bodies of 400 MB by their Content-Encoding, nested ones too."""
    return {
        "gzip": bomb(LARGE),
        "deflate": deflate_bomb(),
        "br": brotli_bomb(),
        "zstd": zstd_bomb(),
        "gzip, gzip": gzip.compress(bomb(LARGE)),
        "br, gzip": gzip.compress(brotli_bomb()),
        "gzip, br, zstd": zstd.compress(brotli.compress(bomb(LARGE), quality=5)),
    }


def test_no_encoding_of_a_page_unpacks_to_more_than_the_limit(simulator: PortalSimulator) -> None:
    encodings = bombs()
    urls = [
        simulator.files.add(f"/page{number}", packed, "text/html", Content_Encoding=encoding)
        for number, (encoding, packed) in enumerate(encodings.items())
    ]

    answer = leave(*urls, settings={"DOWNLOAD_MAXSIZE": 3_000_000})

    assert max(map(len, encodings.values())) < 3_000_000
    assert [outcome.get("error") for outcome in answer["outcomes"]] == ["IgnoreRequest"] * len(urls)
    assert answer["peak_memory"] < 300_000_000


def test_no_encoding_of_a_file_unpacks_to_more_than_the_limit(simulator: PortalSimulator, tmp_path: Path) -> None:
    urls = {
        simulator.files.add(f"/file{number}", packed, Content_Encoding=encoding): encoding
        for number, (encoding, packed) in enumerate(bombs().items())
    }

    answer = leave(*urls, stream_to=str(tmp_path))

    said = {urls[outcome["asked"]]: outcome["message"] for outcome in answer["outcomes"]}
    unpacked: dict[str, Any] = dict.fromkeys(("gzip", "deflate"), "larger than 1 MB")
    assert said == {
        encoding: unpacked.get(encoding, f"the answer is encoded as {encoding}, which was not asked for")
        for encoding in urls.values()
    }
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 2 * 1_100_000
    assert answer["peak_memory"] < 300_000_000


def test_no_encoding_of_an_answer_to_the_client_unpacks_to_more_than_the_limit(simulator: PortalSimulator) -> None:
    for number, (encoding, packed) in enumerate(bombs().items()):
        url = simulator.files.add(f"/answer{number}", packed, Content_Encoding=encoding)
        with session() as http, pytest.raises(ValueError, match="more than 3000000 bytes"):
            body(http.get(url, stream=True), 3_000_000)
