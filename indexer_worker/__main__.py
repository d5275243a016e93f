"""python -m indexer_worker: index what changed, for ever or once."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
from threading import Event
from typing import TYPE_CHECKING

from indexer_worker.extraction import Extractor
from indexer_worker.leases import LeaseConsumer
from indexer_worker.worker import PASSING, DependencyDownError, Indexer
from tenderscrapy.ai.provider import provider
from tenderscrapy.config import config
from tenderscrapy.database.migrate import ready_url
from tenderscrapy.exceptions import TenderscrapyError

if TYPE_CHECKING:
    from collections.abc import Sequence

logger = logging.getLogger("indexer_worker")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0 unless something could not be done."""
    parser = argparse.ArgumentParser(prog="python -m indexer_worker", description=__doc__)
    parser.add_argument("--once", action="store_true", help="index what waits, then end")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        return work(once=options.once)
    except (TenderscrapyError, DependencyDownError, *PASSING) as error:
        print(f"indexer_worker: {error}", file=sys.stderr)  # noqa: T201
        return 1


def work(*, once: bool) -> int:
    """Index until SIGTERM or SIGINT, or until nothing waits."""
    stopping = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    url = ready_url()
    indexer = Indexer(url, provider(), Extractor())
    consumer = LeaseConsumer(url, indexer, config().ack_wait)
    try:
        indexer.prepare()
        consumer.run(stopping, once=once)
    finally:
        consumer.close()
        indexer.close()
    print(f"indexer_worker: {consumer.tally}", flush=True)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
