"""The part of the collection that a search may look at, as conditions for chunks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from psycopg2 import sql

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


class Narrowing(Protocol):
    """A reader's filters; false where there are none."""

    def condition(self, now: datetime) -> tuple[sql.Composable, dict[str, Any]]:
        """A condition on a tender ``t``, and its parameters."""

    def __bool__(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Within:
    """``condition`` is on a chunk ``c``, ``tenders`` the filters' own on a tender ``t``; both use ``parameters``."""

    condition: sql.Composable
    tenders: sql.Composable
    parameters: dict[str, Any]
    narrowed: bool

    @classmethod
    def everything(cls) -> Self:
        """The whole collection."""
        return cls(sql.SQL("TRUE"), sql.SQL("TRUE"), {}, narrowed=False)

    @classmethod
    def of(cls, filters: Narrowing, now: datetime, more: Sequence[sql.Composable] = ()) -> Within:
        """The chunks of tenders that pass ``filters`` and satisfy the conditions ``more``."""
        tenders, parameters = filters.condition(now)
        conditions = list(more)
        if filters:
            conditions.append(sql.SQL("c.tender_id IN (SELECT t.id FROM tender t WHERE {})").format(tenders))
        condition = sql.SQL(" AND ").join(conditions) if conditions else sql.SQL("TRUE")
        return cls(condition, tenders, parameters, bool(conditions))
