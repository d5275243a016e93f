"""Which tender a notice belongs to. Pure; storage calls it inside its transaction.

The exact levels are here: the first key, in the order of ``keys.KINDS``, that a stored tender owns. The fuzzy level
takes its place after them, where no key matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from uuid import UUID

    from tenderscrapy.items import Key

#: Stored with every decision; a new number where the rules change.
ALGORITHM = "exact-1"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided of one notice.

    ``tender_id`` is None for a new tender. ``review`` says that its keys belong to two tenders: it joins the first,
    and ``candidate`` is the other, for a person to look at.
    """

    verdict: Literal["match", "review", "new"]
    tender_id: UUID | None = None
    key_kind: str | None = None
    candidate: UUID | None = None


def decide(keys: Sequence[Key], owners: Mapping[Key, UUID], *, member_of: UUID | None = None) -> Decision:
    """Decide by the owners of ``keys``, strongest key first.

    ``member_of`` is the tender that already holds this very notice: it stays there whatever its keys say.
    """
    owned = [(key.kind, owners[key]) for key in keys if key in owners]
    if member_of is not None:
        other = next((owner for _, owner in owned if owner != member_of), None)
        return Decision("review" if other else "match", member_of, "notice", other)
    if not owned:
        return Decision("new")
    kind, tender_id = owned[0]
    other = next((owner for _, owner in owned if owner != tender_id), None)
    return Decision("review" if other else "match", tender_id, kind, other)
