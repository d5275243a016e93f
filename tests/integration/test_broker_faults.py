"""What happens to the broker, and that no event is lost by it: rows wait, the relay recovers by itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import uuid4

import psycopg2
import pytest
from chaos.crawls import SINCE
from chaos.queues import empty, heard
from chaos.report import Outcome, full, publish

from portal_simulator import invented_ted_notices
from services.crawling import ROOT
from services.proxy import TcpProxy
from tenderscrapy.messaging import broker, outbox
from tenderscrapy.messaging.events import put_events
from tenderscrapy.messaging.outbox import OutboxRelay

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal_simulator import PortalSimulator
    from services.crawling import Crawl
    from services.rabbitmq import RabbitNode

pytestmark = [pytest.mark.rabbitmq, pytest.mark.chaos, pytest.mark.timeout(300)]

EVENTS = 1_500


def rows(database: str, query: str) -> list[tuple]:
    with closing(psycopg2.connect(database)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return cursor.fetchall()


def waiting(database: str) -> int:
    return rows(database, "SELECT count(*) FROM outbox WHERE published_at IS NULL")[0][0]


def put(database: str, count: int = EVENTS) -> set[str]:
    ids = {str(uuid4()) for _ in range(count)}
    with closing(psycopg2.connect(database)) as connection:
        put_events(connection, [(tender_id, "hash", "ted") for tender_id in ids])
        connection.commit()
    return ids


def until(condition: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


@dataclass
class Scene:
    """What a fault can lay its hands on. ``landed`` is what waited when the fault had struck."""

    database: str
    node: RabbitNode
    proxy: TcpProxy
    relay: OutboxRelay
    heard: list[str]
    expected: set[str] = field(default_factory=set)
    landed: int = 0
    tried: int = 0

    def strike(self, act: Callable[[], object]) -> None:
        act()
        self.tried += 1
        self.landed += waiting(self.database) > 0

    def refill(self) -> None:
        """Keep work in the outbox: a quick relay must not be done before the fault strikes."""
        if waiting(self.database) < 300:
            self.expected |= put(self.database, 300)

    def under_way(self, times: int = 1) -> None:
        target = self.relay.published + 100 * times
        until(lambda: self.refill() or self.relay.published >= target)
        self.refill()

    def until_error(self, words: str) -> None:
        """Until a row says why it waits."""
        said = f"SELECT 1 FROM outbox WHERE error LIKE '%{words}%' LIMIT 1"
        until(lambda: self.refill() or rows(self.database, said) != [])

    def listen(self) -> None:
        self.heard += [tender for tender, _ in heard(self.node.url)]

    def channel_call(self, act: Callable) -> None:
        with broker.connect(self.node.url, "test") as connection:
            act(connection.channel())


def killed(scene: Scene) -> None:
    for _ in range(2):
        scene.under_way()
        scene.strike(scene.node.kill)
        scene.node.start()


def restarted(scene: Scene) -> None:
    scene.under_way()
    scene.strike(scene.node.stop)
    scene.node.start()


def memory_alarm(scene: Scene) -> None:
    scene.under_way()

    def raise_it() -> None:
        scene.node.control("set_vm_memory_high_watermark", "absolute", "1")
        scene.until_error("no confirm in time")

    scene.strike(raise_it)
    scene.node.control("set_vm_memory_high_watermark", "absolute", "1GB")


def reset_among_confirms(scene: Scene) -> None:
    """Every connection is reset after some confirms, again and again, then they are left alone."""
    scene.proxy.reset_after = 900
    cuts = scene.proxy.cuts
    scene.strike(scene.proxy.reset)
    until(lambda: scene.proxy.cuts >= cuts + 8)
    scene.proxy.reset_after = None


def half_closed(scene: Scene) -> None:
    for _ in range(3):
        scene.under_way()
        scene.strike(scene.proxy.half_close)


def slow_network(scene: Scene) -> None:
    scene.proxy.delay = 0.1
    scene.strike(lambda: scene.under_way(2))


def silent_network(scene: Scene) -> None:
    """Neither data nor an end comes through for longer than the relay waits for confirms."""
    scene.under_way()

    def stall() -> None:
        scene.proxy.stalled = True

    scene.strike(stall)
    scene.until_error("no confirm in time")
    scene.proxy.stalled = False


def queue_deleted(scene: Scene) -> None:
    # what the queue held is gone with it; what comes later must find a queue
    assert scene.relay.drain(60) == 0
    scene.listen()
    scene.strike(lambda: (scene.channel_call(lambda c: c.queue_delete(broker.QUEUE)), put_more(scene)))


def unbound(scene: Scene) -> None:
    scene.under_way()
    scene.strike(
        lambda: (
            scene.channel_call(lambda c: c.queue_unbind(broker.QUEUE, broker.EXCHANGE, broker.BINDING)),
            put_more(scene),
        )
    )


def exchange_deleted(scene: Scene) -> None:
    scene.under_way()
    scene.strike(lambda: (scene.channel_call(lambda c: c.exchange_delete(broker.EXCHANGE)), put_more(scene)))


def put_more(scene: Scene) -> None:
    scene.expected |= put(scene.database, 300)


def full_queue(scene: Scene) -> None:
    """The queue takes no more until its consumer has come; it comes now and then."""
    scene.node.control("set_policy", "small", "^tenders.index$", '{"max-length": 300}', "--apply-to", "queues")
    put_more(scene)
    scene.strike(lambda: scene.until_error("refused"))
    until(lambda: scene.listen() or waiting(scene.database) == 0)
    scene.node.control("clear_policy", "small")


#: Fault -> what is done to the broker or the way there; what it was is made good before the end.
FAULTS: dict[str, Callable[[Scene], None]] = {
    "broker killed while publishing": killed,
    "broker restarted while publishing": restarted,
    "memory alarm of the broker": memory_alarm,
    "connections reset among the confirms": reset_among_confirms,
    "connection half closed": half_closed,
    "slow network to the broker": slow_network,
    "silent network to the broker": silent_network,
    "queue deleted": queue_deleted,
    "queue unbound": unbound,
    "exchange deleted": exchange_deleted,
    "queue full": full_queue,
}


#: What every run of the tests does of them.
SOME = ("broker killed while publishing", "connections reset among the confirms", "queue unbound")


@pytest.fixture
def node(request: pytest.FixtureRequest, fault: str) -> RabbitNode:
    """The module's node; one of its own for a test that takes the node down."""
    down = fault.startswith(("broker killed", "broker restarted"))
    return request.getfixturevalue("fresh_rabbitmq_node" if down else "rabbitmq_node")


