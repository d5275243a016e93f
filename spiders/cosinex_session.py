"""What a cosinex marketplace keeps for a visitor: which list, its order, and that the start page was seen."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenderscrapy.sources.cosinex_schema import CosinexPortal

OVERVIEW, ENTER, OPEN, SORT, PAGE = "overview", "enter", "open", "sort", "page"
#: The jar of the projects' own pages, which never meet a list's.
PROJECTS = "projects"


@dataclass(slots=True)
class Progress:
    """How far the list under way was read: its entries, whether from its first page on, and its own total."""

    whole: bool = True
    entries: int = 0
    total: int | None = None
    met: set[tuple[str, str]] = field(default_factory=set)
    known_in_a_row: int = 0


class Session:
    """One cookie jar at a time, for one list at a time.

    The server keeps the list's filter and order with the session's cookie, so every list gets a jar of its own, and a
    later page can only be asked for once the first was. ``sorted_lists``: lists are read newest first.
    """

    def __init__(self, portal: CosinexPortal) -> None:
        self.portal = portal
        self.sorted_lists = False
        self._number = 0
        self._list: str | None = ""
        self._renewed = False
        self._enters = bool(portal.entry_url)
        self._begin("")

    def _begin(self, cpv: str | None) -> None:
        """A jar without cookies, for the list of ``cpv`` (None: the whole one)."""
        self._number += 1
        self._list = cpv
        self.jar = f"{self._number} {cpv or ''}"
        self._done: set[str] = set()

    def renew(self) -> bool:
        """Begin the list's session anew, by the start page; False when the one before it brought no page at all."""
        if self._renewed:
            return False
        self._renewed = self._enters = True  # a portal that wants its start page once wants it for each list
        self._begin(self._list)
        return True

    def lives(self) -> None:
        """A page was answered as asked for."""
        self._renewed = False

    def done(self, step: str) -> None:
        """The step was answered."""
        self._done.add(step)

    def turn_to(self, cpv: str | None) -> bool:
        """Make this the session of a list; True when it was another's."""
        if cpv == self._list:
            return False
        self._begin(cpv)
        return True

    def next_step(self, place: dict[str, Any] | None) -> tuple[str, str]:
        """The name and the address of what is to be asked for on the way to ``place`` (None: the overview)."""
        steps = self._steps(place)
        return next((step for step in steps if step[0] not in self._done), steps[-1])

    def is_there(self, step: str, place: dict[str, Any] | None) -> bool:
        """Whether the answer to ``step`` is the page at ``place``."""
        return self._steps(place)[-1][0] == step

    def _steps(self, place: dict[str, Any] | None) -> list[tuple[str, str]]:
        steps = [(ENTER, self.portal.start_page)] if self._enters else []
        if place is None:
            return [*steps, (OVERVIEW, self.portal.overview)]
        cpv, number = place["cpv"], place["page"]
        steps.append((OPEN, self.portal.first_page(cpv)))
        if self.sorted_lists:
            steps.append((SORT, self.portal.newest_first(cpv)))
        if number > 1:
            steps.append((f"{PAGE} {number}", self.portal.later_page(cpv, number)))
        return steps
