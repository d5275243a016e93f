"""What may stand in a portal file about a cosinex marketplace."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from tenderscrapy.formats.cosinex_rows import LABELS
from tenderscrapy.http.url_guard import NO_PRIVATE_HOSTS, PrivateHosts, check_url
from tenderscrapy.sources.denylist import is_denied
from tenderscrapy.sources.portal_schema import Detail, Portal

_SHOW = "method=showTable"
_RESULT = f"{_SHOW}&fromSearch=1"


class CosinexPortal(Portal):
    """An installation of the cosinex Vergabemarktplatz; ``base_url`` ends with its prefix (``/VMPCenter``).

    ``html_table`` reads the list of each CPV division (``cpv``: those of the overview, or the ones named), ``welcome``
    the one list of a satellite. ``publication_types``: those of an entry that are kept. ``stop_after_known``: entries
    in a row, newest first, that are stored already and end a list early; 0 reads it all. ``project_hosts``: further
    hosts on which its projects lie. ``max_pages`` of one list.
    """

    platform: Literal["cosinex"]
    mode: Literal["html_table", "welcome"] = "html_table"
    cpv: Literal["all"] | Annotated[
        tuple[Annotated[str, Field(pattern=r"^\d{8}-\d$")], ...], Field(min_length=1)
    ] = "all"  # fmt: skip
    publication_types: Annotated[
        tuple[Literal["Ausschreibung", "TNW", "Beabsichtigte Ausschreibung", "Vergebener Auftrag"], ...],
        Field(min_length=1),
    ] = ("Ausschreibung", "TNW", "Beabsichtigte Ausschreibung")
    stop_after_known: Annotated[int, Field(ge=0, le=1000)] = 40
    project_hosts: tuple[str, ...] = ()
    headers: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    detail: Detail = Detail()

    @field_validator("headers")
    @classmethod
    def _header_fields(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for key in value:
            if key not in LABELS:
                raise ValueError(f"{key!r} is not known; {', '.join(LABELS)} are")
        return value

    @field_validator("project_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if is_denied(f"https://{host}/"):
                raise ValueError(f"{host}: its operator prohibits automated access; no setting opens it, remove it")
            if not host or set(host) & set("/:@?# "):
                raise ValueError(f"{host!r} is no host; write it as www.vmp.example, without https and path")
        return tuple(host.lower() for host in value)

    @property
    def overview(self) -> str:
        """The page that names the CPV divisions with entries."""
        return self.url("company/announcements/categoryOverview.do?method=showCategoryOverview")

    @property
    def start_page(self) -> str:
        """The page on which a session begins."""
        if self.entry_url:
            return self.url(self.entry_url)
        return self.overview if self.mode == "html_table" else self.url("company/welcome.do")

    def first_page(self, cpv: str | None) -> str:
        """The list of a division, or the whole list; the session remembers it for the pages after it."""
        if cpv is None:
            return self.url("company/welcome.do")
        return self.url(f"company/announcements/categoryOverview.do?{_SHOW}&cpvCode={cpv}")

    def newest_first(self, cpv: str | None) -> str:
        """The first page of the session's list, sorted."""
        return self._result(cpv, "tableSortPROJECT_RESULT=2&tableSortAttributePROJECT_RESULT=publicationDate")

    def later_page(self, cpv: str | None, number: int) -> str:
        """Page ``number`` of the session's list, from 1 on."""
        return self._result(cpv, f"selectedTablePagePROJECT_RESULT={number}")

    def _result(self, cpv: str | None, parameters: str) -> str:
        servlet = "company/welcome.do" if cpv is None else "company/announcements/categoryOverview.do"
        return self.url(f"{servlet}?{_RESULT}&{parameters}")

    def check_addresses(self, allowed: PrivateHosts = NO_PRIVATE_HOSTS) -> None:
        super().check_addresses(allowed)
        for host in self.project_hosts:
            check_url(f"https://{host}/", allowed)
