"""What a page was asked for, kept so that every link and form can carry it on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from flask import url_for

from tenderscrapy.search.query import Query
from webapp.formatting import known_country
from webapp.search.filters import FILTER_NAMES, FilterError, Filters
from webapp.search.search import CANDIDATES

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

    from webapp.listing import Order

PER_PAGE = 20
#: Filters as the form calls them.
LABELS = {
    "country": "Country",
    "nuts": "Region",
    "cpv": "Subject (CPV)",
    "buyer": "Buyer",
    "source": "Source",
    "status": "Status",
    "procedure_type": "Procedure",
    "notice_type": "Notice type",
    "deadline_from": "Deadline from",
    "deadline_to": "Deadline until",
    "published_from": "Published since",
    "published_to": "Published until",
    "value_min": "Value from",
    "value_max": "Value to",
    "value_currency": "Currency",
    "has_documents": "Documents",
}
#: The choice of the form that lifts the preset of the list without a query.
ANY = "any"


@dataclass(slots=True)
class Asked:
    """Query, filters and place. ``values`` are the filters as written; ``problems`` what of them was not understood."""

    query: Query
    filters: Filters = field(default_factory=Filters)
    values: dict[str, list[str]] = field(default_factory=dict)
    order: Order = "newest"
    page: int = 1
    cursor: str | None = None
    problems: list[str] = field(default_factory=list)

    @classmethod
    def from_arguments(cls, arguments: MultiDict[str, str]) -> Asked:
        """Read a query string; what cannot be read is left out and named. Without a query only open tenders show."""
        query = Query.parse(arguments.get("q", ""))
        asked = cls(query, cursor=arguments.get("cursor") or None)
        asked._take_place(arguments.get("order") or asked.order, arguments.get("page") or "1")
        for name in FILTER_NAMES:
            written = [value for value in arguments.getlist(name) if value.strip()]
            if written:
                asked._take(name, written)
        if not query and "status" not in asked.values:
            asked._take("status", ["open"])
        return asked

    def _take_place(self, order: str, page: str) -> None:
        if order in ("newest", "deadline"):
            self.order = cast("Order", order)
        else:
            self.problems.append(f"order: {order[:40]!r} is none; it is newest or deadline")
        number = whole_number(page, below=1000)
        if number:
            self.page = number
        else:
            self.problems.append(f"page: {page[:40]!r} is no page; pages are counted from 1")

    def _take(self, name: str, written: list[str]) -> None:
        self.values[name] = written
        if name == "status" and ANY in written:
            return
        try:
            parsed = Filters.parse({name: written if isinstance(getattr(Filters(), name), tuple) else written[-1]})
        except FilterError as error:
            del self.values[name]
            self.problems.append(f"{LABELS.get(name, name)}: {error}")
            return
        if name == "country" and (unknown := [code for code in parsed.country if not known_country(code)]):
            self.problems.append(f"Country: {', '.join(map(repr, unknown))} is no country's code")
            known = tuple(code for code in parsed.country if code not in unknown)
            self.values[name] = list(known)
            parsed = replace(parsed, country=known)
        self.filters = replace(self.filters, **{name: getattr(parsed, name)})

    @property
    def pages(self) -> int:
        """As far as paging through ranked results can go."""
        return -(-CANDIDATES // PER_PAGE)

    def chosen(self, name: str) -> str:
        """The written value of a filter, for its field in the form."""
        return self.values.get(name, [""])[0]

    def url(self, **changes: Any) -> str:
        """The address of the same request with ``changes``; None leaves a part out. Its place is not kept."""
        parts: dict[str, Any] = {"q": self.query_text or None, **self.values}
        if self.order != "newest":
            parts["order"] = self.order
        return url_for("pages.index", **_said(parts | changes))

    @property
    def place(self) -> dict[str, Any]:
        """All that leads back to this very list, as parameters; nothing for the list that shows without any."""
        parts: dict[str, Any] = {"q": self.query_text, **self.values}
        if not self.query and parts.get("status") == ["open"]:
            del parts["status"]
        if self.order != "newest":
            parts["order"] = self.order
        return _said(parts | {"page": self.page if self.page > 1 else None, "cursor": self.cursor})

    @property
    def query_text(self) -> str:
        """The query as it was typed, cleaned."""
        return self.query.typed

    def narrowed(self) -> list[tuple[str, str]]:
        """Filters beyond the preset, as (name, value) pairs for chips that take them away."""
        return [
            (name, value) for name, written in self.values.items() for value in written if not self._preset(name, value)
        ]

    def _preset(self, name: str, value: str) -> bool:
        return name == "status" and value in (ANY, "open")

    def without(self, name: str, value: str) -> str:
        """The address of the same request without one filter value."""
        left = [other for other in self.values.get(name, []) if other != value]
        return self.url(**{name: left or None})


def _said(parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in parts.items() if value not in (None, "", [])}


def whole_number(text: str, *, below: int) -> int | None:
    """The number that ``text`` is, plain digits, where it is below that; else None."""
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(below))):
        return None
    return int(text) if int(text) < below else None
