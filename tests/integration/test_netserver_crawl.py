"""`scrapy crawl netserver -a portal=ID` against portals that look and misbehave like the real ones."""

from __future__ import annotations

import signal
import subprocess
import time
from contextlib import closing

import pytest

from portal_simulator.netserver_tenders import File, invented_netserver_tenders
from services.crawling import ROOT, command, environment
from tenderscrapy.database.pool import connect
from tenderscrapy.database.storing import store
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Link, Notice
from tenderscrapy.sources.registry import portal_sources, standings

NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}
LIST = "PublicationSearchControllerServlet"
DETAIL = "PublicationControllerServlet"
DOCUMENTS = "TenderingProcedureDetails"


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched, new, unchanged FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


def snapshots(ask) -> dict[str, dict]:
    return dict(ask("SELECT notice_id, snapshot FROM tender_source WHERE source_code = 'netserver:town'"))


def flags(snapshot: dict) -> list[str]:
    return [flag["code"] for flag in snapshot.get("flags", [])]


@pytest.fixture
def town(simulator, portal_file):
    """A portal with seven tenders."""
    portal = simulator.netserver("town", 7)
    portal_file(portal.describe())
    return portal


def asked(simulator, town, servlet: str) -> list:
    return simulator.requests_to(town.path + servlet)


