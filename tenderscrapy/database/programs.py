"""How PostgreSQL's programs are run: as which account, and with what environment."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME")


class Account(NamedTuple):
    """The account that runs the server; only root can choose another than its own."""

    uid: int
    gid: int

    @property
    def foreign(self) -> bool:
        """Whether a process must change its user to become this account."""
        return self.uid != os.geteuid()

    def popen(self) -> dict[str, Any]:
        """The arguments that make ``subprocess`` start a program as this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.foreign else {}


def clean_environment() -> dict[str, str]:
    """The environment for the server and its tools: no PG* variable bends them, no secret stays in them."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return {**kept, "LC_ALL": "C"}


def run(
    command: Sequence[str | Path], *, account: Account | None = None, sql: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end with ``sql`` as its input; its status and what it said are the caller's to judge."""
    return subprocess.run(  # noqa: S603 - no part of any command comes from outside
        command,
        input=sql,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",  # the current folder may be closed to the account
        env=clean_environment(),
        **(account.popen() if account else {}),
    )
