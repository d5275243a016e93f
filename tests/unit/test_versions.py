"""What readers are told of the editions of a notice."""

from __future__ import annotations

from datetime import UTC, datetime

from webapp.versions import changes


def version(day: int, source: int = 1, code: str = "ted", revised: int | None = None, **snapshot):
    return {
        "tender_source_id": source,
        "source_code": code,
        "notice_id": f"{source}-2026",
        "snapshot": snapshot,
        "seen_at": datetime(2026, 11, day, tzinfo=UTC),
        "revised_at": datetime(2026, 10, revised, tzinfo=UTC) if revised else None,
    }


def told(*versions):
    return [[(f.field, f.old, f.new) for f in change.fields] for change in changes(versions)]


def test_each_edition_is_compared_with_the_one_before_it_newest_first():
    assert told(version(1, title="A"), version(2, title="B"), version(3, title="C")) == [
        [("title", "B", "C")],
        [("title", "A", "B")],
        [],
    ]


def test_notices_of_two_sources_are_not_compared_with_each_other():
    found = changes([version(1, 1, title="A"), version(3, 1, title="B"), version(2, 2, "doe", title="Z")])

    assert [(c.notice_id, c.first, len(c.fields)) for c in found] == [
        ("1-2026", False, 1),
        ("2-2026", True, 0),
        ("1-2026", True, 0),
    ]


def test_editions_stand_in_the_order_they_were_published_in_whatever_was_read_first():
    found = changes([version(9, revised=1, title="A"), version(2, revised=5, title="B")])

    assert [(c.at.day, c.first, [(f.old, f.new) for f in c.fields]) for c in found] == [
        (5, False, [("A", "B")]),
        (1, True, []),
    ]


def test_a_later_notice_of_a_source_tells_what_differs_from_the_one_before_it():
    first, other = version(9, 1, revised=1, title="A", value_amount="5"), version(9, 3, revised=2, title="C")
    later = version(1, 2, revised=3, title="B", changes_notice="1-2026")

    found = changes([first, later, other])

    assert [(c.notice_id, c.follows, [(f.field, f.old, f.new) for f in c.fields]) for c in found] == [
        ("2-2026", "1-2026", [("title", "A", "B")]),
        ("3-2026", "1-2026", [("title", "A", "C")]),
        ("1-2026", None, []),
    ]


def test_of_a_list_only_what_went_and_what_came_is_told():
    assert told(version(1, cpv=["45", "71"]), version(2, cpv=["45", "72"]))[0] == [("cpv", ["71"], ["72"])]
    assert told(version(1, cpv=["45", "71"]), version(2, cpv=["71", "45"]))[0] == []
    assert told(version(1), version(2, attachments=[{"url": "https://e.org/a", "filename": "a.pdf"}]))[0] == [
        ("attachments", [], ["a.pdf"])
    ]


def test_a_lot_that_changed_inside_is_told_by_its_fields():
    before, after = {"id": "LOT-1", "title": "North"}, {"id": "LOT-1", "title": "North", "value_amount": "5"}

    assert told(version(1, lots=[before]), version(2, lots=[after]))[0] == [
        ("lots", [], ["LOT-1 changed: value amount"])
    ]


def test_a_deadline_keeps_what_is_needed_to_show_it():
    old = {"deadline_at": "2026-07-15T21:59:59Z", "deadline_is_date": True, "deadline_zone": "Europe/Berlin"}

    assert told(version(1, **old), version(2))[0] == [("deadline_at", old, None)]


def test_bookkeeping_of_the_crawl_is_not_told():
    assert told(version(1, flags=[{"code": "x"}], keys=[]), version(2, flags=[]))[0] == []
