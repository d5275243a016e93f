"""`scrapy check-portal ID`: what it says of a page, and that it stores nothing but what it is asked to."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def town(simulator, portal_file):
    """A portal with five tenders."""
    portal = simulator.netserver("town", 5)
    portal_file(portal.describe())
    return portal


def check(*arguments: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scrapy", "check-portal", *arguments],
        cwd=cwd,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_rows_fields_notices_robots_and_what_to_do_are_said(simulator, town):
    run = check("town")
    assert run.returncode == 0, run.stderr
    lines = dict(line.strip().split(None, 1) for line in run.stdout.splitlines() if line.startswith("  "))
    assert (lines["robots"], lines["rows"]) == ("none", "5")
    assert lines["outcome"] == "ok (title: Ausschreibungen)"
    assert lines["fields"].startswith("notice_id 100%, title 100%, buyer_name 100%, procedure_type 100%")
    assert lines["to"] == "do     nothing; scrapy crawl netserver -a portal=town"
    assert run.stdout.count("  notice    54321-NetTender-") == 3
    asked = [request.path.rpartition("/")[2] for request in simulator.requests]
    assert asked == ["robots.txt", "LoginControllerServlet", "PublicationSearchControllerServlet"]


def test_robots_txt_is_obeyed_and_the_page_not_asked_for(simulator, town):
    simulator.robots = f"User-agent: *\nDisallow: {town.path}\n"
    run = check("town")
    assert run.returncode == 1
    assert "robots    forbids" in run.stdout
    assert "to do     robots.txt forbids the page: set enabled: false with that reason" in run.stdout
    assert [request.path for request in simulator.requests] == ["/robots.txt"]


@pytest.mark.parametrize(
    ("mood", "outcome"),
    [("maintained", "maintenance"), ("behind_login", "login"), ("expired", "session_expired")],
)
def test_a_page_that_is_no_list_is_named(town, mood, outcome):
    getattr(town, mood).add("list")
    run = check("town")
    assert run.returncode == 1
    assert f"outcome   {outcome} (" in run.stdout


def test_a_relaunch_a_dead_address_and_a_denied_redirect_are_told_apart(simulator, town):
    town.variant = "relaunched"
    assert "outcome   no_rows_matched" in check("town").stdout
    town.redirects["list"] = "https://www.vergabe24.de/"
    assert "outcome   denied_host (the operator of this portal prohibits automated access)" in check("town").stdout
    simulator.fault("*/PublicationSearchControllerServlet", times=None, kind="status", status=410)
    assert "outcome   http_error (status 410)" in check("town").stdout


def test_a_field_that_no_row_has_is_said_unless_it_is_described_as_absent(town, portal_file):
    town.variant = "table_without_authority"
    assert "no row has a authority: correct selectors.authority" in check("town").stdout
    portal_file(town.describe(selectors={"authority": None}))
    assert "to do     nothing" in check("town").stdout


def test_an_empty_list_is_no_fault(town):
    town.tenders = []
    run = check("town")
    assert (run.returncode, "outcome   empty" in run.stdout) == (0, True)


def test_the_page_is_recorded_without_session_and_contacts(town, tmp_path):
    town.tenders[0].title = "Neubau, Rückfragen an erika@town.example"
    town.caps = 3
    project = tmp_path / "project"
    for name in ("tenderscrapy", "spiders"):
        shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scrapy.cfg", project)
    (project / "tests" / "portals").mkdir(parents=True)
    run = check("town", "--record", cwd=project, PYTHONPATH=str(project))

    assert run.returncode == 0, run.stderr
    folder = project / "tests" / "portals" / "town"
    assert f"recorded  {folder / 'list.html'}; bring expected.json" in run.stdout
    text = (folder / "list.html").read_text(encoding="utf-8")
    assert 'data-oid="54321-NetTender-' in text
    assert not any(word in text for word in ("jsessionid", "csrt", "erika@"))
    assert '"provenance": "captured"' in (folder / "capture.json").read_text(encoding="utf-8")


def test_a_portal_that_is_not_described_is_named(town):
    for arguments in (("nowhere",), ()):
        run = check(*arguments)
        assert run.returncode == 2
        assert "is no portal; there are: " in run.stderr
        assert " berlin, " in run.stderr
    assert check("town", "village").returncode == 2


@pytest.mark.parametrize(
    ("mode", "page"),
    [
        ("html_table", "company/announcements/categoryOverview.do?method=showTable&cpvCode=45000000-7"),
        ("welcome", "company/welcome.do"),
    ],
)
def test_a_marketplaces_list_is_looked_at_too(simulator, portal_file, mode, page):
    portal = simulator.cosinex("market", 6)
    portal_file(portal.describe(mode=mode))
    run = check("market")
    assert run.returncode == 0, run.stdout + run.stderr
    assert f"  rows      {2 if mode == 'html_table' else 6}\n" in run.stdout
    assert "to do     nothing; scrapy crawl cosinex -a portal=market" in run.stdout
    assert [request.target for request in simulator.requests] == ["/robots.txt", portal.path + page]


def test_a_relaunched_marketplace_is_named(simulator, portal_file):
    portal = simulator.cosinex("market", 6, "relaunched")
    portal_file(portal.describe(mode="welcome"))
    run = check("market")
    assert run.returncode == 1
    assert "outcome   no_rows_matched (title: Bekanntmachungen)" in run.stdout
