"""Which page's cursor may be committed: every notice of it and of all pages before it is settled."""

from __future__ import annotations

import sys
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Page:
    count: int
    next_cursor: Any
    last: bool
    arrived: int = 0
    settled: int = 0
    failed: bool = False
    held: bool = False
    watermark: str | None = None
    mark: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """How far the walk is settled: the cursor of the next page, the notices so far, and whether that was all.

    ``page`` is the first page that is still open. ``watermark`` is the last that a settled page named itself.
    """

    next_cursor: Any
    fetched: int
    last: bool
    page: int
    watermark: str | None = None


class Checkpoint:
    """Pages of one walk, numbered from 0; called from the reactor's thread and from the storage thread.

    A page is announced before its notices are handed on, so that a callback that dies half-way leaves it open. Each
    notice arrives once (at storage, or dropped before it) and settles once (committed, quarantined or dropped).
    """

    def __init__(self, fetched: int = 0) -> None:
        self._pages: dict[int, _Page] = {}
        self._next = 0
        self._fetched = fetched
        self._begins = 0
        self._lock = threading.Lock()

    def restart(self, page: int) -> None:
        """The walk begins again with ``page``: notices are counted from there."""
        with self._lock:
            self._begins = page

    def announce(
        self,
        page: int,
        count: int | None,
        next_cursor: Any,
        *,
        last: bool = False,
        watermark: str | None = None,
        mark: dict[str, str] | None = None,
    ) -> None:
        """A page of ``count`` notices is about to be handed on; ``last`` when the walk ends with it.

        A page whose count is None stays open until ``close`` tells it. ``watermark`` and ``mark`` as in SourcePage.
        """
        open_end = sys.maxsize if count is None else count
        with self._lock:
            self._pages[page] = _Page(open_end, next_cursor, last, watermark=watermark, mark=mark)

    def close(self, page: int, count: int) -> None:
        """All of ``page`` is handed on: it had ``count`` notices."""
        with self._lock:
            if page in self._pages:
                self._pages[page].count = count

    def arrive(self, page: int | None) -> bool:
        """One notice of ``page`` is at storage or dropped; True when it was the page's last."""
        with self._lock:
            known = self._pages.get(page) if page is not None else None
            if known is None:
                return False
            known.arrived += 1
            return known.arrived >= known.count

    def fail(self, page: int | None) -> None:
        """A notice of ``page`` is lost to this run: neither this page nor a later one moves the cursor."""
        with self._lock:
            if page is not None and page in self._pages:
                self._pages[page].failed = True

    def hold(self, page: int) -> None:
        """A part of ``page`` could not be read: the cursor stays before it, though the walk may go on."""
        with self._lock:
            if page in self._pages:
                self._pages[page].held = True

    def marks(self, pages: list[int]) -> dict[str, str]:
        """The uncommitted marks of all pages that are whole once one more notice of each of ``pages`` is settled.

        A page need not wait for those before it: what its mark says holds for it alone.
        """
        more = Counter(pages)
        with self._lock:
            marked = [page for number, page in self._pages.items() if page.mark and self._done(page, more[number])]
        return {name: value for page in marked for name, value in (page.mark or {}).items()}

    def preview(self, pages: list[int]) -> Position | None:
        """Where the cursor would stand once one more notice of each of ``pages`` is settled; None if it stays."""
        more = Counter(pages)
        with self._lock:
            number, fetched, moved, watermark = self._next, self._fetched, None, None
            while (page_ := self._pages.get(number)) and self._done(page_, more[number]):
                fetched = page_.count + (0 if number == self._begins > 0 else fetched)
                number += 1
                watermark = watermark if page_.watermark is None else page_.watermark
                moved = Position(page_.next_cursor, fetched, page_.last, number, watermark)
            return moved

    def settle(self, pages: list[int], position: Position | None, marks: dict[str, str] | None = None) -> None:
        """One notice of each of ``pages`` is settled for good; ``position`` and ``marks``, as previewed, are committed.

        An empty page that was announced since the preview stays open: its cursor is not written yet.
        """
        with self._lock:
            for page in pages:
                if page in self._pages:
                    self._pages[page].settled += 1
            if position is not None:
                for page in range(self._next, position.page):
                    del self._pages[page]
                self._next, self._fetched = position.page, position.fetched
            for page_ in self._pages.values() if marks else ():
                if page_.mark and page_.mark.items() <= (marks or {}).items():
                    page_.mark = None

    @staticmethod
    def _done(page: _Page, more: int) -> bool:
        return not page.failed and not page.held and page.settled + more >= page.count

    @property
    def blocked(self) -> bool:
        """Whether a page is lost to this run, so that no later one can move the cursor."""
        with self._lock:
            return any(page.failed for page in self._pages.values())

    @property
    def unsettled(self) -> int:
        """How many announced pages are still open."""
        with self._lock:
            return len(self._pages)

    @property
    def at_work(self) -> int:
        """How many pages have notices that are not settled yet, or wait for one that is lost to this run.

        Those behind a held page are done.
        """
        with self._lock:
            if any(page.failed for page in self._pages.values()):
                return len(self._pages)
            return sum(page.settled < page.count for page in self._pages.values())
