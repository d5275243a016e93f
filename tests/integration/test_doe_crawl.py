"""`scrapy crawl doe` against a server that exports its days like the German publication service, and as badly."""

from __future__ import annotations

from datetime import timedelta

import pytest

from portal_simulator.doe import EXPORTS_PATH, FIRST_DAY, members_of, packed, today
from portal_simulator.doe_forms import csv_members, ocds_members
from portal_simulator.doe_notices import invented_german_notices, twin_of, written

NO_FILES = {"ATTACHMENTS_BUDGET": "0.01"}
YESTERDAY = today() - timedelta(days=1)


def day(number: int):
    """The day ``number`` days before yesterday."""
    return YESTERDAY - timedelta(days=number)


def publish(simulator, numbers, count=3):
    """Notices of the days ``numbers``: day -> notices."""
    found = {number: invented_german_notices(count, day=day(number)) for number in numbers}
    for number, notices in found.items():
        simulator.doe.publish(day(number), notices)
    return found


def last_run(ask) -> tuple:
    return ask("SELECT state, reason, pages, fetched, new, rejected FROM crawl_run ORDER BY id DESC LIMIT 1")[0]


def cursor(ask) -> dict:
    return ask("SELECT cursor FROM source WHERE code = 'doe'")[0][0]


def asked(simulator) -> list[tuple[str, str, str | None]]:
    """Of each request the day, the form, and the ETag that it knew."""
    return [
        (r.parameters["pubDay"], r.parameters["format"].removesuffix(".zip"), r.headers.get("if-none-match"))
        for r in simulator.requests_to(EXPORTS_PATH)
    ]


def stored(ask) -> set[str]:
    return {row[0] for row in ask("SELECT notice_id FROM tender_source WHERE source_code = 'doe'")}


def test_every_completed_day_is_read_and_the_watermark_is_the_last_of_them(simulator, crawl, ask):
    published = publish(simulator, range(4))
    run = crawl("doe", since=day(3), **NO_FILES)

    assert run.returncode == 0, run.stderr
    assert asked(simulator) == [(str(day(number)), "eforms", None) for number in (3, 2, 1, 0)]
    assert last_run(ask) == ("complete", "", 4, 12, 12, 0)
    assert stored(ask) == {notice.id for notices in published.values() for notice in notices}
    assert cursor(ask)["position"] is None
    assert cursor(ask)["watermark"].startswith(f"{YESTERDAY}T00:00:00+0")
    assert cursor(ask)["marks"] == {str(day(number)): '"version-1"' for number in range(4)}


def test_the_last_three_days_are_asked_for_again_and_cost_nothing_while_they_stand(simulator, crawl, ask):
    published = publish(simulator, range(4))
    assert crawl("doe", since=day(3), **NO_FILES).returncode == 0
    simulator.forget_requests()
    amended = [notice.edition(title=f"{notice.title} (verlängert)") for notice in published[1][:1]]
    simulator.doe.publish(day(1), [*published[1], *amended])

    assert crawl("doe", **NO_FILES).returncode == 0

    assert asked(simulator) == [(str(day(number)), "eforms", '"version-1"') for number in (2, 1, 0)]
    state, reason, pages, fetched, new, rejected = last_run(ask)
    assert (state, reason, pages, fetched, new, rejected) == ("complete", "", 3, 4, 0, 0)
    assert cursor(ask)["marks"][str(day(1))] == '"version-2"'
    ((title, versions),) = ask(
        "SELECT t.title, (SELECT count(*) FROM notice_version v WHERE v.tender_source_id = s.id)"
        " FROM tender_source s JOIN tender t ON t.id = s.tender_id WHERE s.notice_id = %s",
        amended[0].id,
    )
    assert (title, versions) == (amended[0].title, 2)


@pytest.mark.parametrize("order", [1, -1], ids=["in order", "reversed"])
def test_of_two_versions_of_one_instant_the_higher_stands_whatever_comes_last(simulator, crawl, ask, order):
    (first,) = invented_german_notices(1, day=YESTERDAY)
    second = first.edition(title="Zweite Fassung")
    for number, notice in zip((1, 0), [first, second][::order], strict=True):
        simulator.doe.publish(day(number), [notice])
    assert crawl("doe", since=day(1), **NO_FILES).returncode == 0
    assert ask("SELECT title FROM tender") == [("Zweite Fassung",)]


