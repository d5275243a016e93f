"""What the commands of ``scrapy`` have in common: an error is one line, and its kind is the exit status."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from scrapy.commands import ScrapyCommand

from tenderscrapy.exceptions import ConfigurationError, TenderscrapyError
from tenderscrapy.settings_check import check_settings

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings


class Command(ScrapyCommand):
    """A command that takes options alone.

    Exit status 2 when an argument, a setting or a variable of the environment cannot be used, 1 when the work could
    not be done, else what ``work`` says.
    """

    requires_project = True

    def work(self, opts: argparse.Namespace) -> int | None:
        """Do it; the exit status, None for 0. Raises TenderscrapyError."""
        raise NotImplementedError

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Work, or say in one line what cannot be used."""
        try:
            if args:
                raise ConfigurationError(f"{args[0]!r} is not understood; --help shows the options")
            check_settings(cast("BaseSettings", self.settings))
            self.exitcode = self.work(opts) or 0
        except TenderscrapyError as error:
            sys.stdout.flush()
            print(f"scrapy {type(self).__module__.rpartition('.')[2]}: {error}", file=sys.stderr)  # noqa: T201
            self.exitcode = 2 if isinstance(error, ConfigurationError) else 1
