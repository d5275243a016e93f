"""What may be polled: every source of this installation, and the row that ``source`` holds for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tenderscrapy.database.queries import queries
from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.sources.denylist import is_denied
from tenderscrapy.sources.portals import portals

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection  # noqa: N812


@dataclass(frozen=True, slots=True)
class Source:
    """A source of notices. ``spider`` walks it; ``code`` is what its notices carry.

    ``url`` is the root of its pages where a portal file names it; ``reason`` says why it is not enabled. Raises
    ConfigurationError for a portal whose operator prohibits automated access.
    """

    code: str
    platform: str
    name: str
    spider: str
    enabled: bool = True
    url: str = ""
    reason: str = ""

    def __post_init__(self) -> None:
        for address in (self.url, self.name, self.code.rpartition(":")[2]):
            if is_denied(address):
                raise ConfigurationError(
                    f"{self.code}: its operator prohibits automated access, it is never registered; remove it"
                )


SOURCES = (
    Source("ted", "ted", "Tenders Electronic Daily (EU)", "ted"),
    Source("contracts_finder", "contracts_finder", "Contracts Finder (UK)", "contracts_finder"),
    Source("doe", "doe", "Bekanntmachungsservice (Germany)", "doe"),
    Source("nrw_opendata", "nrw_opendata", "Vergabemarktplatz NRW, open data (Germany)", "nrw_opendata"),
    Source("sample:ted", "sample", "Sample: TED", "sample"),
    Source("sample:contracts_finder", "sample", "Sample: Contracts Finder", "sample"),
    Source("sample:doe", "sample", "Sample: Bekanntmachungsservice", "sample"),
)


def fill(connection: Connection, portals_file: str | None = None, allowed: str | None = None) -> None:
    """Put every known source into ``source``; what an operator changed there stays.

    The files as for ``portals``. Raises ConfigurationError for a portal file that cannot be used, once the sources
    that need none are in.
    """
    _add(connection, SOURCES)
    _add(connection, portal_sources(portals_file, allowed))


def portal_sources(portals_file: str | None = None, allowed: str | None = None) -> tuple[Source, ...]:
    """Every portal of the portal files as a source. Raises ConfigurationError."""
    return tuple(
        Source(
            code, found.platform, found.name, found.platform, found.enabled, found.base_url, found.disabled_reason or ""
        )
        for code, found in portals(portals_file, allowed).items()
    )


def _add(connection: Connection, sources: tuple[Source, ...]) -> None:
    with connection.cursor():
        for source in sources:
            queries("sources").add_source(
                connection, code=source.code, platform=source.platform, name=source.name, enabled=source.enabled
            )
    connection.commit()


def standings(connection: Connection, sources: tuple[Source, ...]) -> dict[str, str]:
    """Each source's code and how it stands, for people.

    ``disabled: REASON``; ``unverified`` until it was read whole once, with at least one notice; then ``verified``.
    """
    clean = {code for (code,) in queries("portals").walked_clean(connection)}
    connection.commit()
    return {source.code: _standing(source, clean) for source in sources}


def _standing(source: Source, clean: set[str]) -> str:
    if not source.enabled:
        return f"disabled: {source.reason or 'switched off'}"
    return "verified" if source.code in clean else "unverified"
