"""docs/add-a-portal.md and docs/add-a-source.md, done as they say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from portal_simulator.netserver_tenders import invented_netserver_tenders
from services.crawling import command, environment
from tenderscrapy.database.pool import connect

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator
    from services.crawling import Crawl

ROOT = Path(__file__).resolve().parents[2]
BLOCKS, PORTAL = (
    re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    for page in ("add-a-source.md", "add-a-portal.md")
)
#: Where a block goes that is no file of its own: before this line.
PLACES = {"tenderscrapy/sources/registry.py": ")\n\n\ndef fill", "tenderscrapy/settings.py": "\n# --- who we are"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project in which the page's steps have been done."""
    copy = tmp_path / "project"
    for name in ("tenderscrapy", "spiders", "pipelines"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scrapy.cfg", copy)
    for language, block in BLOCKS:
        if language == "python":
            _place(copy, block)
    return copy


def _place(project: Path, block: str) -> None:
    first, _, code = block.partition("\n")
    name = first.removeprefix("# ").partition(":")[0]
    file = project / name
    if name not in PLACES:
        assert not file.exists()
        file.write_text(code, encoding="utf-8")
        return
    before, place, after = file.read_text(encoding="utf-8").partition(PLACES[name])
    assert place, f"{name} has no line {PLACES[name]!r} any more"
    file.write_text(before + code + place + after, encoding="utf-8")


def test_the_source_of_the_page_is_crawled_as_the_page_says(
    project: Path, simulator: PortalSimulator, database: str, tmp_path: Path
) -> None:
    answer = next(block for language, block in BLOCKS if language == "json")
    last = json.dumps({"total": 3, "next": None, "notices": []})
    for body in (answer, last):
        simulator.fault("/notices", times=1, kind="status", status=200, body=body, media_type="application/json")
    line = command("town_portal", since="2026-11-01", TOWN_PORTAL_URL=f"{simulator.url}/notices", ATTACHMENTS_BUDGET=1)
    variables = environment(tmp_path / "files") | {"PYTHONPATH": os.pathsep.join([str(project)])}

    run = subprocess.run(line, cwd=project, env=variables, capture_output=True, text=True, timeout=120, check=False)

    assert run.returncode == 0, run.stderr
    targets = [request.target for request in simulator.requests_to("/notices")]
    assert targets == ["/notices?since=2026-11-01&page=1", "/notices?since=2026-11-01&page=2"]
    connection = connect(database, autocommit=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT state, fetched, rejected, new FROM crawl_run")
        assert cursor.fetchall() == [("complete", 3, 1, 2)]
        cursor.execute(
            "SELECT title, description, buyer_name, cpv, deadline_at, deadline_is_date FROM tender ORDER BY 1"
        )
        furniture, winter = cursor.fetchall()
        cursor.execute("SELECT snapshot -> 'flags' FROM tender_source WHERE notice_id = 'T-18'")
        [(flags,)] = cursor.fetchall()
    connection.close()
    due = datetime(2026, 12, 1, 22, 59, 59, tzinfo=UTC)
    text = "Gritting of 40 km of roads. Questions to […]."
    assert winter == ("Winter service & gritting", text, "Town of Example", ["90620000"], due, True)
    assert furniture == ("School furniture", None, None, [], None, False)
    assert flags == [{"code": "deadline_unreadable", "field": "deadline_at", "detail": "in December"}]


def test_the_portal_of_the_page_is_described_looked_at_and_walked(
    simulator: PortalSimulator, crawl: Crawl, ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = simulator.netserver("town", invented_netserver_tenders(5), "plain_table_in_own_words")
    described, corrected = (block for language, block in PORTAL if language == "yaml")
    shown = next(block for language, block in PORTAL if language == "text").splitlines()
    file = tmp_path / "portals.yaml"
    monkeypatch.setenv("PORTALS_FILE", str(file))
    address = "https://vergabe.town.example/NetServer/"

    file.write_text(described.replace(address, town.base_url), encoding="utf-8")
    said = check_portal()
    assert [line[:12] for line in said if not line.startswith("  notice")] == [
        line[:12] for line in shown if not line.startswith("  notice")
    ]
    exact = ("netserver:", "  robots", "  outcome", "  rows", "  fields", "  to do")
    # a tender in seven has no deadline in the simulator; in a column that is not found nobody has one
    assert [line for line in said if line.startswith(exact)] == [line for line in shown if line.startswith(exact)]

    file.write_text((described + corrected).replace(address, town.base_url), encoding="utf-8")
    assert check_portal()[-1].startswith("  to do     nothing; ")
    assert crawl("netserver", portal="town", ATTACHMENTS_BUDGET=1).returncode == 0
    assert ask("SELECT state, fetched FROM crawl_run WHERE source_code = 'netserver:town'") == [("complete", 5)]


def check_portal() -> list[str]:
    run = subprocess.run(
        [sys.executable, "-m", "scrapy", "check-portal", "town"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return run.stdout.splitlines()
