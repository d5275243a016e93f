"""What is told of lots, and of codes."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from webapp import create_app
from webapp.code_names import code_name
from webapp.lots import told_lots
from webapp.tenders import Tender

DEADLINE = datetime(2036, 7, 15, 10, tzinfo=UTC)


def of(*lots: dict[str, Any]) -> list[tuple[str, str, str, list[str]]]:
    row = {"title": "Bridge", "description": "A bridge of  steel.", "cpv": ["45221000"], "nuts": ["DE21H"]}
    row |= {"lots": list(lots), "value_amount": Decimal(9000), "deadline_at": DEADLINE, "deadline_zone": "UTC"}
    with create_app({"DATABASE_URL": "postgresql://127.0.0.1:9/none"}).test_request_context():
        return [(lot.id, lot.title, lot.description, lot.facts) for lot in told_lots(Tender("1", row))]


def test_a_single_lot_that_repeats_the_tender_is_not_told():
    repeated = {"title": "bridge", "description": "A bridge of steel.", "value_amount": "9000.00", "nuts": ["DE21H"]}

    assert of({"id": "LOT-0001", "deadline_at": DEADLINE.isoformat(), "cpv": ["45221000"], **repeated}) == []


def test_of_a_single_lot_only_what_is_new_is_told():
    lot = {"id": "LOT-0001", "title": "Bridge", "description": "The piers.", "cpv": ["45221000", "45262000"]}

    assert of(lot) == [("LOT-0001", "", "The piers.", ["CPV 45262000"])]


def test_of_several_lots_those_with_details_are_told_with_their_values():
    north = {"id": "LOT-0001", "title": "North", "value_amount": 9000, "value_currency": "PLN"}

    assert of(north, {"id": "LOT-0002"}) == [("LOT-0001", "North", "", ["PLN\xa09,000"])]


@pytest.mark.parametrize(
    ("code", "field", "name"),
    [
        ("cn-standard", "notice_type", "Contract notice"),
        ("award,contract", "notice_type", "Award, Contract"),
        ("neg-w-call", "procedure_type", "Negotiated, with a call for competition"),
        ("a-new-code", "notice_type", "a-new-code"),
        ("open", "title", "open"),
    ],
)
def test_the_usual_codes_have_names_and_others_stay(code, field, name):
    assert code_name(code, field) == name
