"""Notices into tables, against a real PostgreSQL."""

from __future__ import annotations

import json
import random
import threading
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import psycopg2
import pytest

from pipelines.validation import LONGEST_ADDRESS
from tenderscrapy.database.changes import refresh_tender
from tenderscrapy.database.committing import commit
from tenderscrapy.database.pool import connect
from tenderscrapy.items import Attachment, Key, Notice

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


def notice(number: str = "1-2026", *, source: str = "ted", keys: tuple[Key, ...] = (), **values) -> Notice:
    values = {"title": "Winter road service", "revised_at": NOON, "published_at": NOON, "status": "open"} | values
    own = Key("notice", f"{source}|{number}")
    return Notice(source, number, keys=[own, *keys], **values)


@pytest.fixture
def connection(database):
    connection = connect(database)
    yield connection
    connection.close()


def rows(connection, sql: str, *values) -> list[tuple]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall()


def count(connection, table: str) -> int:
    return rows(connection, f"SELECT count(*) FROM {table}")[0][0]


def test_a_new_notice_becomes_a_tender_with_source_version_key_decision_and_event(connection):
    file = Attachment("https://files.example/a.pdf", filename="a.pdf", media_type="application/pdf")
    assert commit(connection, [notice(attachments=[file], value_amount=Decimal("12.50"), cpv=["90620000"])]) == ["new"]

    (tender,) = rows(connection, "SELECT title, value_amount, cpv, index_status, length(content_hash) FROM tender")
    assert tender == ("Winter road service", Decimal("12.50"), ["90620000"], "pending", 64)
    tables = ("tender_source", "notice_version", "tender_key", "match_decision", "outbox", "attachment")
    assert [count(connection, table) for table in tables] == [1] * 6
    (payload,) = rows(connection, "SELECT payload ->> 'content_hash' = t.content_hash FROM outbox, tender t")
    assert payload == (True,)
    assert rows(connection, "SELECT status, filename, path FROM attachment") == [("pending", "a.pdf", None)]


def test_the_same_notice_again_changes_nothing(connection):
    commit(connection, [notice()])
    before = rows(connection, "SELECT content_hash, updated_at FROM tender")

    assert commit(connection, [notice()]) == ["unchanged"]

    assert rows(connection, "SELECT content_hash, updated_at FROM tender") == before
    assert count(connection, "outbox") == 1
    assert count(connection, "notice_version") == 1


def test_a_changed_notice_is_a_new_version_and_one_more_event(connection):
    commit(connection, [notice()])
    later = notice(title="Winter road service 2026/27", revised_at=NOON + timedelta(days=1))

    assert commit(connection, [later]) == ["changed"]

    assert rows(connection, "SELECT title, index_status FROM tender") == [("Winter road service 2026/27", "pending")]
    assert (count(connection, "notice_version"), count(connection, "outbox"), count(connection, "tender")) == (2, 2, 1)


def test_an_older_edition_that_arrives_later_is_history_only(connection):
    commit(connection, [notice(title="Second", revised_at=NOON + timedelta(days=1))])

    assert commit(connection, [notice(title="First")]) == ["unchanged"]
    assert commit(connection, [notice(title="First")]) == ["unchanged"]

    assert rows(connection, "SELECT title FROM tender") == [("Second",)]
    assert (count(connection, "notice_version"), count(connection, "outbox")) == (2, 1)


def test_two_editions_of_one_notice_in_one_batch_leave_the_newest_and_its_files(connection):
    tender = notice(attachments=[Attachment("https://x.example/1"), Attachment("https://x.example/2")])
    amendment = notice(
        title="Amended",
        revised_at=NOON + timedelta(minutes=6),
        attachments=[Attachment("https://x.example/1"), Attachment("https://x.example/3")],
    )

    assert commit(connection, [amendment, tender]) == ["new", "unchanged"]
    assert commit(connection, [amendment, tender]) == ["unchanged", "unchanged"]

    assert rows(connection, "SELECT title FROM tender") == [("Amended",)]
    urls = rows(connection, "SELECT source_url FROM attachment WHERE status = 'pending' ORDER BY 1")
    assert urls == [("https://x.example/1",), ("https://x.example/3",)]
    assert (count(connection, "outbox"), count(connection, "tender_source")) == (1, 1)
    assert count(connection, "notice_version") == 2


