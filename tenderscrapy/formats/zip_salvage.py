"""What can be had of a ZIP whose end is missing: the members before the cut, found by their own headers."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Of a member's header: signature, version, flags, method, time, date, CRC, packed and unpacked size, name, extra.
_HEADER = struct.Struct("<4s5H3I2H")
_SIGNATURE, _DESCRIPTOR = b"PK\x03\x04", b"PK\x07\x08"
_ENCRYPTED, _SIZE_AFTERWARDS = 0x1, 0x8
_STORED, _DEFLATED = 0, 8
_PIECE = 65_536


class _CutError(Exception):
    """The file ends, or goes on in a way that cannot be followed."""


@dataclass(frozen=True, slots=True)
class SalvagedMember:
    """A member that is whole by its checksum. ``start`` is where its packed content begins."""

    name: str
    _file: IO[bytes]
    _start: int
    _size: int
    _method: int

    def read(self, most: int | None = None) -> bytes:
        """The content; raises UnreadableDocumentError when it is larger than ``most`` bytes."""
        if most is not None and self._size > most:
            raise UnreadableDocumentError(f"it unpacks to more than {most:,} bytes")
        self._file.seek(self._start)
        if self._method == _STORED:
            return self._file.read(self._size)
        return b"".join(_inflated(self._file))


def salvaged(file: IO[bytes], most: int, total: int) -> Iterator[SalvagedMember]:
    """The whole members from the file's beginning up to the first that is not, or that is larger than ``most`` bytes.

    Not more than ``total`` bytes are unpacked to find out.
    """
    place = 0
    while True:
        file.seek(place)
        try:
            member, place = _member(file, min(most, total))
        except (_CutError, zlib.error):
            return
        total -= member._size
        yield member


def _member(file: IO[bytes], most: int) -> tuple[SalvagedMember, int]:
    """The member that begins here, and where the next one does."""
    signature, _, flags, method, _, _, crc, packed, _, name_length, extra_length = _HEADER.unpack(
        _exactly(file, _HEADER.size)
    )
    if signature != _SIGNATURE or flags & _ENCRYPTED or method not in (_STORED, _DEFLATED):
        raise _CutError
    name = _exactly(file, name_length).decode("utf-8", "replace")
    file.seek(extra_length, 1)
    start = file.tell()
    pieces = _inflated(file) if method == _DEFLATED else _stored(file, packed, flags)
    size, checksum = 0, 0
    for piece in pieces:
        size += len(piece)
        checksum = zlib.crc32(piece, checksum)
        if size > most:
            raise _CutError
    if flags & _SIZE_AFTERWARDS:
        crc = _described(file)
    if checksum != crc:
        raise _CutError
    return SalvagedMember(printable(name)[:200], file, start, size, method), file.tell()


def _inflated(file: IO[bytes]) -> Iterator[bytes]:
    """The content from here; the file stands behind its packed form afterwards."""
    unpacker = zlib.decompressobj(-15)
    packed = b""
    while not unpacker.eof:
        packed = unpacker.unconsumed_tail or file.read(_PIECE)
        if not packed:
            raise _CutError
        yield unpacker.decompress(packed, _PIECE)
    file.seek(-len(unpacker.unused_data), 1)


def _stored(file: IO[bytes], size: int, flags: int) -> Iterator[bytes]:
    if flags & _SIZE_AFTERWARDS:
        raise _CutError
    while size:
        piece = _exactly(file, min(size, _PIECE))
        size -= len(piece)
        yield piece


def _described(file: IO[bytes]) -> int:
    """The checksum that stands behind a member whose header was written before its content was known."""
    begin = _exactly(file, 12)
    if begin.startswith(_DESCRIPTOR):
        begin = begin[4:] + _exactly(file, 4)
    return int.from_bytes(begin[:4], "little")


def _exactly(file: IO[bytes], size: int) -> bytes:
    found = file.read(size)
    if len(found) < size:
        raise _CutError
    return found
