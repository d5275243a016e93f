"""Members of archives, one by one and in memory: nothing is ever written, and every count and size has a limit."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from tenderscrapy.exceptions import ExtractionError
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_MEMBERS = 2_000
MAX_MEMBER_BYTES = 200_000_000
MAX_BYTES = 1_000_000_000
MAX_RATIO = 200
MAX_DEPTH = 3
#: Small members may be packed tighter than any limit without harm.
_RATIO_FROM = 1_000_000
_PIECE = 1 << 16
_UTF8_NAME, _ENCRYPTED = 0x800, 0x1

_BROKEN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@dataclass(slots=True)
class Allowance:
    """What one file, with all archives inside it, may still unpack."""

    members: int = MAX_MEMBERS
    bytes: int = MAX_BYTES


class Member(NamedTuple):
    """A file inside an archive; ``data`` unpacks it, and raises ExtractionError when it must not be unpacked."""

    name: str
    data: Callable[[], bytes]


def members(kind: str, data: bytes, allowance: Allowance) -> Iterator[Member]:
    """The regular files of a ``zip``, ``tar`` or ``gzip``.

    Raises ExtractionError when the archive cannot be opened or has more members than allowed, after those that are.
    """
    try:
        yield from _ITERATORS[kind](data, allowance)
    except (*_BROKEN, OSError) as error:
        raise ExtractionError(f"a broken archive: {' '.join(str(error).split())[:150]}") from error


def _counted(allowance: Allowance) -> None:
    if allowance.members <= 0:
        raise ExtractionError(f"members after {MAX_MEMBERS} left out")
    allowance.members -= 1


def _zip(data: bytes, allowance: Allowance) -> Iterator[Member]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            if info.is_dir():
                continue
            _counted(allowance)
            yield Member(_name(info), lambda info=info: _unzipped(archive, info, allowance))  # type: ignore[misc]


def _name(info: zipfile.ZipInfo) -> str:
    """The member's name: without the UTF-8 mark it is UTF-8 all the same, or the code page of old German Windows."""
    if info.flag_bits & _UTF8_NAME:
        return safe_name(info.filename)
    try:
        raw = info.filename.encode("cp437")
    except UnicodeEncodeError:
        return safe_name(info.filename)
    try:
        return safe_name(raw.decode("utf-8"))
    except UnicodeDecodeError:
        return safe_name(raw.decode("cp850"))


def _unzipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, allowance: Allowance) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise ExtractionError("encrypted")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ExtractionError("a link")
    if info.file_size > _RATIO_FROM and info.file_size > MAX_RATIO * max(1, info.compress_size):
        raise ExtractionError(f"packed more than {MAX_RATIO} times, a bomb")
    try:
        with archive.open(info) as stream:
            return _bounded(stream, allowance)
    except (*_BROKEN, OSError) as error:
        raise ExtractionError(f"a broken member: {' '.join(str(error).split())[:150]}") from error


def _tar(data: bytes, allowance: Allowance) -> Iterator[Member]:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for info in archive:
            if not info.isreg():
                continue
            _counted(allowance)
            stream = archive.extractfile(info)
            if stream is not None:
                yield Member(safe_name(info.name), lambda stream=stream: _bounded(stream, allowance))  # type: ignore[misc]


def _gzip(data: bytes, allowance: Allowance) -> Iterator[Member]:
    _counted(allowance)

    def unpacked() -> bytes:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return _bounded(cast("IO[bytes]", stream), allowance, most=max(_RATIO_FROM, MAX_RATIO * len(data)))

    yield Member("content", unpacked)


def _bounded(stream: IO[bytes], allowance: Allowance, most: int = MAX_MEMBER_BYTES) -> bytes:
    """All bytes of a stream; counts what really comes out, whatever the archive's own directory says."""
    unpacked = bytearray()
    most = min(most, MAX_MEMBER_BYTES)
    while piece := stream.read(_PIECE):
        allowance.bytes -= len(piece)
        if allowance.bytes < 0:
            raise ExtractionError(f"more than {MAX_BYTES} bytes unpacked, the rest is left out")
        unpacked += piece
        if len(unpacked) > most:
            raise ExtractionError(f"more than {most} bytes")
    return bytes(unpacked)


def safe_name(name: str) -> str:
    """A member's path as a label: forward slashes, no drive, no way up, at most 200 characters from its end."""
    parts = PurePosixPath(printable(name).replace("\\", "/")).parts
    kept = [part for part in parts if part not in ("/", "..", ".") and not part.endswith(":")]
    return "/".join(kept)[-200:] or "unnamed"


_ITERATORS = {"zip": _zip, "tar": _tar, "gzip": _gzip}