def test_notices_with_a_key_in_common_are_one_tender(connection):
    shared = Key("procedure_uuid", "8fe324e9-7ca3-4000-8000-000000000001")
    commit(connection, [notice(keys=(shared,))])

    outcome = commit(connection, [notice("9" * 8, source="doe", keys=(shared,), revised_at=NOON - timedelta(days=1))])

    assert outcome == ["new"]
    assert (count(connection, "tender"), count(connection, "tender_source")) == (1, 2)
    decisions = rows(connection, "SELECT class, key_kind FROM match_decision ORDER BY id")
    assert decisions == [("new", None), ("match", "procedure_uuid")]


def test_notices_of_one_batch_see_each_other(connection):
    shared = Key("ocid", "ocds-b5fd17-x")
    commit(connection, [notice(str(n), source="contracts_finder", keys=(shared,)) for n in range(5)])
    assert (count(connection, "tender"), count(connection, "tender_source")) == (1, 5)


def test_keys_of_two_tenders_are_left_to_a_person(connection):
    first, second = Key("ocid", "ocds-b5fd17-1"), Key("procedure_uuid", "8fe324e9-7ca3-4000-8000-000000000002")
    commit(connection, [notice("1-2026", keys=(first,)), notice("2-2026", keys=(second,))])

    commit(connection, [notice("3-2026", source="doe", keys=(first, second))])

    assert count(connection, "tender") == 2
    assert rows(connection, "SELECT class, key_kind FROM match_decision WHERE class = 'review'") == [("review", "ocid")]


def test_two_procedures_of_one_publisher_stay_two_though_both_name_an_earlier_notice(connection):
    earlier = Key("oj_number", "4711-2026")
    commit(connection, [notice("a", source="find_a_tender", keys=(Key("ocid", "ocds-h6vhtk-000001"), earlier))])
    commit(connection, [notice("b", source="find_a_tender", keys=(Key("ocid", "ocds-h6vhtk-000002"), earlier))])
    assert count(connection, "tender") == 2
    reviews = rows(
        connection, "SELECT key_kind FROM match_decision WHERE class = 'review' AND num_nulls(candidate_tender_id) = 0"
    )
    assert reviews == [("oj_number",)]


def test_ocids_of_two_publishers_say_nothing_against_a_shared_key(connection):
    shared = Key("procedure_uuid", "8fe324e9-7ca3-4000-8000-000000000003")
    commit(connection, [notice("a", source="doe", keys=(Key("ocid", "ocds-mnwr74-1"), shared))])
    commit(connection, [notice("b", source="find_a_tender", keys=(Key("ocid", "ocds-h6vhtk-000003"), shared))])
    assert count(connection, "tender") == 1


def test_the_earlier_deadline_of_two_sources_is_taken_and_the_conflict_kept(connection):
    shared = Key("ocid", "ocds-b5fd17-2")
    early, late = NOON + timedelta(days=20), NOON + timedelta(days=21)
    commit(connection, [notice(keys=(shared,), deadline_at=late)])
    commit(connection, [notice("d", source="doe", keys=(shared,), deadline_at=early)])

    ((deadline, conflicts),) = rows(connection, "SELECT deadline_at, conflicts FROM tender")
    assert deadline == early
    assert conflicts == {"deadline_at": {"doe": "2026-11-22T12:00:00Z", "ted": "2026-11-23T12:00:00Z"}}


def test_a_correction_by_the_same_source_moves_the_deadline_without_a_conflict(connection):
    shared = Key("ocid", "ocds-b5fd17-3")
    commit(connection, [notice(keys=(shared,), deadline_at=NOON + timedelta(days=20))])
    moved = NOON + timedelta(days=30)
    commit(connection, [notice("2-2026", keys=(shared,), deadline_at=moved, revised_at=NOON + timedelta(days=2))])
    assert rows(connection, "SELECT deadline_at, conflicts FROM tender") == [(moved, {})]


def test_an_award_keeps_the_deadline_and_sets_the_status(connection):
    shared = Key("ocid", "ocds-b5fd17-4")
    deadline = NOON + timedelta(days=20)
    commit(connection, [notice(keys=(shared,), deadline_at=deadline)])
    commit(connection, [notice("2-2026", keys=(shared,), status="awarded", revised_at=NOON + timedelta(days=40))])
    assert rows(connection, "SELECT deadline_at, status FROM tender") == [(deadline, "awarded")]


