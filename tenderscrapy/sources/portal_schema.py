"""What may stand in a portal file: one model a block, checked key by key."""

from __future__ import annotations

import re
from datetime import date  # noqa: TC003 - pydantic reads the annotation
from typing import Annotated, Any, Literal, Self
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from parsel import Selector
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tenderscrapy.exceptions import AddressRefusedError
from tenderscrapy.formats.netserver_list import CONTEXTS
from tenderscrapy.formats.netserver_rows import Layout
from tenderscrapy.http.url_guard import NO_PRIVATE_HOSTS, PrivateHosts, check_url
from tenderscrapy.sources.denylist import is_denied

#: Fields of a list row that a portal may place by a selector of its own.
ROW_FIELDS = ("id", "title", "authority", "procedure", "frame", "published", "deadline", "category")
#: Selectors of the page itself.
PAGE_FIELDS = ("row", "empty_sign")

_NOTHING = Selector(text="<html></html>")
_CPV = re.compile(r"\d{8}-\d")


class _Block(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class Place(_Block):
    """Where a field stands: a CSS selector, and which of its matches (0 is the first)."""

    css: str
    index: Annotated[int, Field(ge=0)] = 0

    @field_validator("css")
    @classmethod
    def _compiles(cls, css: str) -> str:
        return _compiled(css)


class Paging(_Block):
    """``next_link`` follows the page's own link; ``start_param`` counts rows (0, 50, 100) into ``{start}``."""

    mode: Literal["next_link", "start_param"] = "next_link"
    next: str = 'ul.pagination li a[title="Next Page"]::attr(href)'

    @field_validator("next")
    @classmethod
    def _compiles(cls, css: str) -> str:
        return _compiled(css)


class Detail(_Block):
    """Which pages of a notice are read, and after how many hours a notice whose row stayed the same is read again."""

    fetch: bool = True
    documents: bool = True
    refresh_hours: Annotated[float, Field(ge=0)] = 20


class Portal(_Block):
    """What both platforms share. ``id`` is part of the source's code and is never used again for another portal."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9_]{2,40}$")]
    name: Annotated[str, Field(min_length=2, max_length=120)]
    platform: str
    base_url: str
    entry_url: str | None = None
    timezone: str = "Europe/Berlin"
    delay: Annotated[float, Field(ge=1, le=60)] = 2.0
    max_pages: Annotated[int, Field(ge=1, le=1000)] = 40
    minimum_rows: Annotated[int, Field(ge=0)] = 0
    encoding: str | None = None
    requires_browser: bool = False
    enabled: bool = False
    disabled_reason: str | None = None
    robots_checked: date | None = None
    evidence: str | None = None
    same_as: str | None = None

    @property
    def code(self) -> str:
        """The code of this portal as a source."""
        return f"{self.platform}:{self.id}"

    @property
    def host(self) -> str:
        """The host that its pages lie on."""
        return (urlsplit(self.base_url).hostname or "").lower()

    def url(self, relative: str) -> str:
        """An address below the portal's root."""
        return urljoin(self.base_url, relative)

    @field_validator("base_url")
    @classmethod
    def _root(cls, url: str) -> str:
        _refuse_denied(url)
        parts = urlsplit(url)
        if parts.query or parts.fragment:
            raise ValueError("an address without ? and # is wanted, the root of the application")
        return url.rstrip("/") + "/"

    @field_validator("entry_url")
    @classmethod
    def _entry(cls, url: str | None) -> str | None:
        if url is not None:
            _refuse_denied(url)
        return url

    @field_validator("timezone")
    @classmethod
    def _zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"{name!r} is no time zone; write it as Europe/Berlin") from None
        return name

    @field_validator("encoding")
    @classmethod
    def _codec(cls, name: str | None) -> str | None:
        if name is not None:
            try:
                "".encode(name)
            except LookupError:
                raise ValueError(f"{name!r} is no encoding; write it as iso-8859-1") from None
        return name

    @model_validator(mode="after")
    def _reasoned(self) -> Self:
        if not self.enabled and not self.disabled_reason:
            raise ValueError("disabled_reason: a portal that is not enabled says why; set it, or enabled: true")
        if self.enabled and self.disabled_reason:
            raise ValueError("disabled_reason: an enabled portal has none; remove it, or set enabled: false")
        return self

    def check_addresses(self, allowed: PrivateHosts = NO_PRIVATE_HOSTS) -> None:
        """Raises AddressRefusedError for an address of this portal that no request may go to."""
        for url in (self.base_url, *([self.url(self.entry_url)] if self.entry_url else [])):
            check_url(url, allowed)
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
            if parts.scheme != "https" and (host, port) not in allowed:
                raise AddressRefusedError(f"{host}: a portal is asked by https only")


