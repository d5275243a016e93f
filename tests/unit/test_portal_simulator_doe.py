"""The simulated German services answer as the real ones were observed to."""

from __future__ import annotations

import io
import zipfile
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
import requests

from portal_simulator.doe import today
from portal_simulator.doe_notices import invented_german_notices

if TYPE_CHECKING:
    from portal_simulator import PortalSimulator

DAY = today() - timedelta(days=1)


def ask(simulator: PortalSimulator, day: object, form: str = "eforms.zip", **headers: str) -> requests.Response:
    return requests.get(simulator.doe.url, {"pubDay": str(day), "format": form}, headers=headers, timeout=10)


@pytest.mark.parametrize(
    ("day", "status"), [(today(), 400), ("2022-11-30", 400), ("soon", 400), ("", 400), (DAY - timedelta(days=1), 404)]
)
def test_a_day_that_it_cannot_give_is_refused(simulator: PortalSimulator, day: object, status: int) -> None:
    assert ask(simulator, day).status_code == status


def test_a_day_has_an_etag_that_changes_with_it(simulator: PortalSimulator) -> None:
    notices = invented_german_notices(3, day=DAY)
    simulator.doe.publish(DAY, notices)
    first = ask(simulator, DAY)
    with zipfile.ZipFile(io.BytesIO(first.content)) as archive:
        assert archive.namelist() == [f"{notice.id}-01.xml" for notice in notices]
    tag = {"If-None-Match": first.headers["ETag"]}
    again = ask(simulator, DAY, **tag)
    assert (again.status_code, again.content) == (304, b"")
    simulator.doe.publish(DAY, notices[:1])
    assert ask(simulator, DAY, **tag).status_code == 200


def test_a_form_that_it_does_not_know_is_a_text_with_200(simulator: PortalSimulator) -> None:
    answer = ask(simulator, DAY, "xml")
    assert (answer.status_code, answer.text) == (200, "not acceptable")


def test_notices_are_the_same_for_the_same_arguments_and_every_third_is_national() -> None:
    one, two = (invented_german_notices(30, day=DAY) for _ in range(2))
    assert one == two
    assert len({notice.id for notice in one}) == 30
    assert sum(notice.id.isdecimal() for notice in one) == 10
