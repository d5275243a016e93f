"""What a test does when a service that it needs is not installed here."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from typing import NoReturn

import pytest


def missing(service: str, instead: str) -> NoReturn:
    """Skip the test, loudly; with REQUIRE_SERVICES=1 it fails. ``instead`` is what one can set or install."""
    reason = f"{service} is missing here: {instead}"
    if os.environ.get("REQUIRE_SERVICES") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def program(*candidates: str) -> str | None:
    """The first of these programs that exists, by path or by name."""
    return next((found for name in candidates if (found := shutil.which(name) or _file(name))), None)


def _file(name: str) -> str | None:
    return name if Path(name).is_file() else None


def free_port() -> int:
    """A TCP port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
