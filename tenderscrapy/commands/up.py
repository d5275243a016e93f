"""``scrapy up``: everything on one machine - the page, the crawls and the index - until Ctrl-C."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, ClassVar

from tenderscrapy import command
from tenderscrapy.exceptions import ConfigurationError

if TYPE_CHECKING:
    import argparse


class Command(command.Command):
    """Exit status 0 when it was ended by Ctrl-C, 1 when the page could not be started; ``-s`` goes to the crawls."""

    default_settings: ClassVar[dict] = {"LOG_ENABLED": False}

    def short_desc(self) -> str:
        return "Start the page, crawl, and index; Ctrl-C ends everything"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--port", type=int, default=5000, help="first port to try for the page (default 5000)")
        parser.add_argument("--days", type=int, default=2, help="how many days back the first crawl reads")
        parser.add_argument("--pages", type=int, default=4, help="how many pages of a source one start reads")
        parser.add_argument("--once", action="store_true", help="end when crawls and index are done")

    def work(self, opts: argparse.Namespace) -> int:
        from tenderscrapy.laptop import Laptop

        if not 1 <= opts.port <= 65535:
            raise ConfigurationError(f"--port {opts.port} is no port; 1 to 65535 are")
        for name in ("days", "pages"):
            if getattr(opts, name) < 1:
                raise ConfigurationError(f"--{name} {getattr(opts, name)} is not 1 or more")
        laptop = Laptop(port=opts.port, days=opts.days, pages=opts.pages, settings=tuple(opts.set))
        status = laptop.run(once=opts.once)
        sys.stdout.flush()
        return status
