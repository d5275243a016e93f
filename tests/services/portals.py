"""The fixture ``portal_file``: a portal file of the test's own, which the product takes for the operator's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
import yaml

from tenderscrapy.config import config

if TYPE_CHECKING:
    from pathlib import Path


class PortalFile(Protocol):
    """``portal_file(block, ...)``: write the blocks as the operator's file; its path."""

    def __call__(self, *blocks: dict[str, object]) -> Path: ...


@pytest.fixture
def portal_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PortalFile:
    """Child processes read the file as well."""

    def write(*blocks: dict[str, object]) -> Path:
        file = tmp_path / "portals.yaml"
        file.write_text(yaml.safe_dump({"version": 1, "portals": list(blocks)}, allow_unicode=True), encoding="utf-8")
        monkeypatch.setenv("PORTALS_FILE", str(file))
        config.cache_clear()
        return file

    yield write
    config.cache_clear()
