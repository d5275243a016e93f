"""RabbitMQ as the product uses it: its exchange and queues, and how to reach them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

import pika
from pika.exceptions import AMQPError

from tenderscrapy.exceptions import BrokerUnavailableError, ConfigurationError

# what the client logs of a lost connection, with tracebacks, it raises as well
logging.getLogger("pika").setLevel(logging.CRITICAL)

if TYPE_CHECKING:
    from pika.adapters.blocking_connection import BlockingChannel

EXCHANGE: Final = "tenders"
QUEUE: Final = "tenders.index"
RETRY_QUEUE: Final = "tenders.index.retry"
DEAD_QUEUE: Final = "tenders.dead"
#: Every version goes to the queue: a consumer that does not know it makes it a dead letter, not a lost message.
BINDING: Final = "tender.changed.*"

RETRY_MILLISECONDS: Final = 10_000
#: Guards against messages that kill their worker; ordinary tries are counted by the retry queue.
CRASHES: Final = 20
HEARTBEAT: Final = 60
_PATIENCE: Final = 10

_QUORUM = {"x-queue-type": "quorum", "x-overflow": "reject-publish", "x-dead-letter-strategy": "at-least-once"}
#: Queue -> arguments. A broker refuses to declare a queue again with other ones.
QUEUES: Final[dict[str, dict[str, Any]]] = {
    DEAD_QUEUE: {"x-queue-type": "quorum"},
    QUEUE: _QUORUM
    | {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": DEAD_QUEUE, "x-delivery-limit": CRASHES},
    RETRY_QUEUE: _QUORUM
    | {"x-dead-letter-exchange": "", "x-dead-letter-routing-key": QUEUE, "x-message-ttl": RETRY_MILLISECONDS},
}


def parameters(url: str, name: str) -> pika.URLParameters:
    """How to connect to ``url``; ``name`` is shown in the broker's list of connections.

    Raises ConfigurationError for a URL that cannot be read; it does not repeat the URL, which holds the password.
    """
    try:
        made = pika.URLParameters(url)
        if not url.startswith(("amqp://", "amqps://")):
            raise ValueError
    except (ValueError, TypeError, KeyError):
        raise ConfigurationError("AMQP_URL cannot be read: it must be amqp://user:password@host:port/vhost") from None
    if "heartbeat=" not in url:
        made.heartbeat = HEARTBEAT
    made.blocked_connection_timeout = _PATIENCE * 3
    made.socket_timeout = made.stack_timeout = _PATIENCE
    made.client_properties = {"connection_name": name}
    return made


def connect(url: str, name: str) -> pika.BlockingConnection:
    """A connection for one thread. Raises BrokerUnavailableError, ConfigurationError."""
    settings = parameters(url, name)
    try:
        return pika.BlockingConnection(settings)
    except (AMQPError, OSError) as error:
        raise BrokerUnavailableError(
            f"RabbitMQ at {settings.host}:{settings.port} cannot be reached: {reason(error)}. Is AMQP_URL right?"
        ) from error


def declare(channel: BlockingChannel) -> None:
    """Make the exchange and the queues where they are missing; harmless where they exist."""
    channel.exchange_declare(EXCHANGE, exchange_type="topic", durable=True)
    for queue, arguments in QUEUES.items():
        channel.queue_declare(queue, durable=True, arguments=arguments)
    channel.queue_bind(QUEUE, EXCHANGE, BINDING)


def reason(error: BaseException) -> str:
    """An error of pika in words; some of them have none of their own."""
    return " ".join(str(error).split())[:300] or type(error).__name__
