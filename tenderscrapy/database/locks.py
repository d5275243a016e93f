"""Locks between processes that the kernel frees when their holder dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tenderscrapy.exceptions import DatabaseUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POLL = 0.02


class FileLock:
    """An flock on a file that is never deleted.

    The lock belongs to the open file: a forked child shares it, and it ends when all copies are closed. A program
    that is executed does not inherit it unless ``inheritable`` is called.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds the lock, shared or not."""
        return self._descriptor is not None

    def try_lock(self, *, shared: bool = False) -> bool:
        """Take the lock if nobody stands in the way; True if it is held afterwards."""
        if self._descriptor is not None:
            return True
        descriptor = open_owned(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def lock(self, *, shared: bool = False, timeout: float = 300) -> None:
        """Take the lock, waiting for ``timeout`` seconds at most; then DatabaseUnavailableError."""
        end = time.monotonic() + timeout
        while not self.try_lock(shared=shared):
            if time.monotonic() > end:
                raise DatabaseUnavailableError(f"{self.path} has been locked by another process for {timeout:.0f} s.")
            time.sleep(POLL)

    def unlock(self) -> None:
        """Give the lock back; without effect where it is not held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def taken(self) -> bool:
        """Whether some other process holds the lock alone."""
        if self.try_lock(shared=True):
            self.unlock()
            return False
        return True

    def inheritable(self) -> None:
        """Let a program that this process executes next keep the lock."""
        if self._descriptor is not None:
            os.set_inheritable(self._descriptor, True)

    def note(self, text: str) -> None:
        """Write ``text`` into the locked file, for whoever is kept out."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, text.encode(), 0)

    @contextmanager
    def exclusive(self, timeout: float = 300) -> Iterator[None]:
        """Hold the lock alone for a block."""
        self.lock(timeout=timeout)
        try:
            yield
        finally:
            self.unlock()


def open_owned(path: Path, flags: int) -> int:
    """Open a file of mode 0600; one that root makes belongs to its folder's owner, who will need it next time."""
    descriptor = os.open(path, flags, 0o600)
    if os.geteuid() == 0:
        folder, file = path.parent.stat(), os.fstat(descriptor)
        if file.st_uid == 0 != folder.st_uid and file.st_nlink == 1:
            os.fchown(descriptor, folder.st_uid, folder.st_gid)
    return descriptor
