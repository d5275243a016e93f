"""``scrapy requeue``: try to store the notices that were set aside once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from tenderscrapy import command

if TYPE_CHECKING:
    import argparse


class Command(command.Command):
    """Exit status 0 when the quarantine is empty afterwards, 2 for a setting that cannot be used, else 1."""

    default_settings: ClassVar[dict] = {"LOG_LEVEL": "INFO"}

    def short_desc(self) -> str:
        return "Try the notices in quarantine again"

    def work(self, opts: argparse.Namespace) -> int:
        from tenderscrapy.database.committing import requeue
        from tenderscrapy.database.migrate import ready_url
        from tenderscrapy.database.pool import connect

        connection = connect(ready_url())
        try:
            stored, left = requeue(connection)
        finally:
            connection.close()
        print(f"{stored} notice(s) stored, {left} still in quarantine")
        return 1 if left else 0
