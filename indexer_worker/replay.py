"""Dead letters back into the queue."""

from __future__ import annotations

from contextlib import closing

from tenderscrapy.database.pool import connect, transaction
from tenderscrapy.database.queries import queries
from tenderscrapy.messaging import broker
from tenderscrapy.messaging.contract import TENDER_CHANGED

#: Marks of the tries before; the message starts anew.
_FORGOTTEN = ("x-tries", "x-death", "reason")


def replay(database_url: str, amqp_url: str | None) -> str:
    """Give every dead letter its tries again, those of the outbox and those of the broker; says how many.

    Raises DatabaseUnavailableError, BrokerUnavailableError.
    """
    with closing(connect(database_url)) as connection, transaction(connection):
        from_outbox = queries("outbox").revive(connection, topic=TENDER_CHANGED)
    from_broker = _replay_queue(amqp_url) if amqp_url else 0
    return f"{from_outbox + from_broker} dead letters replayed"


def _replay_queue(amqp_url: str) -> int:
    replayed = 0
    with broker.connect(amqp_url, "tenderscrapy replay") as connection:
        channel = connection.channel()
        broker.declare(channel)
        channel.confirm_delivery()
        # only those that are there now: a letter that dies again meanwhile is for the next time
        for _ in range(channel.queue_declare(broker.DEAD_QUEUE, passive=True).method.message_count):
            method, properties, body = channel.basic_get(broker.DEAD_QUEUE)
            if method is None:
                break
            headers = properties.headers or {}
            properties.headers = {name: value for name, value in headers.items() if name not in _FORGOTTEN}
            channel.basic_publish("", broker.QUEUE, body, properties, mandatory=True)
            channel.basic_ack(method.delivery_tag)
            replayed += 1
    return replayed
