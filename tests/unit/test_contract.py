"""The contract of tender.changed.v1."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest

from tenderscrapy.exceptions import MessageError
from tenderscrapy.messaging.contract import MAX_BYTES, decode, encode, tender_changed, validate

TENDER = uuid4()


def test_a_new_event_follows_its_own_contract():
    event = tender_changed(TENDER, "abc", "ted")
    assert validate(event) is event
    assert {name: event[name] for name in ("event_type", "tender_id", "content_hash", "source_code")} == {
        "event_type": "tender.changed.v1",
        "tender_id": str(TENDER),
        "content_hash": "abc",
        "source_code": "ted",
    }
    assert event["occurred_at"].endswith("Z")


def test_two_events_of_one_change_have_different_ids():
    assert tender_changed(TENDER, "a", "ted")["event_id"] != tender_changed(TENDER, "a", "ted")["event_id"]


def test_a_body_comes_back_as_it_went():
    event = tender_changed(TENDER, "abc", "sample:doe")
    assert decode(encode(event)) == event


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"tender_id": "17"}, "tender_id"),
        ({"event_id": 5}, "event_id"),
        ({"event_type": "tender.changed.v2"}, "event_type"),
        ({"occurred_at": "yesterday"}, "occurred_at"),
        ({"occurred_at": "2026-07-15T12:00:00"}, "occurred_at"),
        ({"content_hash": ""}, "content_hash"),
        ({"title": "a document"}, "title"),
    ],
)
def test_an_offending_part_is_named(change, named):
    with pytest.raises(MessageError, match=named):
        validate(tender_changed(TENDER, "abc", "ted") | change)


@pytest.mark.parametrize(
    "body", [b"not json", b"", b"{}", b"[]", b"5", b"\xff\xfe", b'"text"', b"[" * 10_000, b"x" * 5_000_000]
)
def test_a_body_that_is_no_event_is_refused(body):
    with pytest.raises(MessageError):
        decode(body)


def test_a_body_too_large_is_not_even_parsed():
    event = tender_changed(TENDER, "abc", "ted")
    padded = json.dumps(event).encode() + b" " * MAX_BYTES
    with pytest.raises(MessageError, match="bytes"):
        decode(padded)


def test_nothing_against_the_contract_is_sent():
    with pytest.raises(MessageError):
        encode({"tender_id": str(TENDER)})
