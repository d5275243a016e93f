"""`scrapy crawl cosinex -a portal=ID` against marketplaces that look and misbehave like the real ones."""

from __future__ import annotations

from datetime import timedelta

import pytest

NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}
OVERVIEW = "company/announcements/categoryOverview.do?method=showCategoryOverview"


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched, new, changed, unchanged FROM crawl_run ORDER BY id DESC LIMIT 1")[
        0
    ]


def snapshots(ask) -> dict:
    return dict(ask("SELECT notice_id, snapshot FROM tender_source"))


def paths(simulator, portal) -> list[str]:
    return [request.target.removeprefix(portal.path) for request in simulator.requests_to(portal.path)]


@pytest.fixture
def town(simulator, portal_file):
    """A marketplace with seven projects in three divisions, two a page."""
    portal = simulator.cosinex("town", 7)
    portal.size = 2
    portal_file(portal.describe())
    return portal


def test_all_divisions_their_projects_and_documents_are_walked(simulator, town, crawl, ask):
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 5, 7, 7)  # the overview, and lists of 3, 2 and 2
    stored = snapshots(ask)
    assert set(stored) == {str(project.pid) for project in town.projects}
    for project in town.projects:
        found = stored[str(project.pid)]
        assert found["title"] == project.title
        assert found["buyers"] == [{"name": project.authority, "country": "DE", "city": "Musterhausen"}]
        assert (found["cpv"], found["reference"]) == ([project.cpv[:8]], project.number)
        assert found["url"] == f"{town.base_url}public/company/project/{project.cx}/de/overview"
        assert [file["filename"] for file in found["attachments"]] == ["Leistungsverzeichnis.pdf", "Angebot.pdf"]
        assert "/documents/2/" in found["attachments"][0]["url"]
        assert "discovery_cpv" not in found["extra"]
        assert "Erika" not in str(found)
        assert "Vergabekammer" not in str(found)
    keys = ask("SELECT value FROM tender_key WHERE kind = 'cosinex_project'")
    assert {row[0] for row in keys} == {project.cx for project in town.projects}
    deadlines = dict(ask("SELECT s.notice_id, t.deadline_at FROM tender_source s JOIN tender t ON t.id = tender_id"))
    assert deadlines == {str(project.pid): project.deadline_at for project in town.projects}


def test_a_second_walk_finds_nothing_new_and_asks_for_no_project(simulator, town, crawl, ask):
    crawl("cosinex", portal="town", **NO_FILES)
    simulator.forget_requests()
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    state, reason, _, fetched, *counts = last_run(ask)
    assert (state, reason, fetched, counts) == ("complete", "", 7, [0, 0, 7])
    assert not [path for path in paths(simulator, town) if path.startswith("public/") and "/documents/" not in path]
    assert ask("SELECT count(*) FROM notice_version") == [(7,)]


def test_a_satellites_own_list_is_walked(simulator, portal_file, crawl, ask):
    portal = simulator.cosinex("satellite", 5, "plain")
    portal.size = 2
    portal_file(portal.describe(mode="welcome"))
    run = crawl("cosinex", portal="satellite", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 3, 5, 5)
    lists = [path for path in paths(simulator, portal) if path.startswith("company/")]
    assert lists == [
        "company/welcome.do",
        "company/welcome.do?method=showTable&fromSearch=1&selectedTablePagePROJECT_RESULT=2",
        "company/welcome.do?method=showTable&fromSearch=1&selectedTablePagePROJECT_RESULT=3",
    ]


def test_every_list_has_a_session_of_its_own(simulator, town, crawl):
    crawl("cosinex", portal="town", **NO_FILES)
    cookies: dict[str, set[str]] = {}
    division = ""
    for request in simulator.requests_to(town.path):
        if "cpvCode" in request.parameters:
            division = request.parameters["cpvCode"]
            assert "cookie" not in request.headers
        elif "selectedTablePagePROJECT_RESULT" in request.parameters:
            cookies.setdefault(division, set()).add(request.headers["cookie"])
    assert {len(sessions) for sessions in cookies.values()} == {1}
    assert len(set.union(*cookies.values())) == len(cookies)


def test_a_portal_that_wants_its_start_page_gets_it_before_each_list(simulator, town, portal_file, crawl, ask):
    town.strict = True
    portal_file(town.describe(entry_url=OVERVIEW))
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert last_run(ask)[0] == "complete"
    assert "portal/outcome/session_expired" not in run.stderr


