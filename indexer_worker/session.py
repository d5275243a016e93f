"""One connection to the broker: it is served here while another thread works, so that heartbeats never stop."""

from __future__ import annotations

import logging
import time
from collections import deque
from concurrent.futures import Future
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from indexer_worker.consumer import BATCH, DELIVERIES, RETRY_AFTER, Tally
from indexer_worker.delivery import TRIES_HEADER, Delivery
from indexer_worker.jobs import PASSING, DependencyDownError, Fate, Job
from tenderscrapy.exceptions import BrokerUnavailableError, MessageError
from tenderscrapy.failpoints import failpoint
from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import decode

if TYPE_CHECKING:
    from collections.abc import Callable

    import pika
    from pika.adapters.blocking_connection import BlockingChannel

    from indexer_worker.jobs import Result
    from indexer_worker.worker import Indexer

logger = logging.getLogger(__name__)

#: Seconds between two looks at whether work is done.
_TICK = 0.05
#: Seconds that a process which is asked to end waits for the work in hand; then it is left to whoever gets it next.
_LAST_WORK = 25.0


class SharedIndexer:
    """An indexer whose work of a lost connection may still run when the next one hands out new work."""

    def __init__(self, indexer: Indexer) -> None:
        self._indexer = indexer
        self._busy = Lock()

    def process(self, jobs: list[Job]) -> list[Result]:
        """See Indexer."""
        with self._busy:
            return self._indexer.process(jobs)

    def probe(self) -> None:
        """See Indexer."""
        with self._busy:
            self._indexer.probe()


