"""Compressed bodies are unpacked piece by piece."""

from __future__ import annotations

import gzip
import os
import zlib

import pytest

from tenderscrapy.exceptions import AttachmentError
from tenderscrapy.http.decoding import PIECE, decoder

BODY = os.urandom(100_000) + b"a" * 500_000


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "packed"),
    [
        ("", BODY),
        ("identity", BODY),
        ("gzip", gzip.compress(BODY)),
        ("GZIP", gzip.compress(BODY)),
        ("x-gzip", gzip.compress(BODY[:1000]) + gzip.compress(BODY[1000:])),
        ("gzip", gzip.compress(BODY) + bytes(100)),
        ("deflate", zlib.compress(BODY)),
        ("deflate", bare_deflate(BODY)),
    ],
)
@pytest.mark.parametrize("step", [1000, 1_000_000])
def test_a_body_comes_out_whole_however_it_is_cut(encoding: str, packed: bytes, step: int) -> None:
    decode = decoder(encoding)

    pieces = [piece for at in range(0, len(packed), step) for piece in decode.feed(packed[at : at + step])]

    assert b"".join(pieces) == BODY
    assert decode.whole()


def test_a_bomb_comes_out_in_small_pieces() -> None:
    packed = gzip.compress(bytes(50_000_000))
    pieces = decoder("gzip").feed(packed)

    assert len(next(pieces)) <= PIECE


def test_a_cut_stream_is_not_whole() -> None:
    decode = decoder("gzip")
    list(decode.feed(gzip.compress(BODY)[:-10]))

    assert not decode.whole()


def test_an_empty_body_is_whole() -> None:
    assert decoder("gzip").whole()


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "compress", "gzip, br"])
def test_an_encoding_that_was_not_asked_for_is_refused(encoding: str) -> None:
    with pytest.raises(AttachmentError, match="not asked for"):
        decoder(encoding)


def test_bytes_that_are_not_compressed_are_refused() -> None:
    with pytest.raises(AttachmentError, match="cannot be read"):
        list(decoder("gzip").feed(b"\xff\xff plain text that is no stream of any kind"))
