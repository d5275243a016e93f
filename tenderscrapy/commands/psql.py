"""``scrapy psql``: psql on the current database, embedded or not."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from tenderscrapy import command

if TYPE_CHECKING:
    import argparse


class Command(command.Command):
    """Exit status is psql's own; 1 when the database cannot be made ready."""

    requires_crawler_process = False
    default_settings: ClassVar[dict] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[-c SQL ... | --url]"

    def short_desc(self) -> str:
        return "Open psql on the current database"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-c", dest="statements", action="append", metavar="SQL", help="run SQL and leave")
        parser.add_argument("--url", action="store_true", help="print the database's address, with its password")

    def work(self, opts: argparse.Namespace) -> None:
        from tenderscrapy.database.migrate import ready_url

        url = ready_url()
        if opts.url:
            print(url)
        else:
            _become_psql(url, [part for sql in opts.statements or () for part in ("-c", sql)])


def _become_psql(url: str, arguments: list[str]) -> None:
    """Replace this process; the lock that keeps an embedded server running is handed on."""
    from psycopg2.extensions import make_dsn, parse_dsn

    from tenderscrapy.database.embedded import current_server
    from tenderscrapy.database.placement import wheel_programs

    embedded = current_server()
    if embedded:
        embedded.keep_through_exec()
    # the wheel's psql knows no TLS, which a server elsewhere may ask for
    system = None if embedded else shutil.which("psql")
    psql = Path(system) if system else wheel_programs() / "psql"
    parameters = parse_dsn(url)
    environment = dict(os.environ)
    if password := parameters.pop("password", None):
        environment["PGPASSWORD"] = password  # every user of the machine can read arguments
    sys.stdout.flush()
    os.execve(psql, ["psql", "-d", make_dsn(**parameters), *arguments], environment)  # noqa: S606 - no shell is wanted
