"""Typed access to JSON of unknown shape: what is there and cannot be read leaves a flag, never an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenderscrapy.normalise.privacy import without_contacts
from tenderscrapy.normalise.text import printable

if TYPE_CHECKING:
    from tenderscrapy.items import Notice

Json = dict[str, Any]


class Reader:
    """Reads the members of JSON objects on behalf of one notice, which gets the flags."""

    def __init__(self, notice: Notice) -> None:
        self.notice = notice

    def flag(self, code: str, field: str, detail: object = "") -> None:
        """As Notice.flag, without contacts in the detail, and each flag only once."""
        text = without_contacts(printable(str(detail)[:200]))
        if not any((f.code, f.field, f.detail) == (code, field, text) for f in self.notice.flags):
            self.notice.flag(code, field, text)

    def part(self, owner: Json, name: str) -> Json:
        """The object ``owner[name]``; an empty one when absent or, flagged, when it is something else."""
        value = owner.get(name)
        if isinstance(value, dict):
            return value
        if value not in (None, "", []):
            self.flag(f"{name}_unreadable", name, value)
        return {}

    def parts(self, owner: Json, name: str) -> list[Json]:
        """The objects in the list ``owner[name]``; a single object counts as a list of one."""
        value = owner.get(name)
        if isinstance(value, dict):
            return [value]
        members = value if isinstance(value, list) else [value]
        found = [member for member in members if isinstance(member, dict)]
        stray = [member for member in members if not isinstance(member, dict) and member not in (None, "")]
        if stray:
            self.flag(f"{name}_unreadable", name, stray[0])
        return found

    def text(self, owner: Json, name: str, field: str = "") -> str | None:
        """The text ``owner[name]``; None when absent, or, flagged, when it is no text."""
        value = owner.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            self.flag(f"{field or name}_unreadable", field or name, value)
        return None

    @staticmethod
    def identifier(owner: Json, name: str) -> str | None:
        """``owner[name]`` as an identifier: printable text on one line, or a whole number; else None."""
        value = owner.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= 64:
            return str(value)
        return " ".join(printable(value).split()) or None if isinstance(value, str) else None
