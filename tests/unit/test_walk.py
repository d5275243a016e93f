"""What a walk begins with."""

from __future__ import annotations

from datetime import date

import pytest

from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.sources.walk import Cursor, WalkArguments, plan, walk_hash

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("since", "30.11.2026"),
        ("since", "2026-02-30"),
        ("until", "tomorrow"),
        ("since", "20261130"),
        ("max_pages", "0"),
        ("max_pages", "-3"),
        ("max_pages", "many"),
    ],
)
def test_a_bad_argument_is_named_with_its_value(name, value):
    with pytest.raises(ConfigurationError, match=f"{name}='{value}'"):
        WalkArguments.parse(**{name: value})


def test_a_window_without_a_day_is_refused():
    with pytest.raises(ConfigurationError, match="since=2026-11-30 lies after until=2026-11-01"):
        WalkArguments.parse("2026-11-30", "2026-11-01")


def test_the_first_walk_reads_the_last_days():
    walk = plan(WalkArguments(), Cursor(), first_days=7, today=TODAY)
    assert (walk.since, walk.until, walk.position) == (date(2026, 11, 23), None, None)


def test_an_incremental_walk_begins_at_the_day_of_the_watermark_where_the_source_is():
    stored = Cursor(watermark="2026-11-19T23:00:00+00:00")
    assert plan(WalkArguments(), stored, zone="Europe/Brussels", today=TODAY).since == date(2026, 11, 20)
    assert plan(WalkArguments(), stored, zone="UTC", today=TODAY).since == date(2026, 11, 19)


def test_days_that_the_source_still_changes_are_read_again_but_none_after_until():
    stored = Cursor(watermark="2026-11-19T23:00:00+00:00")
    given = {"zone": "Europe/Berlin", "overlap": 2, "today": TODAY}
    assert plan(WalkArguments(), stored, **given).since == date(2026, 11, 18)
    assert plan(WalkArguments(until=date(2026, 11, 5)), stored, **given).since == date(2026, 11, 5)


def stopped(**values) -> Cursor:
    since = date(2026, 11, 1)
    known = {"position": "token", "watermark": "2026-10-31T00:00:00+00:00", "since": since.isoformat(), "fetched": 250}
    return Cursor(walk=walk_hash(None, (), since, None), **known | values)


def test_a_stopped_walk_is_resumed_on_a_later_day_too():
    walk = plan(WalkArguments(), stopped(), today=TODAY)
    assert (walk.position, walk.since, walk.cursor.fetched) == ("token", date(2026, 11, 1), 250)


def test_a_stopped_walk_with_the_same_explicit_since_is_resumed():
    assert plan(WalkArguments(since=date(2026, 11, 1)), stopped(), today=TODAY).position == "token"


@pytest.mark.parametrize(
    "arguments",
    [
        WalkArguments(since=date(2026, 11, 2)),
        WalkArguments(until=date(2026, 11, 3)),
        WalkArguments(query="buyer-country=DEU"),
    ],
)
def test_another_question_begins_anew_and_keeps_the_watermark(arguments):
    walk = plan(arguments, stopped(), today=TODAY)
    assert (walk.position, walk.cursor.watermark, walk.cursor.fetched) == (None, "2026-10-31T00:00:00+00:00", 0)


def test_other_fields_make_a_position_useless():
    assert plan(WalkArguments(), stopped(), fields=("publication-number",), today=TODAY).position is None


def test_a_completed_walk_with_an_explicit_since_starts_again():
    stored = Cursor(watermark="2026-11-20T00:00:00+00:00", walk=walk_hash(None, (), date(2026, 11, 1), None))
    walk = plan(WalkArguments(since=date(2026, 11, 1)), stored, today=TODAY)
    assert (walk.since, walk.position) == (date(2026, 11, 1), None)


def test_the_stored_form_reads_back_and_ignores_unknown_names():
    cursor = stopped()
    assert Cursor.from_stored(cursor.to_stored() | {"colour": "blue"}) == cursor
    assert Cursor.from_stored(None) == Cursor()
