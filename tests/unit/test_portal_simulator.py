"""The simulator itself: what other tests rely on."""

from __future__ import annotations

import requests


def test_the_fixture_points_the_product_to_the_simulator(simulator):
    from tenderscrapy.config import config

    assert config().ted_api_url == simulator.url + "/v3/notices/search"
    assert config().allow_private_hosts == simulator.host
    body = {"query": "publication-date>=today(-60)", "fields": ["publication-number"], "limit": 5}
    assert len(requests.post(config().ted_api_url, json=body, timeout=10).json()["notices"]) == 5
    assert [r.json() for r in simulator.requests_to("/v3/")] == [body]
