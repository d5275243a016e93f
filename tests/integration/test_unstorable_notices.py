"""Values that no index takes, and people's addresses where codes were to be, against a real PostgreSQL."""

from __future__ import annotations

import random
from contextlib import closing

import pytest

from tenderscrapy.database.committing import commit, requeue
from tenderscrapy.database.pool import connect
from tenderscrapy.items import Attachment, Key, Notice
from tenderscrapy.normalise.privacy import MARK

#: Random, since a repetitive value is compressed below the limit.
TOO_LONG = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz012345", k=20_000))


def notice(number: str = "1-2026") -> Notice:
    return Notice("ted", number, title="Winter road service", keys=[Key("notice", f"ted|{number[:50]}")])


@pytest.mark.parametrize(
    "values",
    [
        {"notice_id": TOO_LONG},
        {"ocid": TOO_LONG},
        {"country": TOO_LONG},
        {"attachments": [Attachment(f"https://files.example/{TOO_LONG}")]},
    ],
    ids=lambda values: next(iter(values)),
)
def test_a_value_too_long_for_any_index_is_set_aside_and_never_stops_the_rest(database: str, values: dict) -> None:
    unstorable = notice("2-2026")
    for name, value in values.items():
        setattr(unstorable, name, value)
    with closing(connect(database)) as connection:
        assert commit(connection, [notice(), unstorable, notice("3-2026")]) == ["new", "quarantined", "new"]
        assert commit(connection, [unstorable]) == ["quarantined"]
        assert requeue(connection) == (0, 1)


def test_an_address_of_a_person_where_a_code_was_to_be_is_not_stored(database: str) -> None:
    found = notice()
    found.change_reason, found.title = "jo.muster@example.org", "Beete, 3 @ 5 EUR"
    with closing(connect(database)) as connection, connection.cursor() as cursor:
        commit(connection, [found])
        cursor.execute("SELECT snapshot FROM tender_source UNION ALL SELECT snapshot FROM notice_version")
        kept = [(snapshot["change_reason"], snapshot["title"]) for (snapshot,) in cursor]
    assert kept == [(MARK, "Beete, 3 @ 5 EUR")] * 2


def test_the_detail_of_a_flag_names_nobody() -> None:
    flag = notice().flag("deadline_unreadable", "deadline_at", "ask Mrs Doe, Tel. 01632 960471").flags[0]
    assert flag.detail == f"ask Mrs {MARK}, Tel. {MARK}"
