"""``scrapy initdb``: make the current database ready: started, migrated, with every known source."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, ClassVar

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """May be run again at any time; exit status 1 when the database cannot be made ready."""

    requires_project = True
    requires_crawler_process = False
    default_settings: ClassVar[dict] = {"LOG_LEVEL": "INFO"}

    def short_desc(self) -> str:
        return "Start the database, bring its schema up to date and register the known sources"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from tenderscrapy.database.embedded import current_server, database_url
        from tenderscrapy.database.migrate import migrate
        from tenderscrapy.database.placement import data_folder
        from tenderscrapy.database.pool import connect
        from tenderscrapy.exceptions import ConfigurationError, DatabaseUnavailableError
        from tenderscrapy.sources.registry import fill

        try:
            url = database_url()
            applied = migrate(url)
            with closing(connect(url)) as connection:
                fill(connection)
                connection.commit()
        except (ConfigurationError, DatabaseUnavailableError) as error:
            print(f"scrapy initdb: {error}", file=sys.stderr)
            self.exitcode = 1
            return
        embedded = current_server()
        place = f"data in {data_folder(embedded.state)}" if embedded else "the server of DATABASE_URL"
        print(f"database ready: {len(applied)} migration(s) applied; {place}")
