"""Fixtures that every test may use; each service's own are in tests/services/."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

CORPUS = ROOT.parent / "shared" / "corpus"

pytest_plugins = [
    name
    for name in (
        "services.postgresql",
        "services.rabbitmq",
        "services.redis",
        "services.browser",
        "services.crawling",
        "services.extracting",
        "services.files",
        "services.indexing",
        "services.portals",
        "services.queueing",
        "services.radar",
        "portal_simulator.fixture",
    )
    if (ROOT / "tests" / Path(*name.split("."))).with_suffix(".py").exists()
]


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real notices beside the project; the test is skipped, loudly, where it does not exist."""
    if not CORPUS.is_dir():
        pytest.skip(f"no corpus of real notices at {CORPUS}")
    return CORPUS
