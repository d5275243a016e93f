"""``scrapy requeue``: try to store the notices that were set aside once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """Exit status 0 when the quarantine is empty afterwards, else 1."""

    requires_project = True
    default_settings: ClassVar[dict] = {"LOG_LEVEL": "INFO"}

    def short_desc(self) -> str:
        return "Try the notices in quarantine again"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from tenderscrapy.database.committing import requeue
        from tenderscrapy.database.migrate import ready_url
        from tenderscrapy.database.pool import connect

        connection = connect(ready_url())
        try:
            stored, left = requeue(connection)
        finally:
            connection.close()
        print(f"{stored} notice(s) stored, {left} still in quarantine")
        self.exitcode = 1 if left else 0
