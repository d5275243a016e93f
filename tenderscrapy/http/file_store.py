"""Files on disk, named by their content, durable before anybody is told of them."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from tenderscrapy.failpoints import failpoint

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400.0
_PART = ".part"


class FileStore:
    """The folder FILES_STORE: ``ab/cdef….pdf``, where abcdef… is the SHA-256 of the content.

    The same content has one path, whatever its names. Raises OSError (a full disk, no permission).
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)

    def part(self) -> Path:
        """A path for a body that is still coming; nothing is there yet."""
        self.root.mkdir(parents=True, exist_ok=True)
        return self.root / f"{uuid4().hex}{_PART}"

    def keep(self, part: Path, sha256: str, ending: str) -> str:
        """Move a finished part to its place, and make that durable; the path relative to the store.

        Order: file, then name, then folder; only after that may a row say that the file is there. Content that is in
        the store already keeps the ending it has.
        """
        folder = self.root / sha256[:2]
        self._sync_file(part)
        created = not folder.is_dir()
        folder.mkdir(exist_ok=True)
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # Two processes with the same content under two endings take turns, and the second finds the first's.
            fcntl.flock(opened, fcntl.LOCK_EX)
            place = self._known(folder, sha256, part.stat().st_size) or folder / f"{sha256[2:]}{ending}"
            failpoint("replace.before")
            part.replace(place)
            failpoint("replace.after")
            failpoint("folder_sync.before")
            os.fsync(opened)
            failpoint("folder_sync.after")
        finally:
            os.close(opened)
        if created:
            self._sync_folder(self.root)
        return f"{folder.name}/{place.name}"

    def _known(self, folder: Path, sha256: str, size: int) -> Path | None:
        for path in folder.glob(f"{sha256[2:]}*"):
            if path.stat().st_size == size:
                return path
        return None

    @staticmethod
    def _sync_file(path: Path) -> None:
        with path.open("rb") as file:
            failpoint("file_sync.before")
            os.fsync(file.fileno())
            failpoint("file_sync.after")

    @staticmethod
    def _sync_folder(path: Path) -> None:
        opened = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)

    def remove_parts(self, older_than: float = DAY) -> int:
        """Remove parts that nobody has written to for ``older_than`` seconds; how many there were."""
        removed = 0
        for path in self.root.glob(f"*{_PART}"):
            removed += self._remove_if_old(path, older_than)
        return removed

    def old_files(self, older_than: float = DAY) -> Iterator[list[str]]:
        """The relative paths of files that came before the last ``older_than`` seconds, folder by folder.

        Younger ones may belong to a transaction that is still to come.
        """
        for folder in sorted(self.root.glob("[0-9a-f][0-9a-f]")):
            old = [path for path in folder.iterdir() if _age(path) > older_than]
            if old:
                yield [f"{folder.name}/{path.name}" for path in sorted(old)]

    def remove(self, path: str, older_than: float = DAY) -> bool:
        """Remove a file that is still as old as that; a file that was stored again meanwhile stays."""
        return self._remove_if_old(self.root / path, older_than)

    @staticmethod
    def _remove_if_old(path: Path, older_than: float) -> bool:
        opened = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(opened, fcntl.LOCK_EX)
            if _age(path) <= older_than:
                return False
            path.unlink(missing_ok=True)
            return True
        finally:
            os.close(opened)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
