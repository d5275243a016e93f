"""Instants and deadlines: every spelling seen in TED, eForms, UK releases and German portals."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.normalise.dates import Deadline, deadline, german_deadline, instant


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-02T10:00:00+02:00", utc(2026, 10, 2, 8)),
        ("2026-10-02T10:00:00Z", utc(2026, 10, 2, 10)),
        ("2026-10-02T10:00:00-05:00", utc(2026, 10, 2, 15)),
        ("2026-10-02 10:00", utc(2026, 10, 2, 9)),
        ("2026-10-02t10:00:00z", utc(2026, 10, 2, 10)),
        ("2026-10-02T10:00:00+0200", utc(2026, 10, 2, 8)),
        ("2026-10-02T10:00:00+02", utc(2026, 10, 2, 8)),
        ("2023-05-30T11:25:29.0000000+03:00", utc(2023, 5, 30, 8, 25, 29)),
        ("2023-05-30T11:25:29.1234567+03:00", utc(2023, 5, 30, 8, 25, 29, 123456)),
        ("2023-05-30T11:25:29.5Z", utc(2023, 5, 30, 11, 25, 29, 500000)),
        ("2026-08-31+02:00", utc(2026, 8, 30, 22)),
        ("2026-12-31T24:00:00Z", utc(2027, 1, 1)),
        (" 2026-07-15T12:00:00 ", utc(2026, 7, 15, 11)),
        ("2026-12-15T12:00:00", utc(2026, 12, 15, 12)),
    ],
)
def test_an_instant_is_read_with_its_offset_or_in_london_time(text: str, expected: datetime) -> None:
    assert instant(text, "Europe/London") == expected
    assert instant(text, "Europe/London").tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-10-02T25:00:00Z",
        "2026-10-02T24:00:01Z",
        "2026-10-02T10:60:00Z",
        "2026-10-02T10:00:00+15:00",
        "2026-10-02T10:00:00+02:75",
        "0001-01-01T00:00:00+02:00",
        "9999-12-31T24:00:00Z",
        "٢٠٢٦-10-02T10:00:00Z",
        "02.10.2026 10:00",
    ],
)
def test_an_unreadable_instant_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        instant(text, "Europe/London")


def test_an_instant_without_offset_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="neither an offset nor a time zone"):
        instant("2026-07-15T12:00:00")


def test_separate_date_and_time_with_offset_make_one_instant() -> None:
    assert deadline("2026-07-15+02:00", "12:00:00+02:00") == Deadline(utc(2026, 7, 15, 10), False, "+02:00")
    assert deadline("2023-05-30+03:00", "10:00:00.000+03:00").at == utc(2023, 5, 30, 7)
    assert deadline("2023-05-30Z", "12:00:00Z") == Deadline(utc(2023, 5, 30, 12), False, "+00:00")
    assert deadline("2026-10-02T10:00:00+02:00", None).at == utc(2026, 10, 2, 8)


def test_the_offset_of_the_time_wins_over_that_of_the_date() -> None:
    assert deadline("2026-07-15Z", "12:00:00+02:00").at == utc(2026, 7, 15, 10)
    assert deadline("2026-07-15+02:00", "12:00").at == utc(2026, 7, 15, 10)


def test_the_zone_is_named_only_where_it_agrees_with_the_written_offset() -> None:
    assert deadline("2026-10-02+02:00", "10:00:00+02:00", "Europe/Warsaw").zone == "Europe/Warsaw"
    wrong_for_the_season = deadline("2026-11-20+02:00", "10:00:00+02:00", "Europe/Warsaw")
    assert wrong_for_the_season == Deadline(utc(2026, 11, 20, 8), False, "+02:00")
    assert deadline("2026-10-02-05:00", "10:00:00-05:00", "Europe/Paris").zone == "-05:00"
    assert deadline("2026-10-02+02:00", None, "No/Where").zone == "+02:00"


def test_a_date_alone_lasts_to_the_last_second_of_its_day_there() -> None:
    assert deadline("2026-08-10+02:00", None) == Deadline(utc(2026, 8, 10, 21, 59, 59), True, "+02:00")
    assert deadline("2026-12-15", "", "Europe/Berlin") == Deadline(utc(2026, 12, 15, 22, 59, 59), True, "Europe/Berlin")


def test_a_day_whose_end_is_moved_by_the_clocks_still_ends_with_it() -> None:
    assert deadline("2026-10-24", None, "Asia/Beirut").at == utc(2026, 10, 24, 21, 59, 59)  # 23:00 happens twice
    assert deadline("2026-04-23", None, "Africa/Cairo").at == utc(2026, 4, 23, 21, 59, 59)  # 00:00 does not exist


@pytest.mark.parametrize("text", ["15.07.2026, 24:00 Uhr", "15.07.2026 24:00", "15.07.26, 24:00", "15.7.2026 24 Uhr"])
def test_24_uhr_is_the_end_of_its_own_day(text: str) -> None:
    assert german_deadline(text) == Deadline(utc(2026, 7, 15, 22), False, "Europe/Berlin")


def test_24_o_clock_with_an_offset_is_the_end_of_its_own_day() -> None:
    assert deadline("2026-07-15+02:00", "24:00:00+02:00") == Deadline(utc(2026, 7, 15, 22), False, "+02:00")
    assert deadline("2026-07-15", "24:00", "Europe/Berlin").at == utc(2026, 7, 15, 22)


def test_24_o_clock_on_the_day_the_clocks_go_back_counts_the_longer_day() -> None:
    assert deadline("2026-10-25", "24:00", "Europe/Berlin").at == utc(2026, 10, 25, 23)


@pytest.mark.parametrize(
    ("text", "expected", "is_date"),
    [
        ("15.07.2026 12:00", utc(2026, 7, 15, 10), False),
        ("15.12.2026 12:00", utc(2026, 12, 15, 11), False),
        ("15.07.2026, 12:00 Uhr", utc(2026, 7, 15, 10), False),
        ("25.08.2026 um 10:00 Uhr", utc(2026, 8, 25, 8), False),
        ("15.07.2026 12.30 Uhr", utc(2026, 7, 15, 10, 30), False),
        ("15.07.2026\xa012:00:30", utc(2026, 7, 15, 10, 0, 30), False),
        ("29.01.26, 13:00", utc(2026, 1, 29, 12), False),
        ("15.07.2026", utc(2026, 7, 15, 21, 59, 59), True),
        (" 18.08.26 ", utc(2026, 8, 18, 21, 59, 59), True),
    ],
)
def test_a_german_deadline_is_local_to_berlin(text: str, expected: datetime, is_date: bool) -> None:
    assert german_deadline(text) == Deadline(expected, is_date, "Europe/Berlin")


@pytest.mark.parametrize(
    "text", ["31.9.2026", "nv", "", "15.07.2026 25:00", "15.07.2026 24:01", "15.07.2026 12", "2026-07-15"]
)
def test_an_impossible_german_date_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        german_deadline(text)


def test_british_times_without_zone_are_read_in_london() -> None:
    assert deadline("2026-07-15T12:00:00", None, "Europe/London").at == utc(2026, 7, 15, 11)


def test_a_time_that_never_happens_is_read_with_the_offset_before_the_change() -> None:
    assert german_deadline("29.03.2026 02:30").at == utc(2026, 3, 29, 1, 30)


def test_a_time_that_happens_twice_is_its_first_instant() -> None:
    assert german_deadline("25.10.2026 02:30").at == utc(2026, 10, 25, 0, 30)


@pytest.mark.parametrize(
    ("date", "time"), [("2026-10-02", None), ("x", None), ("2026-10-02Z", "noon"), ("2026-09-31Z", None)]
)
def test_an_unreadable_deadline_is_a_value_error(date: str, time: str | None) -> None:
    with pytest.raises(ValueError):
        deadline(date, time)


@given(st.text(max_size=30), st.none() | st.text(max_size=20), st.sampled_from([None, "Europe/Berlin", "x/../y", "\0"]))
def test_any_text_is_a_deadline_or_a_value_error(date: str, time: str | None, zone: str | None) -> None:
    with contextlib.suppress(ValueError):
        assert deadline(date, time, zone).at.tzinfo is UTC


@given(
    st.dates(min_value=datetime(1971, 1, 1, tzinfo=UTC).date()),
    st.sampled_from(["Europe/Berlin", "Europe/London", "Africa/Cairo"]),
)
def test_a_date_alone_is_still_that_day_in_its_zone(day: datetime, zone: str) -> None:
    if day.year < 9999:
        assert deadline(day.isoformat(), None, zone).at.astimezone(ZoneInfo(zone)).date() == day