def _compiled(css: str) -> str:
    try:
        _NOTHING.css(css)
    except Exception as error:  # noqa: BLE001 - cssselect and lxml have several kinds
        raise ValueError(f"{css!r} is not a CSS selector ({error})") from None
    return css


def _refuse_denied(url: str) -> None:
    if is_denied(url):
        raise ValueError("the operator of this portal prohibits automated access; no setting opens it, remove it")


class NetserverPortal(Portal):
    """An installation of AI Vergabemanager ("NetServer"). ``list_url`` is relative to ``base_url``."""

    platform: Literal["netserver"]
    list_url: str = (
        "PublicationSearchControllerServlet?function=SearchPublications&Gesetzesgrundlage={law}&Category={category}"
        "&thContext={context}&Order=desc&OrderBy=Publishing&Max={page_size}&Start={start}"
    )
    law: Annotated[str, Field(pattern=r"^\w{2,20}$")] = "All"
    categories: Annotated[
        tuple[Literal["InvitationToTender", "PriorInformation", "ContractAward"], ...], Field(min_length=1)
    ] = ("InvitationToTender",)
    variant: Literal["auto", "table", "blocks", "cards", "definitions"] = "auto"
    page_size: Annotated[int, Field(ge=10, le=100)] = 50
    paging: Paging = Paging()
    selectors: dict[str, Place | None] = {}
    headers: dict[str, tuple[str, ...]] = {}
    detail: Detail = Detail()

    @field_validator("list_url")
    @classmethod
    def _placeholders(cls, url: str) -> str:
        _refuse_denied(url)
        known = {"law", "category", "context", "page_size", "start"}
        unknown = sorted(set(re.findall(r"\{(\w*)\}", url)) - known)
        if unknown:
            raise ValueError(f"{{{unknown[0]}}} is not known; {', '.join(sorted(known))} are")
        return url

    @field_validator("selectors", mode="before")
    @classmethod
    def _places(cls, value: Any) -> Any:
        if isinstance(value, dict):
            _known_keys(value, (*PAGE_FIELDS, *ROW_FIELDS))
            return {key: {"css": place} if isinstance(place, str) else place for key, place in value.items()}
        return value

    @field_validator("headers")
    @classmethod
    def _header_fields(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        _known_keys(value, ROW_FIELDS)
        return value

    @model_validator(mode="after")
    def _counts(self) -> Self:
        if self.paging.mode == "start_param" and "{start}" not in self.list_url:
            raise ValueError("paging: start_param needs {start} in list_url")
        return self

    def list_page(self, category: str, start: int = 0) -> str:
        """The address of the list of ``category`` from row ``start`` on."""
        written = self.list_url.format(
            law=self.law, category=category, context=CONTEXTS[category], page_size=self.page_size, start=start
        )
        return self.url(written)

    def layout(self) -> Layout:
        """How the list is read."""
        places = {key: (place.css, place.index) if place else None for key, place in self.selectors.items()}
        row, empty_sign = places.pop("row", None), places.pop("empty_sign", None)
        return Layout(
            self.variant,
            row=row[0] if row else None,
            empty_sign=empty_sign[0] if empty_sign else None,
            places=places,
            labels=self.headers,
        )

    def check_addresses(self, allowed: PrivateHosts = NO_PRIVATE_HOSTS) -> None:
        super().check_addresses(allowed)
        check_url(self.url(self.list_url.partition("{")[0]), allowed)


def _known_keys(value: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in value:
        if key not in known:
            raise ValueError(f"{key!r} is not known; {', '.join(known)} are")
