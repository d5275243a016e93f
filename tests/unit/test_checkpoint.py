"""The cursor moves exactly as far as everything before it is settled."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.sources.checkpoint import Checkpoint, Position


def settle(checkpoint, *pages):
    """Settle one notice of each page, as a transaction does: preview, commit, settle."""
    position = checkpoint.preview(list(pages))
    checkpoint.settle(list(pages), position)
    return position


def test_a_page_moves_the_cursor_once_its_last_notice_is_settled():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 2, "b")
    assert checkpoint.preview([0]) is None
    settle(checkpoint, 0)
    assert settle(checkpoint, 0) == Position("b", 2, last=False, page=1)


def test_a_later_page_waits_for_an_earlier_one():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b")
    checkpoint.announce(1, 1, "c")
    assert checkpoint.preview([1]) is None
    settle(checkpoint, 1)
    assert settle(checkpoint, 0) == Position("c", 2, last=False, page=2)


def test_an_empty_last_page_moves_the_cursor_without_a_notice():
    checkpoint = Checkpoint(fetched=7)
    checkpoint.announce(0, 0, None, last=True)
    assert checkpoint.preview([]) == Position(None, 7, last=True, page=1)


def test_an_empty_page_that_is_announced_during_a_commit_still_gets_its_own():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b")
    position = checkpoint.preview([0])
    checkpoint.announce(1, 0, None, last=True)
    checkpoint.settle([0], position)
    assert checkpoint.unsettled == 1
    assert settle(checkpoint) == Position(None, 1, last=True, page=2)
    assert checkpoint.unsettled == 0


def test_a_held_page_stops_the_cursor_but_not_the_walk():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b", mark={"a": "1"})
    checkpoint.announce(1, 1, "c", mark={"b": "2"})
    checkpoint.hold(0)
    assert checkpoint.marks([0, 1]) == {"b": "2"}
    assert settle(checkpoint, 0, 1) is None
    assert not checkpoint.blocked
    assert (checkpoint.unsettled, checkpoint.at_work) == (2, 0)


def test_pages_behind_one_that_is_lost_pile_up():
    checkpoint = Checkpoint()
    for page in range(3):
        checkpoint.announce(page, 1, page)
    checkpoint.fail(0)
    settle(checkpoint, 1, 2)
    assert (checkpoint.at_work, checkpoint.blocked) == (3, True)


def test_a_mark_is_due_with_the_last_notice_of_its_page_whatever_comes_before():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b", mark={"a": "1"})
    checkpoint.announce(1, 2, "c", mark={"b": "2"})
    assert checkpoint.marks([1]) == {}
    settle(checkpoint, 1)
    assert checkpoint.marks([1]) == {"b": "2"}
    checkpoint.settle([1], None, {"a": "1"})
    assert checkpoint.marks([]) == {"b": "2"}
    checkpoint.settle([], None, {"a": "1", "b": "2"})
    assert checkpoint.marks([]) == {}


def test_a_page_without_a_count_stays_open_until_it_is_closed():
    checkpoint = Checkpoint()
    checkpoint.announce(0, None, "b", mark={"a": "1"})
    settle(checkpoint, 0, 0)
    assert (checkpoint.preview([]), checkpoint.marks([]), checkpoint.at_work) == (None, {}, 1)
    checkpoint.close(0, 2)
    assert checkpoint.marks([]) == {"a": "1"}
    assert settle(checkpoint) == Position("b", 2, last=False, page=1)


def test_the_last_settled_page_with_a_watermark_of_its_own_names_it():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b", watermark="2026-11-29")
    checkpoint.announce(1, 1, None, last=True)
    assert settle(checkpoint, 0, 1) == Position(None, 2, last=True, page=2, watermark="2026-11-29")


def test_a_failed_page_stops_the_cursor_for_good():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 1, "b")
    checkpoint.announce(1, 1, "c")
    checkpoint.fail(0)
    assert settle(checkpoint, 0, 1) is None
    assert checkpoint.preview([]) is None
    assert checkpoint.blocked


def test_a_restarted_walk_counts_its_notices_from_its_first_page():
    checkpoint = Checkpoint(fetched=500)
    checkpoint.announce(0, 10, "b")
    settle(checkpoint, *[0] * 10)
    checkpoint.restart(1)
    checkpoint.announce(1, 3, "b")
    assert checkpoint.preview([1, 1, 1]) == Position("b", 3, last=False, page=2)


def test_the_last_arrival_of_a_page_is_told_once():
    checkpoint = Checkpoint()
    checkpoint.announce(0, 2, None)
    assert [checkpoint.arrive(0), checkpoint.arrive(0), checkpoint.arrive(None), checkpoint.arrive(9)] == [
        False,
        True,
        False,
        False,
    ]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.randoms())
def test_in_any_order_of_settling_the_cursor_never_stands_past_an_unsettled_page(counts, random):
    checkpoint = Checkpoint()
    open_notices = []
    for page, count in enumerate(counts):
        checkpoint.announce(page, count, page + 1)
        open_notices += [page] * count
    random.shuffle(open_notices)
    while open_notices:
        page = open_notices.pop()
        position = settle(checkpoint, page)
        if position is not None:
            assert all(later >= position.next_cursor for later in open_notices)
            assert position.fetched == sum(counts[: position.next_cursor])
    assert settle(checkpoint) is None or not counts[-1]
    assert checkpoint.unsettled == 0
