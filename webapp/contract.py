"""The OpenAPI document, and requests checked against its schemas: what it says is what is enforced."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from webapp.problems import ProblemError

if TYPE_CHECKING:
    from werkzeug.datastructures import MultiDict

DEFAULT_LIMIT = 10


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    text = (resources.files("webapp") / "openapi.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator({"$ref": f"#/components/schemas/{schema}", "components": document()["components"]})


def checked(schema: str, instance: Any) -> Any:
    """``instance`` when it follows the schema; raises a 400 that names each field which does not."""
    errors = sorted(_validator(schema).iter_errors(instance), key=lambda error: list(map(str, error.absolute_path)))
    if not errors:
        return instance
    named = [
        {"field": ".".join(map(str, error.absolute_path)) or "body", "message": error.message[:200]}
        for error in errors[:10]
    ]
    raise ProblemError(400, "Invalid request", f"{named[0]['field']}: {named[0]['message']}", errors=named)


def filter_arguments(arguments: MultiDict[str, str]) -> dict[str, Any]:
    """The filters among query-string arguments: a list may be repeated or separated by commas."""
    properties = document()["components"]["schemas"]["Filters"]["properties"]
    values: dict[str, Any] = {}
    for name, schema in properties.items():
        given = arguments.getlist(name)
        if not given:
            continue
        if schema["type"] == "array":
            values[name] = [part.strip() for text in given for part in text.split(",") if part.strip()]
        else:
            values[name] = given[-1]
    return values
