"""Named places at which a test ends the process as a crash would, to see what is left.

``FAILPOINTS="commit.before:kill@17"`` has the process kill itself with SIGKILL when it comes to that place for the 17th
time; ``commit.before:trace`` writes a line to standard error at every passing. Several are separated by commas. Each
place has a ``before`` and an ``after``.

For test runs only: pytest sets PYTEST_CURRENT_TEST while a test runs, and what the test starts inherits it. A process
without it that finds FAILPOINTS set does not start. Unset, a passing is one look at an empty dictionary.
"""

from __future__ import annotations

import os
import re
import signal
from itertools import count
from typing import TYPE_CHECKING, Final, NamedTuple

from tenderscrapy.exceptions import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLACES = (
    "file_sync",
    "replace",
    "folder_sync",
    "ready",
    "notice_insert",
    "cursor",
    "commit",
    "publish",
    "confirm",
    "settle",
    "ack",
    "chunk_delete",
    "chunk_insert",
)
POINTS: Final = frozenset(f"{place}.{when}" for place in _PLACES for when in ("before", "after"))


class _Armed(NamedTuple):
    """What happens at a place: SIGKILL at passing number ``kill_at``, or with 0 a line at every passing."""

    kill_at: int
    passings: Iterator[int]


def read(text: str, *, testing: bool) -> dict[str, _Armed]:
    """The places that are armed. Raises ConfigurationError for a name or a form that is not known."""
    if text and not testing:
        raise ConfigurationError(f"FAILPOINTS={text!r} kills the process on purpose, for tests only: unset it")
    armed = {}
    for part in filter(None, text.split(",")):
        found = re.fullmatch(r"([a-z_.]+):(?:trace|kill@([1-9][0-9]*))", part)
        if found is None:
            raise ConfigurationError(f"FAILPOINTS: {part!r} is not NAME:kill@NUMBER or NAME:trace")
        if found[1] not in POINTS:
            raise ConfigurationError(f"FAILPOINTS: there is no {found[1]!r}; there are {', '.join(sorted(POINTS))}")
        armed[found[1]] = _Armed(int(found[2] or 0), count(1))
    return armed


_armed = read(os.environ.get("FAILPOINTS", ""), testing="PYTEST_CURRENT_TEST" in os.environ)


def failpoint(name: str) -> None:
    """Pass the place ``name``, one of POINTS; the process may end here."""
    if _armed and (armed := _armed.get(name)) is not None:
        _pass(name, armed)


def _pass(name: str, armed: _Armed) -> None:
    passing = next(armed.passings)
    if armed.kill_at in (0, passing):
        os.write(2, f"failpoint {name} {passing}\n".encode())
    if passing == armed.kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