@pytest.mark.parametrize("fault", FAULTS if full() else SOME)
def test_a_fault_of_the_broker_loses_no_event(
    database: str, node: RabbitNode, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(outbox, "CONFIRM_SECONDS", 3.0)
    monkeypatch.setattr(outbox, "WINDOW", 50)
    empty(node.url)
    with TcpProxy(node.url) as proxy:
        relay = OutboxRelay(database, proxy.url)
        scene = Scene(database, node, proxy, relay, [])
        scene.expected = put(database)
        relay.start()
        try:
            FAULTS[fault](scene)
            left = relay.drain(120)
        finally:
            relay.close()
    scene.listen()
    again = len(scene.heard) - len(set(scene.heard))
    lost = len(scene.expected - set(scene.heard))
    publish(Outcome(fault, scene.tried, scene.landed, lost, 0, f"{len(scene.expected):,} events, {again:,} came twice"))
    assert (left, lost) == (0, 0)
    assert set(scene.heard) == scene.expected
    assert scene.landed > 0


#: What befalls the broker while a crawl runs.
IN_A_CRAWL: dict[str, Callable[[RabbitNode, TcpProxy], object]] = {
    "broker killed during a crawl": lambda node, _: node.kill(),
    "broker silent during a crawl": lambda _, proxy: setattr(proxy, "stalled", True),
}


@pytest.mark.parametrize("fault", IN_A_CRAWL if full() else ["broker killed during a crawl"])
def test_a_crawl_ends_as_it_would_have_and_republish_brings_what_is_left(
    simulator: PortalSimulator, crawl: Crawl, database: str, node: RabbitNode, fault: str
) -> None:
    empty(node.url)
    simulator.ted.notices = invented_ted_notices(500)
    simulator.fault("/v3/notices/search", None, "delay", seconds=2, after=1)
    with TcpProxy(node.url) as proxy:

        def strike() -> None:
            until(lambda: rows(database, "SELECT 1 FROM outbox WHERE published_at IS NOT NULL LIMIT 1") != [])
            IN_A_CRAWL[fault](node, proxy)

        striker = threading.Thread(target=strike)
        striker.start()
        run = crawl("ted", since=SINCE, AMQP_URL=proxy.url, ATTACHMENTS_BUDGET="0.01")
        striker.join()
    assert run.returncode == 0, run.stderr
    assert rows(database, "SELECT state, reason FROM crawl_run") == [("complete", "")]
    assert "wait in the outbox for RabbitMQ" in run.stderr
    landed = waiting(database)
    assert landed > 0
    if fault.startswith("broker killed"):
        node.start()
    line = [sys.executable, "-m", "scrapy", "republish", "-s", f"AMQP_URL={node.url}"]
    environment = os.environ | {"AMQP_URL": node.url}
    done = subprocess.run(line, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr
    tenders = {tender for (tender,) in rows(database, "SELECT id::text FROM tender")}
    arrived = [tender for tender, _ in heard(node.url)]
    lost = len(tenders - set(arrived))
    publish(
        Outcome(fault, 1, 1, lost, 0, f"{len(tenders):,} tenders, {len(arrived) - len(tenders):,} events came twice")
    )
    assert (lost, waiting(database)) == (0, 0)
