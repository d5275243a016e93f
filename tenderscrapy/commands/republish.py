"""``scrapy republish``: an event for every tender that is not in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tenderscrapy import command

if TYPE_CHECKING:
    import argparse


class Command(command.Command):
    """Exit status 0 when every event was published, or waits in the outbox for an indexer without a broker; else 1."""

    default_settings: ClassVar[dict] = {"LOG_LEVEL": "INFO"}

    def short_desc(self) -> str:
        return "Publish an event for every tender that is not in the index"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--seconds", type=float, default=60, help="how long to wait for the broker (default 60)")

    def work(self, opts: argparse.Namespace) -> int:
        from contextlib import closing

        from tenderscrapy.config import config
        from tenderscrapy.database.migrate import ready_url
        from tenderscrapy.database.pool import connect, transaction
        from tenderscrapy.messaging.events import put_missing_events
        from tenderscrapy.messaging.outbox import OutboxRelay

        url, amqp_url = ready_url(), config().amqp_url
        with closing(connect(url)) as connection, transaction(connection):
            written = put_missing_events(connection)
        if not amqp_url:
            print(f"{written} event(s) written; the indexer reads them from the database")
            return 0
        relay = OutboxRelay(url, amqp_url)
        relay.start()
        try:
            left = relay.drain(opts.seconds)
        finally:
            relay.close()
        print(f"{written} event(s) written, {relay.published} published, {left} left in the outbox")
        if left:
            print(f"RabbitMQ: {relay.problem}")
        return 1 if left else 0
