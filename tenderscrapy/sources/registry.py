"""What may be polled: every source of this installation, and the row that ``source`` holds for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenderscrapy.database.queries import queries

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812


@dataclass(frozen=True, slots=True)
class Source:
    """A source of notices. ``spider`` walks it; ``code`` is what its notices carry."""

    code: str
    platform: str
    name: str
    spider: str
    enabled: bool = True


SOURCES = (
    Source("ted", "ted", "Tenders Electronic Daily (EU)", "ted"),
    Source("contracts_finder", "contracts_finder", "Contracts Finder (UK)", "contracts_finder"),
    Source("doe", "doe", "Bekanntmachungsservice (Germany)", "doe"),
    Source("nrw_opendata", "nrw_opendata", "Vergabemarktplatz NRW, open data (Germany)", "nrw_opendata"),
    Source("sample:ted", "sample", "Sample: TED", "sample"),
    Source("sample:contracts_finder", "sample", "Sample: Contracts Finder", "sample"),
    Source("sample:doe", "sample", "Sample: Bekanntmachungsservice", "sample"),
)


def fill(connection: Connection) -> None:
    """Put every known source into ``source``; what an operator changed there stays."""
    with connection.cursor():
        for source in SOURCES:
            queries("sources").add_source(
                connection, code=source.code, platform=source.platform, name=source.name, enabled=source.enabled
            )
    connection.commit()
