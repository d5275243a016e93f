"""What TED refuses before it searches: names, types and sizes of a request's members."""

from __future__ import annotations

import json
import re
from typing import Any

from portal_simulator.ted_fields import known_fields

LARGEST_LIMIT = 250
LARGEST_PAGE_FIELDS = 10_000
LARGEST_WINDOW = 15_000
_DEFAULTS: dict[str, Any] = {
    "query": None,
    "fields": None,
    "page": 1,
    "limit": 10,
    "scope": "ALL",
    "paginationMode": "PAGE_NUMBER",
    "iterationNextToken": None,
    "onlyLatestVersions": False,
    "checkQuerySyntax": False,
}


class RefusedError(Exception):
    """The answer is an error; ``error`` is its ``error`` member, a list for bean validation."""

    def __init__(self, message: str, error: Any = None, status: int = 400) -> None:
        super().__init__(message)
        self.error = error
        self.status = status


def _invalid(name: str, message: str) -> RefusedError:
    problem = {"objectName": "publicExpertSearchRequestV1", "field": name, "message": message}
    return RefusedError("Validation error", [problem])


def _unsupported(name: str, value: object, message: str) -> RefusedError:
    return RefusedError(message, {"type": "UNSUPPORTED_VALUE", "parameterName": name, "unsupportedValue": str(value)})


def checked(body: bytes) -> dict[str, Any]:
    """The request with its defaults. Raises RefusedError."""
    try:
        given = json.loads(body)
    except ValueError:
        raise RefusedError("The request body cannot be read") from None
    if not isinstance(given, dict):
        raise RefusedError("The request body cannot be read")
    for name in given:
        if name not in _DEFAULTS:
            raise RefusedError(f'Unrecognized field "{name}"')
    asked = _DEFAULTS | given
    if not isinstance(asked["query"], str) or not asked["query"].strip():
        raise _invalid("query", "must not be blank")
    _check_choices(asked)
    _check_fields(asked["fields"])
    _check_sizes(asked)
    return asked


def _check_choices(asked: dict[str, Any]) -> None:
    choices = {"scope": ("LATEST", "ACTIVE", "ALL"), "paginationMode": ("PAGE_NUMBER", "ITERATION")}
    for name, allowed in choices.items():
        if asked[name] not in allowed:
            raise _unsupported(name, asked[name], f"Parameter '{name}' contains unsupported value")
    for name in ("onlyLatestVersions", "checkQuerySyntax"):
        if not isinstance(asked[name], bool):
            raise RefusedError(f"Parameter '{name}' cannot be read")
    token = asked["iterationNextToken"]
    if token is not None and not (isinstance(token, str) and re.fullmatch(r"\S+", token)):
        raise _invalid("iterationNextToken", "must be a token")


def _check_fields(fields: Any) -> None:
    if not isinstance(fields, list) or not fields:
        raise _invalid("fields", "must not be empty")
    if len(set(map(str, fields))) != len(fields):
        raise _invalid("fields", "must only contain unique elements")
    known = known_fields()
    for name in fields:
        if name not in known:
            listed = ",".join(sorted(known))
            message = f"Parameter 'fields' contains unsupported value (supported values are: {listed})"
            raise _unsupported("fields", name, message)


def _check_sizes(asked: dict[str, Any]) -> None:
    limit, page = asked["limit"], asked["page"]
    for name, value, least in (("limit", limit, 0), ("page", page, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise _invalid(name, f"must be greater than or equal to {least}")
    if limit > LARGEST_LIMIT:
        message = f"Parameter 'limit' ({limit}) exceeds maximum allowed value ({LARGEST_LIMIT})"
        raise _unsupported("limit", limit, message)
    size = limit * (len(asked["fields"]) + 1)  # the unrequested links count as a field
    if size > LARGEST_PAGE_FIELDS:
        message = f"Number of fields of a page ({size}) exceeds maximum allowed value ({LARGEST_PAGE_FIELDS})"
        raise _unsupported("limit", limit, message)
    if asked["paginationMode"] == "PAGE_NUMBER" and page * limit > LARGEST_WINDOW:
        message = f"Window size (page x limit) exceeds maximum allowed value ({LARGEST_WINDOW})"
        raise _unsupported("page", page, message)
