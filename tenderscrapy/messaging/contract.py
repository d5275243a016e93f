"""The one message that the parts send each other: a tender changed. Identifiers only, never documents."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final, cast
from uuid import UUID, uuid4

from jsonschema import Draft202012Validator, FormatChecker

from tenderscrapy.exceptions import MessageError

TENDER_CHANGED: Final = "tender.changed.v1"

#: A well-formed message has some 300 bytes; a larger one is not ours and is not worth parsing.
MAX_BYTES: Final = 16_384

SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "urn:tenderscrapy:tender.changed.v1",
    "title": "The merged record or the files of a tender changed",
    "type": "object",
    "additionalProperties": False,
    "required": ["event_id", "event_type", "occurred_at", "tender_id", "content_hash", "source_code"],
    "properties": {
        "event_id": {"type": "string", "format": "uuid"},
        "event_type": {"const": TENDER_CHANGED},
        "occurred_at": {"type": "string", "format": "date-time", "maxLength": 40},
        "tender_id": {"type": "string", "format": "uuid"},
        "content_hash": {"type": "string", "minLength": 1, "maxLength": 200},
        "source_code": {"type": "string", "minLength": 1, "maxLength": 200},
    },
}

_formats = FormatChecker(formats=())


@_formats.checks("uuid", raises=ValueError)
def _is_uuid(value: object) -> bool:
    return not isinstance(value, str) or str(UUID(value)) == value.lower()


@_formats.checks("date-time", raises=ValueError)
def _is_instant(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


_validator = Draft202012Validator(SCHEMA, format_checker=_formats)


def tender_changed(tender_id: UUID | str, content_hash: str, source_code: str) -> dict[str, str]:
    """The payload of a new event; ``source_code`` is the source whose notice brought the change."""
    return {
        "event_id": str(uuid4()),
        "event_type": TENDER_CHANGED,
        "occurred_at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "tender_id": str(tender_id),
        "content_hash": content_hash,
        "source_code": source_code,
    }


def validate(payload: object) -> dict[str, str]:
    """The payload itself when it follows the schema; raises MessageError that names the offending part."""
    problem = next(iter(sorted(_validator.iter_errors(payload), key=lambda e: list(map(str, e.path)))), None)
    if problem is not None:
        where = ".".join(map(str, problem.path)) or "message"
        raise MessageError(f"{where}: {problem.message[:200]}")
    return cast("dict[str, str]", payload)


def encode(payload: dict[str, str]) -> bytes:
    """The body of a message; raises MessageError rather than send what no consumer would take."""
    return json.dumps(validate(payload), separators=(",", ":")).encode()


def decode(body: bytes) -> dict[str, str]:
    """The payload of a body; raises MessageError when it is too large, no JSON or against the schema."""
    if len(body) > MAX_BYTES:
        raise MessageError(f"the body has {len(body)} bytes, more than {MAX_BYTES}")
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MessageError(f"the body is no JSON: {error}"[:200]) from error
    return validate(payload)
