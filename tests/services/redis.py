"""A real Redis for tests, in memory only."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from services.missing import free_port, missing, program

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """The URL of a Redis for the session: REDIS_URL when set, else a server of our own that saves nothing."""
    if url := os.environ.get("REDIS_URL"):
        yield url
        return
    server = program("redis-server", "/usr/bin/redis-server")
    if server is None:
        missing("Redis", "install redis-server, or set REDIS_URL")
    port = free_port()
    command = [server, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 30
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                pytest.fail("Redis did not start")
            time.sleep(0.02)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(timeout=30)


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as probe:
            probe.settimeout(2)
            probe.sendall(b"PING\r\n")
            return probe.recv(7).startswith(b"+PONG")
    except OSError:
        return False