@pytest.mark.parametrize("request_of_a_list", [1, 2, 4])
def test_an_expired_session_is_renewed_once_and_the_walk_goes_on(town, portal_file, crawl, ask, request_of_a_list):
    town.strict = True
    town.forgets = {request_of_a_list}
    portal_file(town.describe(entry_url=OVERVIEW))
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:2] == ("complete", "")
    assert set(snapshots(ask)) == {str(project.pid) for project in town.projects}
    assert all(found["attachments"] for found in snapshots(ask).values())
    assert "another session is begun" in run.stderr


def test_a_portal_that_turns_out_to_want_its_start_page_gets_it(simulator, town, crawl, ask):
    town.strict = True
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 5, 7, 7)
    assert run.stderr.count("another session is begun") == 1


def test_a_session_that_never_holds_ends_the_walk(simulator, town, crawl, ask):
    town.expired = {"list"}
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, reason.partition(":")[0]) == ("incomplete", "session_expired")
    assert sum("showTable" in path for path in paths(simulator, town)) == 2


@pytest.mark.parametrize("kind", ["overview", "list"])
def test_maintenance_makes_the_run_incomplete_and_what_is_stored_stays(town, crawl, ask, kind):
    crawl("cosinex", portal="town", **NO_FILES)
    before = snapshots(ask)
    town.maintained = {kind}
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, reason.partition(":")[0]) == ("incomplete", "maintenance")
    assert "title: Wartung" in reason
    assert snapshots(ask) == before


@pytest.mark.parametrize("kind", ["project", "documents"])
def test_a_project_in_maintenance_is_kept_as_far_as_it_is_known(town, crawl, ask, kind):
    town.maintained = {kind}
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 1
    assert last_run(ask)[0] == "incomplete"
    stored = snapshots(ask)
    assert {found["title"] for found in stored.values()} == {project.title for project in town.projects}
    for found in stored.values():
        assert {"code": "detail_not_read", "detail": "maintenance"} in found["flags"]

    town.maintained = set()
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 0
    assert all(found["attachments"] for found in snapshots(ask).values())


def test_a_broken_row_costs_itself_alone(town, crawl, ask):
    town.broken = {town.projects[3].pid}
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 1
    state, reason, *_ = last_run(ask)
    assert (state, town.projects[3].title in reason) == ("incomplete", True)
    assert set(snapshots(ask)) == {str(p.pid) for p in town.projects} - {str(town.projects[3].pid)}


def test_case_5_relaunched_markup_is_said_and_what_is_stored_stays(town, crawl, ask):
    crawl("cosinex", portal="town", **NO_FILES)
    before = snapshots(ask)
    town.skin = "relaunched"
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 1
    assert last_run(ask)[1].startswith("no_rows_matched: ")
    assert "cosinex:town: no rows matched: " in run.stderr
    assert snapshots(ask) == before


@pytest.mark.parametrize(
    "target", ["", "https://id.dtvp.de/auth/realms/x/protocol/openid-connect/auth?client_id=y"], ids=["own", "other"]
)
def test_case_6_a_login_is_said_and_nothing_is_sent(simulator, town, crawl, ask, target):
    if target:
        town.redirects = {"list": target}
    else:
        town.behind_login = {"list"}
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 1
    assert last_run(ask)[1].startswith("login: ")
    assert {request.method for request in simulator.requests} == {"GET"}


def test_case_6_a_project_behind_a_login_is_kept_from_its_row(town, crawl, ask):
    town.behind_login = {"project"}
    crawl("cosinex", portal="town", **NO_FILES)
    assert last_run(ask)[0] == "incomplete"
    for found in snapshots(ask).values():
        assert {"code": "detail_not_read", "detail": "login"} in found["flags"]


def test_case_9_latin_1_is_read_by_its_label(town, crawl, ask):
    town.encoding = "iso-8859-1"
    town.projects[0].title = "Straßenbau Köln"
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 0
    assert snapshots(ask)[str(town.projects[0].pid)]["title"] == "Straßenbau Köln"


@pytest.mark.parametrize("mode", ["html_table", "welcome"])
def test_an_empty_marketplace_is_a_clean_run(simulator, portal_file, crawl, ask, mode):
    portal = simulator.cosinex("empty", 0)
    portal_file(portal.describe(mode=mode))
    run = crawl("cosinex", portal="empty", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:4] == ("complete", "", 1, 0)


