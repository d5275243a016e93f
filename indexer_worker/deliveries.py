"""The queue with a broker: messages of ``tenders.index``, over as many connections as it takes."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from pika.exceptions import AMQPError

from indexer_worker.consumer import RETRY_AFTER, Tally
from indexer_worker.session import Session, SharedIndexer
from tenderscrapy.exceptions import BrokerUnavailableError
from tenderscrapy.messaging import broker

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from indexer_worker.worker import Indexer

logger = logging.getLogger(__name__)

_RECONNECT = (0.5, 1.0, 2.0, 5.0)


class BrokerConsumer:
    """Acks what is done, sends to the retry queue what may pass, to the dead letters what will not.

    ``is_drained`` is asked before a run with ``once`` ends: whether no more messages are to come.
    """

    def __init__(self, url: str, indexer: Indexer, is_drained: Callable[[], bool] = lambda: True) -> None:
        self.tally = Tally()
        self._url = url
        self._indexer = SharedIndexer(indexer)
        self._is_drained = is_drained

    def run(self, stopping: Event, *, once: bool) -> None:
        """Work until ``stopping`` is set, or with ``once`` until no message is left.

        A lost connection is opened again and a service that is down is waited for. With ``once`` a service that is
        down raises DependencyDownError, and a broker that is not there at the start BrokerUnavailableError.
        """
        failures, served = 0, False
        while not stopping.is_set():
            begun = time.monotonic()
            session = Session(self._url, self._indexer, self.tally, stopping, self._is_drained if once else None)
            try:
                session.run()
                return
            except (AMQPError, BrokerUnavailableError, OSError) as error:
                served = served or session.connected
                if once and not served:
                    raise
                failures = 0 if time.monotonic() - begun > RETRY_AFTER else failures + 1
                logger.warning("connecting to RabbitMQ again: %s", broker.reason(error))
                stopping.wait(_RECONNECT[min(failures, len(_RECONNECT) - 1)])

    def close(self) -> None:
        """Nothing is kept between runs."""
