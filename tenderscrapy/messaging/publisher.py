"""Publishing with windowed confirms: a message counts only once the broker has taken responsibility for it."""

from __future__ import annotations

import logging
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pika
from pika.exceptions import AMQPError
from pika.spec import Basic

from tenderscrapy.exceptions import BrokerUnavailableError
from tenderscrapy.failpoints import failpoint
from tenderscrapy.messaging import broker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pika.channel import Channel

logger = logging.getLogger(__name__)

_BACKOFF = (0.2, 1.0, 2.0, 5.0)


@dataclass(slots=True)
class Message:
    """A persistent message; ``id`` is unique among the messages on their way."""

    id: str
    routing_key: str
    body: bytes
    confirmed: Future[None] = field(default_factory=Future)


class ConfirmedPublisher:
    """A thread with one connection, opened again whenever it is lost. Messages may be given from any thread.

    The future of a message ends with None once the broker confirmed it, else with BrokerUnavailableError: refused,
    routed nowhere, or the connection was lost before the answer. In the last case the message may have arrived.
    """

    def __init__(self, url: str, name: str) -> None:
        self._parameters = broker.parameters(url, name)
        self._url, self._name = url, name
        self._ready = threading.Event()
        self._stopping = threading.Event()
        self._inbox_lock = threading.Lock()
        self._inbox: deque[Message] = deque()
        self._unconfirmed: dict[int, Message] = {}
        self._returned: set[str] = set()
        self._unrouted = False
        self._next_tag = 1
        self._connection: pika.SelectConnection | None = None
        self._channel: Channel | None = None
        self._problem = "not connected yet"
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Begin to connect; does not wait."""
        self._thread.start()

    def wait_ready(self, seconds: float) -> bool:
        """Whether messages can be given now or within ``seconds``."""
        return self._ready.wait(seconds)

    @property
    def problem(self) -> str:
        """Why the publisher is not ready."""
        return self._problem

    def publish(self, messages: Sequence[Message]) -> None:
        """Send the messages; ``confirmed`` tells each one's outcome. Raises BrokerUnavailableError when not ready."""
        with self._inbox_lock:
            if not self._ready.is_set() or self._connection is None:
                raise BrokerUnavailableError(self._problem)
            self._inbox.extend(messages)
            self._connection.ioloop.add_callback_threadsafe(self._send)

    def close(self, seconds: float = 5.0) -> None:
        """End the thread; what is not confirmed by then fails."""
        self._stopping.set()
        with self._inbox_lock:
            if self._connection is not None:
                self._connection.ioloop.add_callback_threadsafe(self._close_connection)
        if self._thread.ident is not None:
            self._thread.join(seconds)

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                self._declare()
                self._connect_and_serve()
                failures = 0
            except (BrokerUnavailableError, AMQPError, OSError) as error:
                self._lost(broker.reason(error))
                failures += 1
            if not self._stopping.is_set():
                log = logger.warning if failures <= 1 else logger.debug
                log("no connection to RabbitMQ, trying again: %s", self._problem)
                self._stopping.wait(_BACKOFF[min(failures, len(_BACKOFF) - 1)])
        self._lost("the publisher was closed")

    def _declare(self) -> None:
        connection = broker.connect(self._url, f"{self._name} set-up")
        try:
            broker.declare(connection.channel())
        finally:
            if connection.is_open:
                connection.close()

    def _connect_and_serve(self) -> None:
        connection = pika.SelectConnection(
            self._parameters,
            on_open_callback=lambda opened: opened.channel(on_open_callback=self._on_channel),
            on_open_error_callback=self._on_closed,
            on_close_callback=self._on_closed,
        )
        self._connection = connection
        try:
            if not self._stopping.is_set():
                connection.ioloop.start()
        finally:
            with self._inbox_lock:
                self._connection = None
            connection.ioloop.close()

    def _on_channel(self, channel: Channel) -> None:
        self._channel = channel
        self._next_tag = 1
        self._returned.clear()
        self._unrouted = False
        channel.add_on_close_callback(self._on_channel_closed)
        channel.add_on_return_callback(self._on_return)
        channel.confirm_delivery(self._on_confirm, callback=lambda _: self._ready.set())

    def _on_channel_closed(self, _channel: Channel, reason: Exception) -> None:
        self._lost(broker.reason(reason))
        self._close_connection()

    def _on_closed(self, connection: pika.SelectConnection, reason: Any) -> None:
        self._lost(broker.reason(reason))
        connection.ioloop.stop()

    def _close_connection(self) -> None:
        connection = self._connection
        if connection is None:
            return
        if connection.is_closed:
            connection.ioloop.stop()
        elif not connection.is_closing:
            connection.close()

    def _on_return(self, _channel: Channel, _method: Any, properties: pika.BasicProperties, _body: bytes) -> None:
        # the confirm of an unroutable message follows and says ack
        self._returned.add(properties.message_id)

    def _send(self) -> None:
        with self._inbox_lock:
            messages = list(self._inbox)
            self._inbox.clear()
        for message in messages:
            properties = pika.BasicProperties(
                content_type="application/json", delivery_mode=2, message_id=message.id, type=message.routing_key
            )
            try:
                if self._channel is None:
                    raise BrokerUnavailableError(self._problem)
                failpoint("publish.before")
                self._channel.basic_publish(
                    broker.EXCHANGE, message.routing_key, message.body, properties, mandatory=True
                )
                failpoint("publish.after")
            except (AMQPError, BrokerUnavailableError) as error:
                _fail(message, broker.reason(error))
                continue
            self._unconfirmed[self._next_tag] = message
            self._next_tag += 1

    def _on_confirm(self, frame: Any) -> None:
        failpoint("confirm.before")
        method = frame.method
        tags = [method.delivery_tag]
        if method.multiple:
            tags = [tag for tag in self._unconfirmed if tag <= method.delivery_tag]
        for tag in tags:
            message = self._unconfirmed.pop(tag, None)
            if message is None:
                continue
            if isinstance(method, Basic.Nack):
                _fail(message, "the broker refused the message")
            elif message.id in self._returned:
                self._returned.discard(message.id)
                self._unrouted = True
                _fail(message, "no queue takes the message")
            else:
                message.confirmed.set_result(None)
        failpoint("confirm.after")
        if self._unrouted and not self._unconfirmed:
            self._close_connection()  # a queue or a binding was deleted: the next connection declares them anew

    def _lost(self, problem: str) -> None:
        """Fail everything on its way: after the connection nobody else would ever settle it."""
        with self._inbox_lock:
            self._problem = problem
            self._ready.clear()
            lost = [*self._unconfirmed.values(), *self._inbox]
            self._unconfirmed.clear()
            self._inbox.clear()
            self._channel = None
        for message in lost:
            _fail(message, problem)


def _fail(message: Message, problem: str) -> None:
    if not message.confirmed.done():
        message.confirmed.set_exception(BrokerUnavailableError(problem))
