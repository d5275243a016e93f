"""ZIP archives on disk that a server sent: members one by one, nothing is ever unpacked to a file.

Names of members are data, not paths. What is packed too large, encrypted, or packed in a way that notices are not, is
refused for that member alone.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Self

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.zip_salvage import SalvagedMember, salvaged
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from pathlib import Path

#: Of the directory in bytes: a month of notices has some 3 MB, and its entries are held in memory.
MAX_DIRECTORY = 8_000_000
#: Unpacked, of one notice: the largest published ones have 3 MB.
MAX_MEMBER = 16_000_000
#: Unpacked, of all members together.
MAX_TOTAL = 4_000_000_000

_ENCRYPTED = 0x1
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, UnicodeError)


class _Bounded:
    """A file of which no single read is larger than a directory may be: zipfile reads that in one piece."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.seek, self.tell, self.seekable, self.close = file.seek, file.tell, file.seekable, file.close

    def read(self, size: int = -1) -> bytes:
        if size > MAX_DIRECTORY:
            raise zipfile.BadZipFile("its directory is too large")
        return self._file.read(size)


@dataclass(slots=True)
class Archive:
    """An open archive and the members it names, in the order of their names. Close it, or use ``with``.

    ``damage`` says why these are only the members before a cut.
    """

    _file: IO[bytes]
    members: list[Member | SalvagedMember] = field(default_factory=list)
    unpacked: int = 0
    damage: str = ""

    @classmethod
    def open(cls, path: Path, *, salvage: bool = False) -> Self:
        """Read the directory of the archive at ``path``, which may be removed afterwards.

        Raises UnreadableDocumentError when the file is missing or no whole archive (with ``salvage``: and there is no
        whole member in it), OSError for the disk's faults.
        """
        try:
            file = path.open("rb")
        except FileNotFoundError:
            raise UnreadableDocumentError("the answer is empty") from None
        archive = cls(file)
        try:
            packed = zipfile.ZipFile(_Bounded(file))
        except _BROKEN as error:
            archive.damage = f"no whole ZIP: {_words(error)}"
            found = salvaged(file, MAX_MEMBER, MAX_TOTAL) if salvage else ()
            archive.members = sorted(found, key=lambda member: member.name)
            if not archive.members:
                file.close()
                raise UnreadableDocumentError(archive.damage) from error
            return archive
        infos = [info for info in packed.infolist() if not info.is_dir()]
        archive.members = [Member(archive, packed, info) for info in sorted(infos, key=lambda info: info.filename)]
        return archive

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


@dataclass(slots=True)
class Member:
    """One member. ``name`` is for people and for reading a notice's number from, never a path to write to."""

    _archive: Archive
    _zip: zipfile.ZipFile
    _info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """The name as it may be shown, cut."""
        return printable(self._info.filename)[:200]

    def read(self, most: int = MAX_MEMBER) -> bytes:
        """The content, at most ``most`` bytes.

        Raises UnreadableDocumentError when it is larger, encrypted, packed by an unknown method, or damaged.
        """
        info, archive = self._info, self._archive
        if info.flag_bits & _ENCRYPTED:
            raise UnreadableDocumentError("it is encrypted")
        if info.compress_type not in _METHODS:
            raise UnreadableDocumentError(f"it is packed by method {info.compress_type}, which no notice is")
        most = min(most, MAX_TOTAL - archive.unpacked)
        try:
            with self._zip.open(info) as stream:
                content = stream.read(most + 1)
        except (*_BROKEN, OSError) as error:
            raise UnreadableDocumentError(f"it is damaged: {_words(error)}") from error
        archive.unpacked += len(content)
        if len(content) > most:
            raise UnreadableDocumentError(f"it unpacks to more than {most:,} bytes")
        return content


def _words(error: Exception) -> str:
    return printable(" ".join(str(error).split()))[:150] or type(error).__name__
