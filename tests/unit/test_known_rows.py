"""A row of a list laid over the notice that is stored: what it says counts, what it does not say stays."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from spiders.known_rows import NOT_READ, row_is_the_same, with_row
from tenderscrapy.items import Attachment, Notice

NOON = datetime(2026, 9, 28, 10, 0, tzinfo=UTC)
END_OF_DAY = datetime(2026, 9, 28, 21, 59, 59, tzinfo=UTC)
LATER = datetime(2026, 10, 5, 10, 0, tzinfo=UTC)


def notice(**values: object) -> Notice:
    made = Notice("netserver:town", "54321-NetTender-1-1", title="Neubau", extra={"list_row": "a"})
    for name, value in values.items():
        setattr(made, name, value)
    return made


def test_what_the_row_says_counts_and_the_rest_stays() -> None:
    stored = notice(description="Text", buyer_name="Stadt", attachments=[Attachment("https://x.example/a.pdf")])
    stored.flag(NOT_READ, "", "login").flag("value_unreadable", "value_amount")
    row = notice(title="Neubau, geändert", extra={"list_row": "b"}, walk_page=3)

    together = with_row(stored, row)

    assert (together.title, together.description, together.buyer_name) == ("Neubau, geändert", "Text", "Stadt")
    assert (together.extra["list_row"], together.walk_page) == ("b", 3)
    assert [file.url for file in together.attachments] == ["https://x.example/a.pdf"]
    assert [flag.code for flag in together.flags] == ["value_unreadable"]


@pytest.mark.parametrize(
    ("stored", "row", "stands"),
    [
        ((NOON, False), (None, False), (NOON, False)),
        ((END_OF_DAY, True), (None, False), (END_OF_DAY, True)),
        ((NOON, False), (LATER, False), (LATER, False)),
        ((NOON, False), (END_OF_DAY, True), (NOON, False)),
        ((LATER, False), (END_OF_DAY, True), (END_OF_DAY, True)),
        ((END_OF_DAY, True), (NOON, False), (NOON, False)),
        ((None, False), (END_OF_DAY, True), (END_OF_DAY, True)),
    ],
)
def test_a_deadline_keeps_its_hour_unless_the_day_moves(stored, row, stands) -> None:
    before = notice(deadline_at=stored[0], deadline_is_date=stored[1], deadline_zone="Europe/Berlin")
    now = notice(deadline_at=row[0], deadline_is_date=row[1], deadline_zone="Europe/Berlin")
    together = with_row(before, now)
    assert (together.deadline_at, together.deadline_is_date) == stands


def test_a_row_without_a_digest_is_never_the_same() -> None:
    assert row_is_the_same(notice(), notice())
    assert not row_is_the_same(notice(), notice(extra={"list_row": "b"}))
    assert not row_is_the_same(notice(extra={}), notice(extra={}))
