"""The fixture ``simulator``: a running simulator that the product takes for its sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from portal_simulator import PortalSimulator
from tenderscrapy.config import config

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[PortalSimulator]:
    """A simulator with 60 TED notices and 60 releases; the environment points to it, child processes included.

    The test fails when the simulator itself failed.
    """
    with PortalSimulator() as running:
        monkeypatch.setenv("ALLOW_PRIVATE_HOSTS", running.host)
        monkeypatch.setenv("TED_API_URL", running.ted_url)
        monkeypatch.setenv("CONTRACTS_FINDER_URL", running.contracts_finder_url)
        monkeypatch.setenv("DOE_URL", running.doe.url)
        monkeypatch.setenv("NRW_OPENDATA_URL", running.nrw.feed_url("feed-1"))
        config.cache_clear()
        yield running
    config.cache_clear()
    assert running.errors == []
