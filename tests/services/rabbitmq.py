"""A real RabbitMQ for tests: a node of our own with its own port mapper, which a test may kill and start again."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pika
import pytest

from services.missing import free_port, missing, program
from tenderscrapy.config import config
from tenderscrapy.messaging import broker

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The script itself: Debian's wrapper changes the user, and the node then cannot write to our folder.
SERVER = ("/usr/lib/rabbitmq/bin/rabbitmq-server", "rabbitmq-server")
START_SECONDS = 90.0


class RabbitNode:
    """A node on free ports, with all its files below one folder. ``start`` after ``kill`` finds the same data."""

    def __init__(self, folder: Path, server: str) -> None:
        self.port, self._dist, self._epmd = free_port(), free_port(), free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}/%2F"
        self._folder = folder
        self._server = server
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "rabbitmq.conf").write_text(
            f"listeners.tcp.1 = 127.0.0.1:{self.port}\nlog.console = false\n"
            "vm_memory_high_watermark.absolute = 1GB\ndisk_free_limit.absolute = 10MB\n"
        )
        (folder / "advanced.config").write_text("[{rabbit, [{channel_tick_interval, 2000}]}].\n")
        (folder / "plugins").write_text("[].\n")
        (folder / "env.conf").write_text("")

    def environment(self) -> dict[str, str]:
        """What the node, and rabbitmqctl for it, are started with."""
        folder = str(self._folder)
        return os.environ | {
            "HOME": folder,
            "RABBITMQ_NODENAME": f"t{self.port}@localhost",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_ADVANCED_CONFIG_FILE": f"{folder}/advanced.config",
            "RABBITMQ_CONF_ENV_FILE": f"{folder}/env.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_PID_FILE": f"{folder}/pid",
            "RABBITMQ_DIST_PORT": str(self._dist),
            "ERL_EPMD_PORT": str(self._epmd),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
        }

    def start(self) -> None:
        """Start the node and wait until it answers."""
        with (self._folder / "output").open("ab") as output:
            self._process = subprocess.Popen(
                [self._server], env=self.environment(), stdout=output, stderr=output, start_new_session=True
            )
        end = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"RabbitMQ did not start: {(self._folder / 'output').read_text()[-2000:]}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                probe.settimeout(2)
                probe.sendall(b"AMQP\0\0\0\0")  # not our protocol: the broker says which one is its own
                return probe.recv(8).startswith(b"AMQP")
        except OSError:
            return False

    def kill(self) -> None:
        """Kill -9 the node with everything it started but the port mapper."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop the node properly, and the port mapper."""
        self._end(signal.SIGTERM)
        epmd = program("epmd", "/usr/bin/epmd")
        if epmd:
            subprocess.run([epmd, "-port", str(self._epmd), "-kill"], capture_output=True, check=False)

    def control(self, *arguments: str) -> None:
        """Run rabbitmqctl against the node."""
        line = [str(Path(self._server).with_name("rabbitmqctl")), *arguments]
        done = subprocess.run(line, env=self.environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    def _end(self, number: signal.Signals) -> None:
        if self._process is None:
            return
        target = os.killpg if number is signal.SIGKILL else os.kill
        with contextlib.suppress(ProcessLookupError):
            target(self._process.pid, number)
        self._process.wait(timeout=60)
        self._process = None


def _own_node() -> Iterator[RabbitNode]:
    server = program(*SERVER)
    if server is None:
        missing("RabbitMQ", "install rabbitmq-server, or set RABBITMQ_URL")
    folder = Path(tempfile.mkdtemp(prefix="ts-rabbit-"))
    node = RabbitNode(folder, server)
    try:
        node.start()
        yield node
    finally:
        node.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[str]:
    """The AMQP URL of a broker for the session: RABBITMQ_URL or AMQP_URL when set, else a node of our own."""
    if url := os.environ.get("RABBITMQ_URL") or os.environ.get("AMQP_URL"):
        yield url
        return
    for node in _own_node():
        yield node.url


@pytest.fixture(scope="module")
def rabbitmq_node() -> Iterator[RabbitNode]:
    """A node that the tests of one module may kill and start again."""
    yield from _own_node()


@pytest.fixture
def fresh_rabbitmq_node() -> Iterator[RabbitNode]:
    """A node for one test alone."""
    yield from _own_node()


@pytest.fixture
def amqp_url(rabbitmq: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The session's broker without any queue of ours; also AMQP_URL while the test runs."""
    without_queues(rabbitmq)
    monkeypatch.setenv("AMQP_URL", rabbitmq)
    config.cache_clear()
    try:
        yield rabbitmq
    finally:
        config.cache_clear()
        without_queues(rabbitmq)


def without_queues(url: str) -> None:
    """Delete what broker.declare makes."""
    with pika.BlockingConnection(pika.URLParameters(url)) as connection:
        channel = connection.channel()
        for queue in (broker.QUEUE, broker.RETRY_QUEUE, broker.DEAD_QUEUE):
            channel.queue_delete(queue)
        channel.exchange_delete(broker.EXCHANGE)