def test_a_list_that_gives_fewer_entries_than_it_names_is_incomplete(simulator, portal_file, crawl, ask):
    portal = simulator.cosinex("town", 5)
    portal.total = 8
    portal_file(portal.describe(mode="welcome"))
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 1
    assert last_run(ask)[:2] == ("incomplete", "the list names 8 entries and gave 5")
    assert len(snapshots(ask)) == 5


def test_max_pages_of_a_list_is_said(town, portal_file, crawl, ask):
    portal_file(town.describe(max_pages=1))
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 1
    assert "longer than the 1 pages that max_pages allows" in last_run(ask)[1]


def test_a_stopped_walk_goes_on_in_a_new_session(simulator, town, crawl, ask):
    crawl("cosinex", portal="town", max_pages=3, **NO_FILES)  # the overview and both pages of the first division
    assert last_run(ask)[0] == "complete"
    simulator.forget_requests()
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert OVERVIEW not in paths(simulator, town)
    assert set(snapshots(ask)) == {str(project.pid) for project in town.projects}


def test_lists_end_early_where_all_is_known(simulator, portal_file, crawl, ask):
    portal = simulator.cosinex("town", 12)
    portal.size = 2
    portal_file(portal.describe(mode="welcome", stop_after_known=3))
    crawl("cosinex", portal="town", **NO_FILES)
    new = portal.projects.pop()
    new.published_at = portal.projects[0].published_at + timedelta(minutes=5)
    new.pid, new.cx = 70000, "CXTEST9Y0001"
    portal.projects.append(new)  # at the end of the list, and first when sorted
    simulator.forget_requests()
    run = crawl("cosinex", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 2, 4, 1)
    lists = [path for path in paths(simulator, portal) if path.startswith("company/")]
    assert [path.rpartition("=")[2] for path in lists] == ["company/welcome.do", "publicationDate", "2"]


def test_lists_that_are_not_sorted_as_asked_are_read_to_their_ends(simulator, portal_file, crawl, ask):
    portal = simulator.cosinex("town", 8)
    portal.size, portal.sorts = 2, False
    portal.projects.reverse()
    for number, project in enumerate(portal.projects):
        project.published_at += timedelta(days=number)
    portal_file(portal.describe(mode="welcome", stop_after_known=1))
    crawl("cosinex", portal="town", **NO_FILES)
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 0
    assert last_run(ask)[:5] == ("complete", "", 4, 8, 0)


def test_a_run_that_was_not_complete_is_followed_by_one_that_reads_all(town, portal_file, crawl, ask):
    portal_file(town.describe(stop_after_known=1))
    crawl("cosinex", portal="town", **NO_FILES)
    town.maintained = {"list"}
    crawl("cosinex", portal="town", **NO_FILES)
    town.maintained = set()
    assert crawl("cosinex", portal="town", **NO_FILES).returncode == 0
    assert last_run(ask)[3] == 7


def test_a_project_in_two_divisions_is_read_once(simulator, town, crawl, ask):
    town.projects[0].also = "39130000-2"
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert last_run(ask)[3:5] == (7, 7)
    assert sum(path.endswith(f"?pid={town.projects[0].pid}") for path in paths(simulator, town)) == 1


def test_awards_are_left_out_unless_they_are_asked_for(town, portal_file, crawl, ask):
    town.projects[0].kind = ("VA", "Vergebener Auftrag")
    crawl("cosinex", portal="town", **NO_FILES)
    assert str(town.projects[0].pid) not in snapshots(ask)
    assert last_run(ask)[0] == "complete"

    portal_file(town.describe(publication_types=["Vergebener Auftrag"]))
    crawl("cosinex", portal="town", since="2026-01-01", **NO_FILES)
    assert snapshots(ask)[str(town.projects[0].pid)]["status"] == "awarded"


def test_a_project_on_a_host_that_is_not_named_is_kept_from_its_row(simulator, town, crawl, ask):
    town.base_url = town.base_url.replace("127.0.0.1", "satellite.example")
    run = crawl("cosinex", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    stored = snapshots(ask)
    host = town.base_url.split("/")[2]
    assert set(stored) == {f"{host}|{project.pid}" for project in town.projects}
    assert all("detail_elsewhere" in str(found["flags"]) for found in stored.values())
