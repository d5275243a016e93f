"""The invented notices, and recorded ones in the simulator."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
import requests

from portal_simulator import PortalSimulator, invented_ted_notices
from tenderscrapy.formats import ocds
from tenderscrapy.formats.ted_json import FIELDS, to_notice


def ask(simulator: PortalSimulator, status: int = 200, **changes: Any) -> dict[str, Any]:
    body = {"query": "PD>=20200101", "fields": ["publication-number"], "limit": 4} | changes
    answer = requests.post(simulator.ted_url, json=body, timeout=10)
    assert answer.status_code == status, answer.text[:300]
    return answer.json()


def test_invented_notices_are_the_same_for_the_same_arguments():
    day = date(2026, 11, 20)
    notices = list(invented_ted_notices(50, 3, last_day=day))
    assert notices == invented_ted_notices(50, 3, last_day=day)[:]
    assert notices[0]["title-proc"] != invented_ted_notices(50, 4, last_day=day)[0]["title-proc"]
    assert (notices[0]["publication-date"], notices[-1]["publication-date"]) == ("2026-10-22+02:00", "2026-11-20+01:00")
    assert len({n["procedure-identifier"] for n in notices}) == 50
    assert {n["form-type"] for n in notices} == {"competition", "planning", "result"}


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("400_fields_empty", {"fields": []}),
        ("400_unsupported_field", {"fields": ["INVALID_FIELD"]}),
        ("400_query_syntax", {"query": "PD>="}),
    ],
)
def test_errors_have_the_shape_of_the_recorded_ones(simulator, corpus, name, change):
    recorded = json.loads((corpus / "ted/api/errors" / f"{name}.json").read_text())
    answer = ask(simulator, recorded["status"], **change)
    assert answer.keys() == recorded["body"].keys()
    if name == "400_query_syntax":
        assert answer["error"]["location"].keys() >= recorded["body"]["error"]["location"].keys()
        assert answer["error"]["type"] == recorded["body"]["error"]["type"]
    else:
        assert answer["error"] == recorded["body"]["error"]


@pytest.mark.corpus
def test_recorded_notices_are_served_as_they_are(simulator, corpus):
    page = json.loads((corpus / "ted/api/page_PAGE_NUMBER.composed.json").read_text())
    simulator.ted.notices = page["notices"]
    simulator.ted.files_base = "https://ted.europa.eu"
    for recorded in page["notices"]:
        query = f"publication-number={recorded['publication-number']}"
        fields = [name for name in recorded if name in FIELDS]
        (notice,) = ask(simulator, query=query, fields=fields)["notices"]
        assert notice == {name: recorded[name] for name in [*fields, "links"]}


def test_invented_notices_are_read_without_a_flag():
    for notice in map(to_notice, invented_ted_notices(40, last_day=date(2026, 11, 20))):
        assert (notice.flags, notice.cpv[0][:2].isdigit(), notice.buyers[0].name) == ([], True, notice.buyer_name)
        assert (notice.deadline_at is None) == (notice.notice_type in ("pin-only", "can-standard"))


def test_invented_releases_of_contracts_finder_are_read(simulator):
    for release in simulator.contracts_finder.releases:
        notice = ocds.to_notice(release)
        assert notice.notice_id == release["id"][:36]
        assert notice.source_code == "contracts_finder"
        assert "Planted" not in repr(notice)
