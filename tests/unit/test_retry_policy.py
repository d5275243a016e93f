"""How long to wait before a request is sent again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tenderscrapy.http.cooldown import Cooldown
from tenderscrapy.http.retry_policy import RetryPolicy, retry_after

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (b" 7 ", 7),
        ("86400", 86_400),
        ("0", 0),
        ("1.5", 1.5),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60),
        ("Monday, 30-Nov-26 12:01:00 GMT", 60),
        ("Mon Nov 30 12:01:00 2026", 60),
        ("Mon, 30 Nov 2026 13:01:00 +0100", 60),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("-1", None),
        ("soon", None),
        ("", None),
        (None, None),
        ("7 seconds", None),
        ("1e9", None),
        ("Mon, 99 Foo 2026", None),
        ("٧", None),
        ("9" * 18, 366 * 86_400),
        ("9" * 400, None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 366 * 86_400),
    ],
)
def test_retry_after_is_seconds_a_date_or_nothing(header: str | bytes | None, seconds: float | None) -> None:
    assert retry_after(header, NOW) == seconds


def test_a_date_is_not_undercut_when_our_clock_is_ahead_of_the_servers() -> None:
    served_at = "Mon, 30 Nov 2026 11:50:00 GMT"

    assert retry_after("Mon, 30 Nov 2026 11:55:00 GMT", NOW, served_at) == 300


def test_a_date_is_not_undercut_when_our_clock_is_behind() -> None:
    served_at = "Mon, 30 Nov 2026 12:10:00 GMT"

    assert retry_after("Mon, 30 Nov 2026 12:11:00 GMT", NOW, served_at) == 660


def test_the_back_off_doubles_up_to_its_limit_with_half_of_it_random() -> None:
    least = RetryPolicy(attempts=10, longest_wait=20, spread=lambda: 0.0)
    most = RetryPolicy(attempts=10, longest_wait=20, spread=lambda: 1.0)

    assert [most.wait(attempt) for attempt in range(1, 7)] == [1, 2, 4, 8, 16, 20]
    assert [least.wait(attempt) for attempt in range(1, 7)] == [0.5, 1, 2, 4, 8, 10]


def test_what_the_server_asks_for_is_never_undercut() -> None:
    policy = RetryPolicy(attempts=3)

    assert policy.wait(1, asked=300) == 300
    assert policy.wait(2, asked=0.001) > 0.5


def test_attempts_end() -> None:
    assert RetryPolicy(attempts=3).wait(2) is not None
    assert RetryPolicy(attempts=3).wait(3) is None
    assert RetryPolicy(attempts=1).wait(1, asked=5) is None


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.time = 1000.0

    def __call__(self) -> float:
        return self.time


def test_a_host_rests_as_long_as_it_was_told_to_and_others_do_not() -> None:
    clock = Clock()
    cooldown = Cooldown(clock)

    cooldown.extend("slow.example", 300)

    assert cooldown.remaining("slow.example") == 300
    assert cooldown.remaining("other.example") == 0
    clock.time += 299
    assert cooldown.resting() == ["slow.example"]
    clock.time += 1
    assert cooldown.remaining("slow.example") == 0
    assert cooldown.resting() == []


def test_a_rest_is_only_ever_made_longer() -> None:
    cooldown = Cooldown(Clock())

    cooldown.extend("a.example", 300)
    cooldown.extend("a.example", 5)

    assert cooldown.remaining("a.example") == 300