def test_a_day_that_is_not_ready_ends_a_complete_run_and_is_asked_for_next_time(simulator, crawl, ask):
    publish(simulator, [1])
    assert crawl("doe", since=day(1), **NO_FILES).returncode == 0
    assert last_run(ask)[:2] == ("complete", f"{YESTERDAY} is not published yet")
    assert cursor(ask)["watermark"].startswith(str(day(1)))

    published = publish(simulator, [0])
    assert crawl("doe", **NO_FILES).returncode == 0
    assert last_run(ask)[:2] == ("complete", "")
    assert {notice.id for notice in published[0]} <= stored(ask)


def test_today_is_not_published_yet(simulator, crawl, ask):
    assert crawl("doe", since=today(), **NO_FILES).returncode == 0
    assert last_run(ask)[:4] == ("complete", f"{today()} is not published yet", 1, 0)
    assert (cursor(ask)["position"], cursor(ask)["watermark"]) == (None, None)


def test_a_walk_does_not_read_past_until_or_before_the_service_began(simulator, crawl, ask):
    simulator.doe.publish(FIRST_DAY, invented_german_notices(1, day=FIRST_DAY))
    publish(simulator, [0, 1])
    assert crawl("doe", since="2022-11-01", until=FIRST_DAY, **NO_FILES).returncode == 0
    assert crawl("doe", since=day(1), until=day(1), **NO_FILES).returncode == 0
    assert [name for name, *_ in asked(simulator)] == [str(FIRST_DAY), str(day(1))]


def test_a_day_without_a_notice_is_a_day(simulator, crawl, ask):
    published = publish(simulator, [0, 2])
    simulator.doe.publish(day(1), [])
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 0
    assert last_run(ask)[:3] == ("complete", "", 3)
    assert stored(ask) == {notice.id for notices in published.values() for notice in notices}


def test_a_walk_cut_by_max_pages_goes_on_behind_the_days_that_it_read(simulator, crawl, ask):
    publish(simulator, range(3))
    assert crawl("doe", since=day(2), max_pages=1, **NO_FILES).returncode == 0
    assert (cursor(ask)["position"], last_run(ask)[2]) == (str(day(1)), 1)
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 0
    assert [name for name, *_ in asked(simulator)] == [str(day(number)) for number in (2, 1, 0)]


# --- what is broken costs only itself --------------------------------------------------------------------------------


def encrypted(body: bytes) -> bytes:
    """The archive with its first member marked as encrypted, in the directory and before its content."""
    marked = bytearray(body)
    marked[6] |= 1
    marked[marked.index(b"PK\x01\x02") + 8] |= 1
    return bytes(marked)


def damaged(body: bytes) -> bytes:
    """The archive with a byte of its first member's content changed."""
    spoilt = bytearray(body)
    start = body.index(b"ContractNotice") if b"ContractNotice" in body else 30 + body[26] + 60
    spoilt[start] ^= 0xFF
    return bytes(spoilt)


def first_of_directory(members):
    """The archive reads its members by name: the first of them is to be spoilt."""
    return sorted(members)


