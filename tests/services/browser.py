"""A real browser for tests."""

from __future__ import annotations

import os

import pytest

from services.missing import missing, program


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium: CHROMIUM when set, else the system's."""
    found = program(*filter(None, (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome")))
    if found is None:
        missing("Chromium", "install chromium, or set CHROMIUM")
    return found