class Session:
    """From the connection's opening to its end."""

    def __init__(
        self, url: str, indexer: SharedIndexer, tally: Tally, stopping: Event, drained: Callable[[], bool] | None
    ) -> None:
        self._url = url
        self._indexer = indexer
        self._tally = tally
        self._stopping = stopping
        self._drained = drained
        self._inbox: deque[Delivery] = deque()
        self._in_hand: dict[int, Delivery] = {}
        self._work: Future[list[Result]] | None = None
        self._probe: Future[None] | None = None
        self._probe_at = 0.0
        self._paused = False
        self._tag = ""
        self.connected = False
        self._empty_since: float | None = None

    def run(self) -> None:
        """Serve until stopped or, where ``drained`` is given, until it and both queues say that nothing is left.

        Raises what pika raises, BrokerUnavailableError, and ConfigurationError; in the second case also
        DependencyDownError instead of waiting for a service.
        """
        self._connection = broker.connect(self._url, "tenderscrapy indexer")
        try:
            self._channel: BlockingChannel = self._connection.channel()
            broker.declare(self._channel)
            self._channel.basic_qos(prefetch_count=BATCH)
            self._channel.add_on_cancel_callback(self._on_cancelled)
            self._outgoing = self._connection.channel()
            self._outgoing.confirm_delivery()
            self._consume()
            self.connected = True
            while not self._stopping.is_set():
                if self._turn():
                    return
            self._finish()
        finally:
            if self._connection.is_open:
                self._connection.close()

    def _turn(self) -> bool:
        """Serve the connection for a moment and move work along; True when there is nothing left to do."""
        self._serve()
        if self._paused:
            self._look_after_services()
        elif self._work is not None:
            if self._work.done():
                self._settle(self._work)
        elif self._inbox:
            self._begin()
        elif self._drained is not None:
            return self._is_drained()
        return False

    def _serve(self) -> None:
        self._connection.process_data_events(time_limit=_TICK)
        # a channel that the broker closed raises nothing here, the loop would go on for ever without messages
        if not self._channel.is_open or not self._outgoing.is_open:
            raise BrokerUnavailableError("the broker closed the channel")

    def _on_cancelled(self, _frame: Any) -> None:
        """The broker ended the subscription (its queue was deleted, or has lost its leader) and kept the channel."""
        self._channel.close()

    def _consume(self) -> None:
        self._tag = self._channel.basic_consume(broker.QUEUE, self._on_message)

    def _on_message(self, _channel: Any, method: Any, properties: pika.BasicProperties, body: bytes) -> None:
        self._inbox.append(Delivery(method.delivery_tag, properties, body))

    def _begin(self) -> None:
        jobs = []
        while self._inbox:
            delivery = self._inbox.popleft()
            try:
                event = decode(delivery.body)
                if delivery.tries > DELIVERIES:
                    raise MessageError(f"all {DELIVERIES} tries are used up")
            except MessageError as error:
                self._bury(delivery, str(error))
                continue
            self._in_hand[delivery.tag] = delivery
            jobs.append(Job(event["tender_id"], event["content_hash"], delivery.tag))
        if jobs:
            self._work = in_thread(lambda: self._indexer.process(jobs))

    def _settle(self, work: Future[list[Result]]) -> None:
        self._work = None
        try:
            results = work.result()
        except (DependencyDownError, *PASSING) as error:
            self._hand_back()
            if self._stopping.is_set():
                return
            if self._drained is not None:
                raise DependencyDownError(str(error)) from error
            logger.warning("consuming stops until a service is back: %s", error)
            self._paused, self._probe_at = True, time.monotonic() + RETRY_AFTER
            return
        self._tally.add(results)
        for result in results:
            self._settle_one(self._in_hand.pop(result.job.delivery), result)

    def _settle_one(self, delivery: Delivery, result: Result) -> None:
        if result.fate is Fate.FAILED or (result.fate is Fate.RETRY and delivery.tries >= DELIVERIES):
            self._bury(delivery, result.reason)
        elif result.fate is Fate.RETRY:
            self._send_on(delivery, broker.RETRY_QUEUE, {TRIES_HEADER: delivery.tries, "reason": result.reason})
        else:
            failpoint("ack.before")
            self._channel.basic_ack(delivery.tag)
            failpoint("ack.after")

    def _bury(self, delivery: Delivery, reason: str) -> None:
        logger.warning("a message becomes a dead letter: %s", reason)
        self._send_on(delivery, broker.DEAD_QUEUE, {TRIES_HEADER: delivery.tries, "reason": reason[:500]})
        self._tally.counts["dead"] += 1

    def _send_on(self, delivery: Delivery, queue: str, headers: dict[str, Any]) -> None:
        """Publish to another queue and ack only after the confirm: a message may be doubled, never lost."""
        properties = delivery.properties
        properties.headers = (properties.headers or {}) | headers
        properties.delivery_mode = 2
        properties.expiration = None
        self._outgoing.basic_publish("", queue, delivery.body, properties, mandatory=True)
        self._channel.basic_ack(delivery.tag)

    def _hand_back(self) -> None:
        """Let others have what is in hand; the broker counts that as a delivery only against crashes."""
        self._channel.basic_cancel(self._tag)
        for delivery in (*self._in_hand.values(), *self._inbox):
            self._channel.basic_nack(delivery.tag, requeue=True)
        self._in_hand.clear()
        self._inbox.clear()

    def _look_after_services(self) -> None:
        if self._probe is not None and self._probe.done():
            error, self._probe = self._probe.exception(), None
            if error is None:
                logger.info("all services are back")
                self._paused = False
                self._consume()
                return
            logger.warning("still down: %s", error)
            self._probe_at = time.monotonic() + RETRY_AFTER
        if self._probe is None and time.monotonic() >= self._probe_at:
            self._probe = in_thread(self._indexer.probe)

    def _is_drained(self) -> bool:
        counts = [
            self._outgoing.queue_declare(queue, passive=True).method.message_count
            for queue in (broker.QUEUE, broker.RETRY_QUEUE)
        ]
        if any(counts) or (self._drained is not None and not self._drained()):
            self._empty_since = None
            return False
        self._empty_since = self._empty_since or time.monotonic()
        # a message on its way to us is in no count
        return time.monotonic() - self._empty_since > 4 * _TICK and not self._inbox

    def _finish(self) -> None:
        """Take nothing new, finish the work in hand, give the rest back."""
        if not self._paused:
            self._channel.basic_cancel(self._tag)
        end = time.monotonic() + _LAST_WORK
        while self._work is not None and not self._work.done() and time.monotonic() < end:
            self._serve()
        if self._work is not None and self._work.done():
            self._settle(self._work)


def in_thread(function: Callable[[], Any]) -> Future[Any]:
    """The outcome of ``function``, which runs in a thread that does not keep the process alive."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(function())
        except BaseException as error:  # noqa: BLE001 - whoever asks for the result gets it
            future.set_exception(error)

    Thread(target=run, name="work", daemon=True).start()
    return future