BROKEN = {
    "no XML": lambda members: packed([(members[0][0], b"<ContractNotice"), *members[1:]]),
    "another document": lambda members: packed([(members[0][0], b"<html/>"), *members[1:]]),
    "damaged": lambda members: damaged(packed(members)),
    "encrypted": lambda members: encrypted(packed(members)),
    "a bomb": lambda members: packed([(members[0][0], b" " * 20_000_000), *members[1:]]),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_member_costs_only_itself_and_holds_the_cursor(simulator, crawl, ask, kind):
    publish(simulator, [0, 2])
    members = first_of_directory(members_of(invented_german_notices(4, day=day(1))))
    simulator.doe.publish_body(day(1), BROKEN[kind](members))

    assert crawl("doe", since=day(2), **NO_FILES).returncode == 1

    lost = members[0][0].rpartition("-")[0]
    state, reason, *_ = last_run(ask)
    assert (state, f"1 member(s) cannot be read: {lost}" in reason) == ("incomplete", True)
    assert len(stored(ask)) == 3 + 3 + 3
    assert lost not in stored(ask)
    assert (cursor(ask)["position"], cursor(ask)["watermark"]) == (str(day(1)), None)
    assert set(cursor(ask)["marks"]) == {str(day(2)), str(YESTERDAY)}

    simulator.forget_requests()
    simulator.doe.publish_members(day(1), members)
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 0
    assert asked(simulator) == [(str(day(1)), "eforms", None), (str(YESTERDAY), "eforms", '"version-1"')]
    assert lost in stored(ask)
    assert cursor(ask)["watermark"].startswith(str(YESTERDAY))


def test_the_registration_of_a_company_is_left_out_and_holds_nothing(simulator, crawl, ask):
    notices = invented_german_notices(2, day=YESTERDAY)
    company = written(notices[0]).replace(b"ContractNotice", b"BusinessRegistrationInformationNotice")
    simulator.doe.publish_members(YESTERDAY, [(notices[0].member, company), *members_of(notices[1:])])
    assert crawl("doe", since=YESTERDAY, **NO_FILES).returncode == 0
    assert last_run(ask) == ("complete", "", 1, 2, 1, 1)
    assert set(cursor(ask)["marks"]) == {str(YESTERDAY)}


def test_names_of_members_lead_nowhere_and_doubles_are_editions(simulator, crawl, ask, tmp_path):
    notices = invented_german_notices(3, day=YESTERDAY)
    (_, one), (_, two), (_, three) = members_of(notices)
    later = written(notices[2].edition(title="Dritte, neu"))
    members = [("../../../etc/evil-01.xml", one), ("C:\\evil-01.xml", two), ("x-01.xml", three), ("x-01.xml", later)]
    with pytest.warns(UserWarning, match="Duplicate name"):
        simulator.doe.publish_members(YESTERDAY, [*members, ("folder/", b""), ("README.txt", b"hello")])
    assert crawl("doe", since=YESTERDAY, **NO_FILES).returncode == 0
    assert stored(ask) == {notice.id for notice in notices}
    assert ask("SELECT title FROM tender JOIN tender_source s ON s.tender_id = tender.id WHERE notice_id = %s",
               notices[2].id) == [("Dritte, neu",)]  # fmt: skip
    assert [path for path in tmp_path.rglob("*") if "evil" in path.name or path.suffix == ".part"] == []


TRUNCATED = {
    "cut": lambda body: body[: len(body) // 2],
    "text": lambda body: b"not acceptable",
    "nothing": lambda body: b"",
}


@pytest.mark.parametrize("kind", TRUNCATED)
def test_an_answer_that_is_no_whole_archive_costs_only_its_day(simulator, crawl, ask, kind):
    published = publish(simulator, [0, 2])
    notices = invented_german_notices(4, day=day(1))
    simulator.doe.publish_body(day(1), TRUNCATED[kind](packed(members_of(notices))))

    assert crawl("doe", since=day(2), **NO_FILES).returncode == 1

    assert last_run(ask)[0] == "incomplete"
    assert {notice.id for number in (0, 2) for notice in published[number]} <= stored(ask)
    salvaged = len(stored(ask) & {notice.id for notice in notices})
    assert 1 <= salvaged < 4 if kind == "cut" else salvaged == 0
    assert (cursor(ask)["position"], cursor(ask)["watermark"]) == (str(day(1)), None)
    assert len([name for name, form, _ in asked(simulator) if (name, form) == (str(day(1)), "eforms")]) == 4

    simulator.doe.publish(day(1), notices)
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 0
    assert {notice.id for notice in notices} <= stored(ask)


def test_an_archive_that_breaks_off_is_asked_for_again(simulator, crawl, ask):
    published = publish(simulator, [0])
    simulator.fault(EXPORTS_PATH, times=1, kind="half_close", share=0.5)
    simulator.fault(EXPORTS_PATH, times=1, kind="status", status=429, wait=1)
    assert crawl("doe", since=YESTERDAY, **NO_FILES).returncode == 0
    assert stored(ask) == {notice.id for notice in published[0]}
    assert len(asked(simulator)) == 3


def test_a_service_that_wants_rest_ends_the_walk_where_it_stands(simulator, crawl, ask):
    publish(simulator, range(3))
    simulator.fault(lambda request: request.parameters.get("pubDay") == str(day(1)), times=None, status=429, wait=4000)
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 1
    assert last_run(ask)[0] == "incomplete"
    assert cursor(ask)["position"] == str(day(1))
    assert ask("SELECT not_before > now() + interval '1 hour' FROM source WHERE code = 'doe'") == [(True,)]


# --- the other forms -------------------------------------------------------------------------------------------------


def test_what_is_broken_is_taken_from_the_other_forms(simulator, crawl, ask):
    notices = invented_german_notices(6, day=day(1))
    members = sorted(members_of(notices))
    order = sorted(notices, key=lambda notice: notice.member)
    simulator.doe.publish_members(day(1), [*((name, b"<x") for name, _ in members[:2]), *members[2:]])
    simulator.doe.publish_members(day(1), ocds_members(order[:1] + order[2:3]), "ocds")
    simulator.doe.publish_members(day(1), csv_members(order), "csv")
    publish(simulator, [0])

    assert crawl("doe", since=day(1), **NO_FILES).returncode == 1

    assert [form for name, form, _ in asked(simulator) if name == str(day(1))] == ["eforms", "ocds", "csv"]
    assert {notice.id for notice in notices} <= stored(ask)
    assert cursor(ask)["watermark"] is None
    deadlines = dict(
        ask("SELECT notice_id, deadline_at IS NULL FROM tender_source s JOIN tender t ON t.id = tender_id")
    )
    assert [deadlines[notice.id] for notice in order] == [True, True, False, False, False, False]

    simulator.doe.publish(day(1), notices)
    assert crawl("doe", since=day(1), **NO_FILES).returncode == 0
    assert ask("SELECT count(*) FROM tender WHERE deadline_at IS NULL") == [(0,)]


def test_a_day_without_its_eforms_archive_is_read_from_another_and_holds_the_cursor(simulator, crawl, ask):
    old = day(9)
    simulator.doe.publish_members(old, csv_members(invented_german_notices(5, day=old)), "csv")
    assert crawl("doe", since=old, until=old, **NO_FILES).returncode == 1
    assert last_run(ask)[:2] == ("incomplete", f"there is no eforms archive of {old}")
    assert len(stored(ask)) == 5
    assert (cursor(ask)["watermark"], cursor(ask)["position"]) == (None, None)


# --- one tender on two portals ----------------------------------------------------------------------------------------


def test_a_notice_that_ted_shows_too_is_one_tender(simulator, crawl, ask):
    twins = [twin_of(notice, issued=day(1)) for notice in simulator.ted.notices[:5]]
    simulator.doe.publish(YESTERDAY, twins)
    assert crawl("ted", since=day(60), **NO_FILES).returncode == 0
    assert crawl("doe", since=YESTERDAY, **NO_FILES).returncode == 0
    assert ask("SELECT count(*) FROM tender") == [(60,)]
    shared = ask(
        "SELECT array_agg(source_code ORDER BY source_code), min(t.ocid) FROM tender_source s"
        " JOIN tender t ON t.id = s.tender_id GROUP BY tender_id HAVING count(*) > 1 ORDER BY 2"
    )
    assert shared == [(["doe", "ted"], f"ocds-mnwr74-{folder}") for folder in sorted(twin.folder for twin in twins)]


def test_no_contact_person_reaches_the_database(simulator, crawl, ask):
    publish(simulator, [0])
    crawl("doe", since=YESTERDAY, **NO_FILES)
    everything = str(ask("SELECT snapshot::text, t::text FROM tender_source s JOIN tender t ON true"))
    assert [word for word in ("Kim Muster", "kim.muster", "+49 30 0000000") if word in everything] == []


def test_a_resumed_walk_that_ends_at_a_day_not_ready_has_read_the_days_before_it(simulator, crawl, ask):
    publish(simulator, [2, 1])
    assert crawl("doe", since=day(2), max_pages=2, **NO_FILES).returncode == 0
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 0
    assert cursor(ask)["watermark"].startswith(str(day(1)))


def test_a_young_day_that_is_missing_among_others_is_no_day_that_is_not_ready(simulator, crawl, ask):
    publish(simulator, [2, 0])
    assert crawl("doe", since=day(2), **NO_FILES).returncode == 1
    assert last_run(ask)[:2] == (
        "incomplete",
        f"there is no archive of {day(1)}, although there is one of {YESTERDAY}",
    )
    assert cursor(ask)["watermark"] is None