def test_a_list_its_notices_and_their_documents_are_walked(simulator, town, crawl, ask):
    town.caps = 3
    run = crawl("netserver", portal="town", **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert last_run(ask)[:5] == ("complete", "", 3, 7, 7)
    assert ask("SELECT code, platform, name FROM source WHERE code = 'netserver:town'") == [
        ("netserver:town", "netserver", "Portal town")
    ]
    stored = snapshots(ask)
    assert {id_: snapshot["title"] for id_, snapshot in stored.items()} == {t.oid: t.title for t in town.tenders}
    for snapshot in stored.values():
        assert [file["filename"] for file in snapshot["attachments"]] == ["Leistungsverzeichnis.pdf", "Angebot.pdf"]
        assert not any(word in str(snapshot) for word in ("jsessionid", "csrt", "Erika", "030 123"))
    keys = ask("SELECT value FROM tender_key WHERE kind = 'netserver_oid'")
    assert {row[0] for row in keys} == {f"127.0.0.1|{tender.procedure_oid.lower()}" for tender in town.tenders}


def test_a_portal_is_unverified_until_it_was_read_whole(simulator, town, crawl, database):
    def standing() -> dict[str, str]:
        with closing(connect(database)) as connection:
            return standings(connection, portal_sources())

    town.maintained.add("list")
    crawl("netserver", portal="town", **NO_FILES)
    assert standing()["netserver:town"] == "unverified"
    assert standing()["netserver:hessen"].startswith("disabled: robots.txt forbids")
    town.maintained.clear()
    crawl("netserver", portal="town", **NO_FILES)
    assert standing()["netserver:town"] == "verified"


def test_the_session_is_begun_once_and_links_are_followed_as_given(simulator, town, crawl, ask):
    town.caps = 3
    town.strict = True
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0

    assert len(asked(simulator, town, "LoginControllerServlet")) == 1
    pages = asked(simulator, town, LIST)
    assert ["csrt" in request.parameters for request in pages] == [False, True, True]
    assert all("jsessionid" in request.target for request in pages[1:])
    assert len(snapshots(ask)) == 7


def test_files_are_fetched_without_a_session(simulator, town, crawl, ask):
    town.tenders = town.tenders[:2]
    assert crawl("netserver", portal="town").returncode == 0
    assert ask("SELECT status, count(*) FROM attachment GROUP BY 1") == [("ready", 4)]
    files = [r for r in asked(simulator, town, DOCUMENTS) if r.parameters["function"].startswith("_Download")]
    assert len(files) == 4
    assert not any("jsessionid" in request.target for request in files)


def test_paging_by_offset_alone(simulator, town, portal_file, crawl, ask):
    town.tenders = invented_netserver_tenders(23)
    town.links = False
    portal_file(town.describe(page_size=10, paging={"mode": "start_param"}))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert [request.parameters["Start"] for request in asked(simulator, town, LIST)] == ["0", "10", "20"]
    assert last_run(ask)[:4] == ("complete", "", 3, 23)


def test_a_full_page_without_a_link_is_looked_behind(simulator, town, portal_file, crawl, ask):
    town.tenders = invented_netserver_tenders(30)
    town.links = False
    town.caps = 25
    portal_file(town.describe(detail={"fetch": False}))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert [request.parameters["Start"] for request in asked(simulator, town, LIST)] == ["0", "25"]
    assert len(snapshots(ask)) == 30


def test_a_list_that_ignores_the_offset_is_not_believed_to_be_whole(simulator, town, portal_file, crawl, ask):
    town.tenders = invented_netserver_tenders(12)
    town.caps, town.links, town.ignores_offset = 10, False, True
    portal_file(town.describe(page_size=10, detail={"fetch": False}))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 1
    state, reason, _, fetched, *_ = last_run(ask)
    assert (state, fetched) == ("incomplete", 10)
    assert "same rows again" in reason


@pytest.mark.parametrize("href", ["#", "", "http://[", "javascript:void(0)"])
def test_a_link_to_the_next_page_that_leads_nowhere_is_none(simulator, town, portal_file, crawl, ask, href):
    town.caps, town.last_link = 3, href
    portal_file(town.describe(detail={"fetch": False}))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert last_run(ask)[:4] == ("complete", "", 3, 7)


def test_case_4_an_empty_list_is_a_complete_run(simulator, town, crawl, ask):
    town.tenders = []
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert last_run(ask)[:4] == ("complete", "", 1, 0)


def test_fewer_rows_than_expected_are_an_alarm(simulator, town, portal_file, crawl, ask):
    portal_file(town.describe(minimum_rows=8))
    run = crawl("netserver", portal="town", **NO_FILES)
    assert run.returncode == 1
    assert last_run(ask)[:2] == ("incomplete", "7 rows, and at least 8 are expected here")
    assert len(snapshots(ask)) == 7


def test_case_5_a_relaunch_is_said_and_what_is_stored_stays(simulator, town, crawl, ask):
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    before = ask("SELECT notice_id, content_hash, snapshot FROM tender_source ORDER BY 1")
    town.variant = "relaunched"
    run = crawl("netserver", portal="town", **NO_FILES)

    assert run.returncode == 1
    assert "netserver:town: no rows matched: http://" in run.stderr
    assert "(title: Ausschreibungen)" in run.stderr
    state, reason, *_ = last_run(ask)
    assert (state, reason.partition(":")[0]) == ("incomplete", "no_rows_matched")
    assert ask("SELECT notice_id, content_hash, snapshot FROM tender_source ORDER BY 1") == before


@pytest.mark.parametrize(("mood", "outcome"), [("maintained", "maintenance"), ("behind_login", "login")])
def test_case_6_a_list_that_is_no_list_is_named(simulator, town, crawl, ask, mood, outcome):
    getattr(town, mood).add("list")
    run = crawl("netserver", portal="town", **NO_FILES)
    assert run.returncode == 1
    assert last_run(ask)[0] == "incomplete"
    assert last_run(ask)[1].startswith(f"{outcome}: ")
    assert not any(request.method == "POST" for request in simulator.requests)


@pytest.mark.parametrize(
    ("page", "mood", "outcome"),
    [
        ("detail", "behind_login", "login"),
        ("detail", "maintained", "maintenance"),
        ("documents", "behind_login", "login"),
        ("documents", "expired", "session_expired"),
    ],
)
def test_case_6_a_notice_whose_pages_cannot_be_read_is_kept_from_the_list(
    simulator, town, crawl, ask, page, mood, outcome
):
    getattr(town, mood).add(page)
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 1

    state, reason, _, fetched, new, _ = last_run(ask)
    assert (state, fetched, new) == ("incomplete", 7, 7)
    assert reason.startswith(f"{outcome}: a page of 54321-NetTender-")
    for tender in town.tenders:
        snapshot = snapshots(ask)[tender.oid]
        assert (snapshot["title"], snapshot["buyer_name"]) == (tender.title, tender.authority)
        assert flags(snapshot)[-1:] == ["detail_not_read"]


def test_a_session_that_expires_on_the_way_is_begun_again(simulator, town, crawl, ask):
    town.caps, town.strict = 3, True
    again = []

    def second_page(request) -> bool:
        if request.path.startswith(town.path + LIST) and "csrt" in request.parameters and not again:
            again.append(request)
            town.end_sessions()
        return False

    simulator.fault(second_page, times=None)
    run = crawl("netserver", portal="town", **NO_FILES)
    assert len(asked(simulator, town, "LoginControllerServlet")) == 2, run.stderr
    assert {row[0] for row in ask("SELECT notice_id FROM tender_source")} == {tender.oid for tender in town.tenders}


def test_case_8_awards_among_tenders_are_left_out_or_kept_as_asked(simulator, town, portal_file, crawl, ask):
    award = town.tenders[2]
    award.category, award.deadline = "ContractAward", ""
    run = crawl("netserver", portal="town", **NO_FILES)
    assert (run.returncode, "WARNING netserver" in run.stderr) == (0, False)
    assert last_run(ask)[3] == 6
    assert award.oid not in snapshots(ask)

    portal_file(town.describe(categories=["InvitationToTender", "ContractAward"]))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert snapshots(ask)[award.oid]["status"] == "awarded"
    assert len(snapshots(ask)) == 7


@pytest.mark.parametrize("variant", ["cards", "definitions", "blocks", "plain_table", "table_without_authority"])
def test_other_skins_are_walked_as_well(simulator, town, crawl, ask, variant):
    town.variant, town.caps = variant, 4
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert last_run(ask)[:4] == ("complete", "", 2, 7)


def test_case_9_a_page_in_latin_1_is_read_right(simulator, town, crawl, ask):
    town.encoding = "iso-8859-1"
    town.tenders[0].title = "Straßenbau Köln"
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert snapshots(ask)[town.tenders[0].oid]["title"] == "Straßenbau Köln"


def test_a_server_that_lies_about_its_encoding_is_overruled(simulator, town, portal_file, crawl, ask):
    town.tenders[0].title = "Straßenbau Köln"
    town.tenders[0].form = "eforms"
    town.encoding = "iso-8859-1"
    town.declares = "utf-8"
    portal_file(town.describe(encoding="iso-8859-1"))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert snapshots(ask)[town.tenders[0].oid]["title"] == "Straßenbau Köln"


def test_case_13_a_denied_portal_is_never_loaded(simulator, portal_file, crawl, town):
    portal_file(town.describe(base_url="https://www.vergabe24.de/NetServer/"))
    run = crawl("netserver", portal="town", **NO_FILES)
    assert run.returncode == 2
    assert "portals.yaml: town: base_url: the operator of this portal prohibits automated access" in run.stderr
    assert simulator.requests == []


@pytest.mark.parametrize("page", ["list", "detail"])
def test_case_14_a_redirect_to_a_denied_portal_is_not_followed(simulator, town, crawl, ask, page):
    town.tenders = town.tenders[:1]
    town.redirects[page] = "http://plattform.aumass.de./x"
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 1
    state, reason, _, fetched, *_ = last_run(ask)
    assert reason.startswith("denied_host: ")
    assert (state, fetched) == (("failed", 0) if page == "list" else ("incomplete", 1))


def test_case_15_robots_txt_closes_the_list(simulator, town, crawl, ask):
    simulator.robots = f"User-agent: *\nDisallow: {town.path}{LIST}?\n"
    assert crawl("netserver", portal="town", ROBOTSTXT_OBEY=1, **NO_FILES).returncode == 1
    assert last_run(ask)[0] == "incomplete"
    assert last_run(ask)[1].startswith("robots: ")
    assert asked(simulator, town, LIST) == []


def test_a_notice_page_that_is_missing_costs_its_notice_nothing_else(simulator, town, crawl, ask):
    lost = town.tenders[3]
    simulator.fault(lambda r: r.parameters.get("TOID") == lost.oid, times=None, kind="status", status=404)
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 1
    assert last_run(ask)[:2][0] == "incomplete"
    assert last_run(ask)[1].startswith(f"http_error: a page of {lost.oid} could not be read: ")
    stored = snapshots(ask)
    assert {id_ for id_, snapshot in stored.items() if flags(snapshot)} == {lost.oid}
    assert ask("SELECT cursor->>'position', cursor->>'watermark' FROM source WHERE code = 'netserver:town'") == [
        (None, None)
    ]


def test_a_notice_that_was_read_whole_loses_nothing_when_its_page_fails_later(simulator, town, crawl, ask):
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    before = snapshots(ask)
    moved = next(tender for tender in town.tenders if tender.form == "eforms")
    moved.deadline = "31.12.2030 12:00"
    town.maintained.add("detail")

    assert crawl("netserver", portal="town", since="2020-01-01", **NO_FILES).returncode == 1

    after = snapshots(ask)
    assert {id_ for id_ in after if after[id_] != before[id_]} == {moved.oid}
    changed = after[moved.oid]
    assert changed["deadline_at"] == "2030-12-31T11:00:00Z"
    assert changed["attachments"] == before[moved.oid]["attachments"]
    assert changed["description"] == before[moved.oid]["description"]
    assert flags(changed)[-1:] == ["detail_not_read"]

    town.maintained.clear()
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert flags(snapshots(ask)[moved.oid]) == []


def test_a_row_that_stays_the_same_is_not_asked_about_again_for_a_while(simulator, town, portal_file, crawl, ask):
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    simulator.forget_requests()
    town.tenders[1].deadline = "31.12.2030 12:00"
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert [r.parameters["TOID"] for r in asked(simulator, town, DETAIL)] == [town.tenders[1].oid]
    assert last_run(ask) == ("complete", "", 1, 7, 0, 6)

    simulator.forget_requests()
    town.tenders[2].files.append(File("Nachtrag.pdf"))
    portal_file(town.describe(detail={"refresh_hours": 0}))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert len(asked(simulator, town, DETAIL)) == 7
    assert len(snapshots(ask)[town.tenders[2].oid]["attachments"]) == 3


def test_since_and_until_are_days_of_publication(simulator, town, crawl, ask):
    newest, oldest = ("-".join(reversed(town.tenders[n].published.split("."))) for n in (0, -1))
    assert newest > oldest
    for window in ({"since": newest}, {"until": oldest, "since": oldest}):
        assert crawl("netserver", portal="town", **window, **NO_FILES).returncode == 0
        assert last_run(ask)[0] == "complete"
    assert last_run(ask)[3] == sum(tender.published == town.tenders[-1].published for tender in town.tenders)
    assert len(snapshots(ask)) == 7


def test_a_walk_that_is_cut_goes_on_where_it_stopped(simulator, town, crawl, ask):
    town.caps = 3
    assert crawl("netserver", portal="town", max_pages=1, **NO_FILES).returncode == 0
    assert len(snapshots(ask)) == 3
    [(position,)] = ask("SELECT cursor->'position' FROM source WHERE code = 'netserver:town'")
    assert not any(word in position["url"] for word in ("csrt", "jsessionid"))
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert len(snapshots(ask)) == 7


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
def test_a_crawl_that_is_ended_among_its_notices_keeps_none_in_part(simulator, town, crawl, ask, tmp_path, end):
    town.caps = 3
    fourth = town.tenders[4].oid
    simulator.fault(lambda r: r.parameters.get("TOID") == fourth, times=1, kind="silence", seconds=60)
    line = command("netserver", portal="town", **NO_FILES)
    running = subprocess.Popen(line, cwd=ROOT, env=environment(tmp_path / "files"), stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not any(fourth in r.target for r in simulator.requests) and time.monotonic() < until:
        time.sleep(0.05)
    running.send_signal(end)
    _, log = running.communicate(timeout=60)

    assert running.returncode != 0, log
    assert "Traceback" not in log
    assert all(flags(snapshot) == [] for snapshot in snapshots(ask).values())
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    assert set(snapshots(ask)) == {tender.oid for tender in town.tenders}
    assert all(flags(snapshot) == [] for snapshot in snapshots(ask).values())


def test_a_notice_of_the_german_service_and_the_portals_own_become_one_tender(simulator, town, crawl, ask, database):
    town.tenders = town.tenders[:1]
    assert crawl("netserver", portal="town", **NO_FILES).returncode == 0
    central = Notice("doe", "5a391e00-0002-4000-8000-00000000000f", title="Ganz anders geschrieben")
    oid = town.tenders[0].procedure_oid
    central.links = [Link(f"{town.base_url}TenderingProcedureDetails?function=_Details&TenderOID={oid}", "documents")]
    central.keys = strong_keys(central)
    with closing(connect(database)) as connection:
        assert store(connection, [central]) == ["new"]
        connection.commit()
    assert ask("SELECT count(*), count(DISTINCT tender_id) FROM tender_source") == [(2, 1)]


@pytest.mark.browser
@pytest.mark.usefixtures("chromium")
def test_a_portal_that_needs_a_browser_is_walked_by_one(simulator, town, portal_file, crawl, ask):
    town.tenders = town.tenders[:2]
    portal_file(town.describe(requires_browser=True))
    run = crawl("netserver", portal="town", **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert {snapshot["title"] for snapshot in snapshots(ask).values()} == {tender.title for tender in town.tenders}


def test_a_portal_that_is_off_says_why(crawl):
    run = crawl("netserver", portal="hessen", **NO_FILES)
    assert run.returncode == 2
    assert "netserver:hessen (Vergabeplattform Hessen) is not enabled: robots.txt forbids the page" in run.stderr


def test_a_broken_portal_file_stops_its_portals_and_no_other_source(simulator, portal_file, crawl, ask):
    portal_file({"id": "town"})
    run = crawl("netserver", portal="town", **NO_FILES)
    assert (run.returncode, "portals.yaml: town: platform" in run.stderr) == (2, True)
    run = crawl("ted", max_pages=1, **NO_FILES)
    assert run.returncode == 0, run.stderr
    assert "ted is read all the same" in run.stderr