def test_a_notice_the_database_refuses_is_set_aside_and_the_rest_is_stored(connection):
    batch = [notice(str(n)) for n in range(7)]
    batch[3].title = "Stra\u0000ße"

    outcomes = commit(connection, batch)

    assert outcomes == ["new"] * 3 + ["quarantined"] + ["new"] * 3
    ((code, number, payload),) = rows(connection, "SELECT source_code, notice_id, payload FROM quarantine")
    assert (code, number, payload["title"]) == ("ted", "3", "Stra\ufffdße")
    assert count(connection, "tender") == 6


def test_lone_surrogates_are_set_aside_as_well(connection):
    assert commit(connection, [notice(title="a\ud800b"), notice("2-2026")]) == ["quarantined", "new"]


def test_a_notice_that_names_a_file_at_the_longest_address_is_stored(connection):
    head = "https://x.example/"
    noise = random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=LONGEST_ADDRESS - len(head))
    assert commit(connection, [notice(attachments=[Attachment(head + "".join(noise))])]) == ["new"]
    assert count(connection, "attachment") == 1


def test_what_comes_with_the_batch_is_rolled_back_with_it(connection):
    def fail(_connection):
        raise psycopg2.OperationalError("gone")

    with pytest.raises(psycopg2.OperationalError, match="gone"):
        commit(connection, [notice()], fail)
    assert count(connection, "tender") == 0


def test_a_file_that_is_no_longer_named_is_skipped_and_comes_back_as_pending(connection):
    one, two = Attachment("https://x.example/1"), Attachment("https://x.example/2")
    commit(connection, [notice(attachments=[one, two])])
    commit(connection, [notice(attachments=[one], revised_at=NOON + timedelta(days=1))])
    by_url = "SELECT status FROM attachment ORDER BY source_url"
    assert rows(connection, by_url) == [("pending",), ("skipped",)]
    commit(connection, [notice(attachments=[one, two], revised_at=NOON + timedelta(days=2))])
    assert rows(connection, by_url) == [("pending",), ("pending",)]


def test_a_ready_file_changes_the_hash_once_and_a_recrawl_does_not(connection):
    commit(connection, [notice(attachments=[Attachment("https://x.example/1")])])
    ((tender,),) = rows(connection, "SELECT id::text FROM tender")
    rows(
        connection,
        "UPDATE attachment SET status = 'ready', path = 'a', sha256 = 'b', size = 1 RETURNING id",
    )

    assert refresh_tender(connection, tender, "ted") is True
    assert refresh_tender(connection, tender, "ted") is False
    connection.commit()

    assert count(connection, "outbox") == 2
    assert commit(connection, [notice(attachments=[Attachment("https://x.example/1")])]) == ["unchanged"]
    changed = notice(attachments=[Attachment("https://x.example/1")], description="More", revised_at=NOON)
    commit(connection, [changed])
    assert refresh_tender(connection, tender, "ted") is False


def test_two_processes_with_the_same_tenders_make_one_of_each(database):
    def crawl(source: str, failures: list[BaseException]) -> None:
        connection = connect(database)
        try:
            shared = [Key("ocid", f"ocds-b5fd17-{n}") for n in range(500)]
            batch = [notice(str(n), source=source, keys=(key,)) for n, key in enumerate(shared)]
            if source == "doe":
                batch.reverse()
            for start in range(0, 500, 50):
                commit(connection, batch[start : start + 50])
        except BaseException as error:
            failures.append(error)
        finally:
            connection.close()

    failures: list[BaseException] = []
    threads = [threading.Thread(target=crawl, args=(source, failures)) for source in ("ted", "doe")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    connection = connect(database)
    per_tender = rows(connection, "SELECT count(*) FROM tender_source GROUP BY tender_id")
    assert (count(connection, "tender"), set(per_tender)) == (500, {(2,)})
    connection.close()


def test_the_snapshot_is_the_notice_as_json(connection):
    commit(connection, [notice(value_amount=Decimal("1E+3"))])
    ((snapshot,),) = rows(connection, "SELECT snapshot FROM tender_source")
    assert snapshot["value_amount"] == "1000"
    assert snapshot["published_at"] == "2026-11-02T12:00:00Z"
    assert json.dumps(snapshot).count("walk_page") == 0
