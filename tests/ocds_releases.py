"""OCDS releases made up for the tests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

GUID = "5d0c1f3e-1111-4222-8333-944455556666"
OCID = "ocds-b5fd17-0a1b2c3d-1111-4222-8333-944455556666"
PROCEDURE = "aaaaaaaa-1111-4222-8333-944455556666"


def release(**members: Any) -> dict[str, Any]:
    """A Contracts Finder release; ``tender`` is merged in."""
    base: dict[str, Any] = {
        "ocid": OCID,
        "id": f"{GUID}-812345",
        "date": "2025-01-23T16:17:12Z",
        "tag": ["tender"],
        "language": "en",
        "tender": {"title": "Road repairs", "status": "active"},
        "buyer": {"id": "GB-CFS-1", "name": "Exampleshire Council"},
    }
    tender = base["tender"] | members.pop("tender", {})
    return base | {"tender": tender} | members


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]
