"""Lists, tenders, sources and runs of the HTTP API."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from jsonschema import Draft202012Validator

from services.radar import LATER, tender_notice
from tenderscrapy.items import Attachment, Buyer, Link, Lot
from webapp import contract

ROADS = tender_notice(
    1,
    "Road works on the ring road",
    description="Milling and resurfacing.",
    buyers=[Buyer("Exampleton Borough Council", "GB-1")],
    cpv=["45233120"],
    value_amount=Decimal("125000.50"),
    value_currency="GBP",
    lots=[Lot("LOT-0001", title="North", value_amount=Decimal(5))],
    links=[Link("https://buyer.example.org/tender/1", "documents")],
    attachments=[Attachment("https://docs.example.org/plan.pdf", filename="Plan.pdf")],
)


def assert_follows(schema: str, instance) -> None:
    document = contract.document()
    reference = {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    assert [error.message for error in Draft202012Validator(reference).iter_errors(instance)] == []


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=101", "limit=x", "limit=1&colour=red", "cursor=abc", "cursor=%00", "order=best", "status=done"],
)
def test_a_list_that_cannot_be_asked_for_is_refused(radar, query):
    answer = radar.get(f"tenders?{query}")

    assert answer.status_code == 400
    assert answer.json["errors"][0]["field"] in query


@pytest.mark.parametrize("order", ["newest", "deadline"])
def test_paging_shows_each_tender_once_while_others_arrive(radar, order):
    dates = [datetime(2026, 11, 1 + n // 3, tzinfo=UTC) for n in range(12)]
    notices = [
        tender_notice(n + 1, f"Tender {n}", published_at=dates[n], deadline_at=LATER + timedelta(days=n % 4))
        for n in range(12)
    ]
    notices[3].published_at = notices[4].published_at = None
    notices[5].deadline_at = notices[6].deadline_at = None
    radar.store(*notices)
    seen, cursor = [], ""
    while cursor is not None:
        page = radar.get(f"tenders?limit=5&order={order}&cursor={cursor}").json
        seen += [item["title"] for item in page["items"]]
        cursor = page["next_cursor"]
        radar.store(tender_notice(100 + len(seen), "Late", published_at=datetime(2027, 1, 1, tzinfo=UTC)))

    shown = [title for title in seen if title != "Late"]
    assert sorted(shown) == sorted(f"Tender {n}" for n in range(12))
    if order == "newest":
        assert "Late" not in seen
        assert set(shown[-2:]) == {"Tender 3", "Tender 4"}
    else:
        assert set(shown[-2:]) == {"Tender 5", "Tender 6"}


def test_a_cursor_of_another_order_is_refused(radar):
    radar.store(*(tender_notice(n, f"Tender {n}") for n in (1, 2)))
    cursor = radar.get("tenders?limit=1").json["next_cursor"]

    assert radar.get(f"tenders?limit=1&order=deadline&cursor={cursor}").status_code == 400


def test_a_tender_is_shown_with_everything(radar):
    [tender] = radar.publish(ROADS)
    changed = tender_notice(
        1,
        "Road works on the ring road",
        description="Milling and resurfacing.",
        deadline_at=LATER + timedelta(days=7),
        revised_at=datetime(2026, 11, 9, tzinfo=UTC),
    )
    radar.store(changed)

    answer = radar.get(f"tenders/{tender}").json

    assert_follows("TenderDetail", answer)
    assert [source["source_code"] for source in answer["sources"]] == ["ted"]
    newest, first = answer["versions"]
    assert first["first"]
    deadline = next(change for change in newest["changed"] if change["field"] == "deadline_at")
    assert deadline["old"]["deadline_at"] == LATER.isoformat().replace("+00:00", "Z")
    assert deadline["new"]["deadline_at"] == (LATER + timedelta(days=7)).isoformat().replace("+00:00", "Z")


def test_sources_that_disagree_are_shown_as_a_conflict(radar):
    procedure = "5f1c7a52-4a51-4d0f-8f3e-0d6f2b1c9a77"
    [tender, same] = radar.store(
        tender_notice(1, "Road works", procedure_id=procedure),
        tender_notice(
            2, "Road works", procedure_id=procedure, source_code="doe", deadline_at=LATER + timedelta(days=1)
        ),
    )

    answer = radar.get(f"tenders/{tender}").json

    assert tender == same
    assert set(answer["conflicts"]["deadline_at"]) == {"ted", "doe"}
    assert len(answer["sources"]) == 2
    assert answer["deadline_at"] == LATER.isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("wanted", ["00000000-0000-0000-0000-000000000000", "7", "x" * 300, "%00"])
def test_a_tender_that_is_not_there_is_404(radar, wanted):
    assert radar.get(f"tenders/{wanted}").status_code == 404


def test_an_id_that_was_joined_leads_on(radar):
    [tender] = radar.store(ROADS)
    old, older = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"
    radar.select("INSERT INTO tender_redirect (old_id, new_id) VALUES (%s, %s), (%s, %s)", older, old, old, tender)

    assert radar.get(f"tenders/{older}").json["id"] == tender


def test_sources_and_runs_are_listed(radar):
    radar.select("INSERT INTO source (code, platform, name) VALUES ('ted', 'ted', 'Tenders Electronic Daily')")
    radar.select(
        "INSERT INTO crawl_run (source_code, spider, state, fetched) SELECT 'ted', 'ted', 'complete', n"
        " FROM generate_series(1, 3) n"
    )
    radar.store(ROADS)

    [source] = radar.get("sources").json["items"]
    runs = radar.get("runs?limit=2").json
    older = radar.get(f"runs?limit=2&before={runs['next_before']}").json

    assert (source["code"], source["notices"], source["last_state"], source["poll_interval"]) == (
        "ted",
        1,
        "complete",
        21600,
    )
    assert [run["fetched"] for run in runs["items"] + older["items"]] == [3, 2, 1]
    assert older["next_before"] is None
