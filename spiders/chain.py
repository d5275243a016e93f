"""The chain of pages that a walk follows: where it ends, and what the run is told of each page."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from tenderscrapy.exceptions import SourceError

if TYPE_CHECKING:
    from tenderscrapy.extensions.run import Run
    from tenderscrapy.items import SourcePage

logger = logging.getLogger(__name__)

#: How often an answer that the source itself calls partial is asked for again.
PARTIAL_RETRIES = 3
#: Pages in a row without anything new to the walk that are taken for a chain without an end.
REPEATED_PAGES = 5


class Chain:
    """The pages of one walk, which ends after ``max_pages`` where that is given."""

    def __init__(self, run: Run, max_pages: int | None) -> None:
        self.run = run
        self.max_pages = max_pages
        self._seen: set[str] = set()
        self._met: set[int] = set()
        self._repeats = 0

    def restart(self) -> None:
        """The walk begins again with the source's first page."""
        self._seen.clear()
        self._met.clear()

    def end(self, page: SourcePage, cursor: Any, number: int) -> str:
        """Why the walk ends with this page, empty when it goes on; raises SourceError for a repeated cursor."""
        if not page.streamed and not page.goes_on and not page.count:
            return "an empty page"
        if page.next_cursor is None:
            return "no further page"
        self._seen.add(repr(cursor))
        if repr(page.next_cursor) in self._seen:
            raise SourceError(f"page {number + 1} names a cursor that was followed before; the walk would never end")
        self._repeats = 0 if page.streamed or self._brings_news(page) else self._repeats + 1
        if self._repeats >= REPEATED_PAGES:
            raise SourceError(f"{self._repeats} pages in a row brought nothing new to this walk; it would never end")
        if page.partial and not page.streamed:
            return "partial"
        if self.max_pages and number + 1 >= self.max_pages:
            return "max_pages"
        return ""

    def _brings_news(self, page: SourcePage) -> bool:
        editions = {hash((notice.notice_id, notice.revised_at)) for notice in page.notices}
        fresh = editions - self._met
        self._met |= fresh
        return bool(fresh) or not editions

    def announce(self, page: SourcePage, number: int, end: str, problem: str = "") -> None:
        """Tell the run, and its checkpoint, of a page that is about to be handed on; ``end`` as ``end`` says it."""
        run = self.run
        run.counts["pages"] += 1
        if not page.streamed:
            run.counts["fetched"] += page.count
            run.counts["rejected"] += page.rejected
            run.fetched += page.count
        run.announced = page.announced if page.announced is not None else run.announced
        if page.shortfall:
            run.leave_out(page.shortfall)
        if problem:
            run.break_off("failed", problem)
            logger.error("%s: %s", self.run.code, problem)
        in_part = page.partial and not page.streamed
        if in_part:
            run.break_off("incomplete", f"page {number + 1} was answered in part {PARTIAL_RETRIES + 1} times")
        if in_part or problem:
            run.checkpoint.announce(number, page.count + 1, None)  # never settled: the cursor stays before this page
            return
        if end == "max_pages":
            run.walked = True
            run.note(f"ended after {number + 1} page(s) as asked")
        elif end:
            run.end_of_chain()
        run.checkpoint.announce(
            number,
            None if page.streamed else page.count,
            page.next_cursor,
            last=bool(end) and end != "max_pages",
            watermark=page.watermark,
            mark=page.mark,
        )
        if not page.streamed and (page.rejected or not page.count):
            run.batches.settle(number, page.rejected)
