"""``scrapy initdb``: make the current database ready: started, migrated, with every known source."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, ClassVar

from tenderscrapy import command

if TYPE_CHECKING:
    import argparse


class Command(command.Command):
    """May be run again at any time; exit status 1 when the database cannot be made ready."""

    requires_crawler_process = False
    default_settings: ClassVar[dict] = {"LOG_LEVEL": "INFO"}

    def short_desc(self) -> str:
        return "Start the database, bring its schema up to date and register the known sources"

    def work(self, opts: argparse.Namespace) -> None:
        from tenderscrapy.database.embedded import current_server, database_url
        from tenderscrapy.database.migrate import migrate
        from tenderscrapy.database.placement import data_folder
        from tenderscrapy.database.pool import connect
        from tenderscrapy.sources.registry import fill

        url = database_url()
        applied = migrate(url)
        with closing(connect(url)) as connection:
            fill(connection)
            connection.commit()
        embedded = current_server()
        place = f"data in {data_folder(embedded.state)}" if embedded else "the server of DATABASE_URL"
        print(f"database ready: {len(applied)} migration(s) applied; {place}")
