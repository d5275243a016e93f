"""A real day of the German publication service through the spider: its tables, and single releases."""

from __future__ import annotations

import csv
from datetime import date
from typing import TYPE_CHECKING

import pytest

from portal_simulator.doe import packed

if TYPE_CHECKING:
    from pathlib import Path

    from portal_simulator import PortalSimulator

pytestmark = pytest.mark.corpus
DAY = date(2025, 12, 6)


def test_a_real_day_is_stored_whole_from_its_tables(simulator: PortalSimulator, crawl, ask, corpus: Path) -> None:
    folder = corpus / "ocds" / "doe" / "csv_2025-12-06"
    members = [(path.name, path.read_bytes()) for path in sorted(folder.glob("*.csv"))]
    simulator.doe.publish_body(DAY, packed(members), "csv")

    assert crawl("doe", since=DAY, until=DAY).returncode == 1, "a day without its eForms archive is not complete"

    with (folder / "notice.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {row["noticeIdentifier"] for row in rows}
    assert {row[0] for row in ask("SELECT notice_id FROM tender_source WHERE source_code = 'doe'")} == numbers
    ((state, reason, new, rejected, quarantined),) = ask(
        "SELECT state, reason, new, rejected, quarantined FROM crawl_run"
    )
    assert (state, reason) == ("incomplete", f"there is no eforms archive of {DAY}")
    assert (new, rejected, quarantined) == (len(numbers), 0, 0)
    procedures = {row["procedureIdentifier"] or row["noticeIdentifier"] for row in rows}
    assert ask("SELECT count(DISTINCT ocid), count(*) FROM tender") == [(len(procedures), len(procedures))]


def test_real_releases_fill_up_what_eforms_has_not(simulator: PortalSimulator, crawl, ask, corpus: Path) -> None:
    paths = sorted((corpus / "ocds" / "doe" / "ocds").glob("*.json"))
    simulator.doe.publish_members(DAY, [(f"{path.stem}.json", path.read_bytes()) for path in paths], "ocds")
    assert crawl("doe", since=DAY, until=DAY).returncode == 1
    stored = ask("SELECT notice_id, title IS NOT NULL, buyer_name IS NOT NULL, t.ocid LIKE 'ocds-mnwr74-%%'"
                 " FROM tender_source s JOIN tender t ON t.id = s.tender_id ORDER BY 1")  # fmt: skip
    assert stored == sorted((path.stem.split("_")[1], True, True, True) for path in paths)
