"""`scrapy crawl doe` against a server that exports its days like the German publication service, and as badly."""

from __future__ import annotations

from datetime import timedelta

from portal_simulator.doe import EXPORTS_PATH, today
from portal_simulator.doe_notices import invented_german_notices

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
