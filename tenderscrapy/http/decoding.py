"""Content-Encoding undone while a body streams, never more than a piece at a time."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from tenderscrapy.exceptions import AttachmentError

if TYPE_CHECKING:
    from collections.abc import Iterator

PIECE = 65_536


class Identity:
    """No encoding: bytes go through as they come."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The decoded bytes of ``data``, in pieces."""
        yield data

    def whole(self) -> bool:
        """Whether the encoded stream has come to its end."""
        return True


class Inflate(Identity):
    """gzip (several members too), zlib and bare deflate.

    Raises AttachmentError for data that is none of them. A piece of input yields pieces of at most PIECE bytes, so a
    caller that counts what it gets stops a bomb early.
    """

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._began = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        try:
            yield from self._pieces(data)
        except zlib.error as error:
            raise AttachmentError(f"the compressed answer cannot be read: {error}") from None

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._inflate.eof:
                if data[:2] != b"\x1f\x8b":
                    return  # padding after the last member
                self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
            piece = self._decompress(data)
            if piece:
                yield piece
            data = self._inflate.unconsumed_tail or self._inflate.unused_data

    def _decompress(self, data: bytes) -> bytes:
        began, self._began = self._began, True
        try:
            return self._inflate.decompress(data, PIECE)
        except zlib.error:
            if began:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            return self._inflate.decompress(data, PIECE)

    def whole(self) -> bool:
        return self._inflate.eof or not self._began


def decoder(content_encoding: str) -> Identity:
    """The decoder of one Content-Encoding header.

    Raises AttachmentError for an encoding that was not asked for and is not undone here.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if not names:
        return Identity()
    if len(names) == 1 and names[0] in ("gzip", "x-gzip", "deflate"):
        return Inflate()
    raise AttachmentError(f"the answer is encoded as {', '.join(names)[:60]}, which was not asked for")
