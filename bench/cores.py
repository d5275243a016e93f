"""Servers on one core, clients on another: what a contender's server needs is not taken from the contender itself."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALL = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
SERVERS, CLIENTS = ({_ALL[0]}, {_ALL[1]}) if len(_ALL) > 1 else (set[int](), set[int]())


@contextmanager
def on(cores: set[int]) -> Iterator[None]:
    """Whatever thread or process is started in the block stays on ``cores``; nothing changes where there is but one."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
