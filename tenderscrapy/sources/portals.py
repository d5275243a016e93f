"""The portals that are described in a file: ours, and the operator's own in PORTALS_FILE.

A portal of the operator's file replaces one of ours with the same id as a whole, or adds one.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from tenderscrapy.config import config
from tenderscrapy.exceptions import AddressRefusedError, ConfigurationError
from tenderscrapy.http.url_guard import PrivateHosts
from tenderscrapy.sources.cosinex_schema import CosinexPortal
from tenderscrapy.sources.portal_schema import NetserverPortal, Portal

#: A model for each platform; its ``platform`` names it.
PLATFORMS: dict[str, type[Portal]] = {"netserver": NetserverPortal, "cosinex": CosinexPortal}

_VERSION = 1


def portals(own_file: str | None = None, allowed: str | None = None) -> dict[str, Portal]:
    """Every portal of this installation by its source code (``netserver:berlin``), ours first.

    ``own_file`` and ``allowed`` default to PORTALS_FILE and ALLOW_PRIVATE_HOSTS of the environment. Raises
    ConfigurationError that names file, portal and key, and says what to do.
    """
    settings = config()
    return _portals(
        str(settings.portals_file or "") if own_file is None else own_file,
        settings.allow_private_hosts if allowed is None else allowed,
    )


@cache  # per file name: a process reads its files once
def _portals(own_file: str, allowed: str) -> dict[str, Portal]:
    private = PrivateHosts.parse(allowed)
    ours = resources.files("tenderscrapy.sources").joinpath("portals.yaml").read_text(encoding="utf-8")
    found = {portal.id: portal for portal in load(ours, "portals.yaml", private)}
    if own_file:
        try:
            text = Path(own_file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"PORTALS_FILE={own_file} cannot be read: {error}") from None
        for portal in load(text, own_file, private):
            found[portal.id] = portal
        _no_root_twice(own_file, found.values())
    return {portal.code: portal for portal in found.values()}


def portal(platform: str, name: str | None, own_file: str | None = None, allowed: str | None = None) -> Portal:
    """The portal ``name`` of ``platform``, whether or not it is enabled; the files as for ``portals``.

    Raises ConfigurationError that lists those there are.
    """
    known = {found.id: found for found in portals(own_file, allowed).values() if found.platform == platform}
    name = (name or "").removeprefix(f"{platform}:")
    if name not in known:
        given = f"portal={name!r} is no portal of {platform}" if name else f"{platform} needs a portal: -a portal=ID"
        raise ConfigurationError(f"{given}; there are: {', '.join(sorted(known))}")
    return known[name]


def load(text: str, file: str, allowed: PrivateHosts) -> list[Portal]:
    """The portals that the YAML ``text`` describes; ``file`` is its name in errors. Raises ConfigurationError."""
    content = _parsed(text, file)
    if not isinstance(content, dict) or not isinstance(content.get("portals"), list):
        raise ConfigurationError(f"{file}: the file is a mapping with the keys version, defaults and portals (a list)")
    for key in content:
        if key not in ("version", "defaults", "portals"):
            raise ConfigurationError(f"{file}: {key}: unknown key; remove it")
    if content.get("version") != _VERSION:
        raise ConfigurationError(f"{file}: version: {content.get('version')!r} is not known; write version: {_VERSION}")
    defaults = content.get("defaults") or {}
    if not isinstance(defaults, dict):
        raise ConfigurationError(f"{file}: defaults: a mapping is wanted")
    found = [_portal(entry, defaults, file, number) for number, entry in enumerate(content["portals"], 1)]
    for portal in found:
        try:
            portal.check_addresses(allowed)
        except AddressRefusedError as error:
            raise ConfigurationError(
                f"{file}: {portal.id}: base_url: {error}; correct it or remove the portal"
            ) from None
    _no_id_twice(file, found)
    _no_root_twice(file, found)
    return found


class _Loader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping: YAML would silently keep the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key {key!r} stands twice; remove one", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


def _parsed(text: str, file: str) -> Any:
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, TypeError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        raise ConfigurationError(f"{file}{line}: {getattr(error, 'problem', None) or error}") from None


def _portal(entry: Any, defaults: dict[str, Any], file: str, number: int) -> Portal:
    if not isinstance(entry, dict):
        raise ConfigurationError(f"{file}: portal {number}: a mapping with id, platform, name and base_url is wanted")
    name = entry.get("id") or f"portal {number}"
    platform = entry.get("platform")
    model = PLATFORMS.get(platform) if isinstance(platform, str) else None
    if model is None:
        raise ConfigurationError(
            f"{file}: {name}: platform: {platform!r} is not known; {' and '.join(sorted(PLATFORMS))} are"
        )
    for key in defaults:
        if not any(key in other.model_fields for other in PLATFORMS.values()):
            raise ConfigurationError(f"{file}: defaults: {key}: unknown key; remove it")
    applying = {key: value for key, value in defaults.items() if key in model.model_fields}
    try:
        return model.model_validate(applying | entry)
    except ValidationError as error:
        raise ConfigurationError(f"{file}: {name}: {_problem(error)}") from None


def _problem(error: ValidationError) -> str:
    """The first thing that is wrong: its key, what it must be, what it is."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        return f"{key}: unknown key; correct or remove it"
    message = first["msg"].removeprefix("Value error, ")
    message = message[0].lower() + message[1:] if first["type"] != "value_error" else message
    given = f" (it is {first['input']!r:.80})" if first["type"] not in ("value_error", "missing") else ""
    return f"{key}: {message}{given}" if key else f"{message}{given}"


def _no_id_twice(file: str, found: list[Portal]) -> None:
    seen: set[str] = set()
    for portal in found:
        if portal.id in seen:
            raise ConfigurationError(f"{file}: {portal.id}: id: two portals have it; rename one")
        seen.add(portal.id)


def _no_root_twice(file: str, found: Any) -> None:
    roots: dict[str, str] = {}
    for portal in found:
        root = portal.base_url.partition("://")[2].removeprefix("www.")
        if root in roots:
            raise ConfigurationError(
                f"{file}: {portal.id}: base_url: {roots[root]} has the same; one portal is one source, remove one"
            )
        roots[root] = portal.id
