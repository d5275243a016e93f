"""Which tender a notice belongs to. Pure; storage calls it inside its transaction.

The exact levels are here: the first key, in the order of ``keys.KINDS``, that a stored tender owns. The fuzzy level
takes its place after them, where no key matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from uuid import UUID

    from tenderscrapy.items import Key

#: Stored with every decision; a new number where the rules change.
ALGORITHM = "exact-1"


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided of one notice.

    ``tender_id`` is None for a new tender. ``review`` is for a person to look at, with ``candidate`` as the other side:
    the notice's keys belong to two tenders (it joins the first), or a key leads to a tender of another OCID (it joins
    none).
    """

    verdict: Literal["match", "review", "new"]
    tender_id: UUID | None = None
    key_kind: str | None = None
    candidate: UUID | None = None


def decide(
    keys: Sequence[Key],
    owners: Mapping[Key, UUID],
    ocids: Mapping[UUID, AbstractSet[str]] | None = None,
    *,
    member_of: UUID | None = None,
) -> Decision:
    """Decide by the owners of ``keys``, strongest key first.

    ``ocids`` are those of the owners: a publisher gives one procedure one OCID, so two of the same publisher's are two
    procedures whatever weaker keys say. ``member_of`` is the tender that already holds this very notice: it stays
    there whatever its keys say.
    """
    owned = [(key.kind, owners[key]) for key in keys if key in owners]
    if member_of is not None:
        other = next((owner for _, owner in owned if owner != member_of), None)
        return Decision("review" if other else "match", member_of, "notice", other)
    own = {key.value for key in keys if key.kind == "ocid"}
    joined = [(kind, owner) for kind, owner in owned if not _contradict(own, (ocids or {}).get(owner, frozenset()))]
    if not joined:
        return Decision("review", None, owned[0][0], owned[0][1]) if owned else Decision("new")
    kind, tender_id = joined[0]
    other = next((owner for _, owner in owned if owner != tender_id), None)
    return Decision("review" if other else "match", tender_id, kind, other)


def _contradict(own: AbstractSet[str], others: AbstractSet[str]) -> bool:
    """Whether one publisher names both sides, and names them differently."""
    for ocid in own - others:
        publisher = _publisher(ocid)
        if any(_publisher(other) == publisher for other in others) and not own & others:
            return True
    return False


def _publisher(ocid: str) -> str:
    """``ocds-b5fd17``, the registered prefix."""
    return "-".join(ocid.split("-", 2)[:2])
