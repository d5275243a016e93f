"""Texts, status, codes, places and lots of OCDS releases."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ocds_releases import PROCEDURE, codes, release

from tenderscrapy.formats.ocds import to_notice
from tenderscrapy.items import to_json


def test_d2_the_title_of_the_release_stands_in_without_a_flag() -> None:
    notice = to_notice(release(title="Analytical Testing RFI", tender={"title": None}))
    assert (notice.title, notice.flags) == ("Analytical Testing RFI", [])


def test_d3_entities_in_a_title_are_resolved_once() -> None:
    assert to_notice(release(tender={"title": "Transport for St Bede&apos;s"})).title == "Transport for St Bede's"
    assert to_notice(release(tender={"title": "&amp;lt;b&amp;gt;"})).title == "&lt;b&gt;"


def test_a_title_is_taken_from_the_description_and_said_to_be() -> None:
    text = "Repair of " + "roads and " * 20
    notice = to_notice(release(tender={"title": " ", "description": text}))
    assert notice.title is not None
    assert notice.title.startswith("Repair of roads and")
    assert notice.title.endswith("…")
    assert len(notice.title) <= 120
    assert codes(notice) == ["title_from_description"]


def test_a_title_is_never_invented() -> None:
    notice = to_notice(release(tender={"title": "<br/>"}))
    assert (notice.title, codes(notice)) == (None, ["title_missing"])


def test_a_title_that_is_no_text_is_flagged() -> None:
    assert codes(to_notice(release(tender={"title": {"en": "x"}}))) == ["title_unreadable", "title_missing"]


def test_a_legacy_description_is_made_plain() -> None:
    notice = to_notice(
        release(tender={"description": "The &#039;UK&#039; caf&eacute;\r\n\r\n  &lt;p&gt;next\xa0one&lt;/p&gt;"})
    )
    assert notice.description == "The 'UK' café\n\nnext one"


def test_characters_that_the_database_refuses_are_gone_from_every_text() -> None:
    bad = "Stra\x00ße \ud800x"
    notice = to_notice(
        release(
            tender={"title": bad, "description": bad, "lots": [{"id": "1", "title": bad}], "id": bad},
            buyer={"name": bad},
        )
    )
    assert (notice.title, notice.buyer_name, notice.lots[0].title) == ("Straße x",) * 3
    json.dumps(to_json(notice), ensure_ascii=False).encode()
    assert "\\u0000" not in json.dumps(to_json(notice))


@pytest.mark.parametrize(("written", "read"), [("en-GB", "en"), ("DEU", "de"), ("EN", "en"), (None, None), ("", None)])
def test_the_language_is_of_two_letters(written: str | None, read: str | None) -> None:
    assert to_notice(release(language=written)).title_lang == read


def test_contact_persons_are_not_kept() -> None:
    secret = {"name": "Jane Doe", "email": "jane.doe@example.org", "telephone": "+44 1234 567890"}
    notice = to_notice(
        release(
            buyer={"name": "Exampleshire Council", "contactPoint": secret},
            parties=[{"name": "Exampleshire Council", "roles": ["buyer"], "contactPoint": secret}],
            tender={
                "description": "Contact: Jane Doe, jane.doe@example.org, tel. 01234 567890",
                "lots": [{"id": "1", "description": "Ask jane.doe@example.org"}],
                "documents": [{"url": "mailto:jane.doe@example.org"}],
                "value": "Tel. 01234 567890",
            },
        )
    )
    text = json.dumps(to_json(notice))
    assert "Jane" not in text
    assert "jane" not in text
    assert "567890" not in text


@pytest.mark.parametrize(
    ("tag", "status", "read"),
    [
        (["tender"], "active", "open"),
        (["tenderAmendment"], "active", "open"),
        (["tender"], None, "open"),
        (["planning"], "planning", "planned"),
        (["planning"], "planned", "planned"),
        (["planning"], None, "planned"),
        (["award"], "complete", "awarded"),
        (["award", "contract"], "active", "awarded"),
        (["contractAmendment"], None, "awarded"),
        (["tender"], "complete", "awarded"),
        (["tenderCancellation"], "withdrawn", "cancelled"),
        (["tenderCancellation"], None, "cancelled"),
        (["tender"], "cancelled", "cancelled"),
        (["tender"], "Unsuccessful", "cancelled"),
        ("tender", "active", "open"),
        ([], None, None),
    ],
)
def test_the_status_follows_tag_and_tender_status(tag: Any, status: str | None, read: str | None) -> None:
    notice = to_notice(release(tag=tag, tender={"status": status}))
    assert (notice.status, notice.flags) == (read, [])


def test_an_unknown_status_is_flagged() -> None:
    notice = to_notice(release(tender={"status": "paused"}))
    assert (notice.status, codes(notice)) == ("open", ["status_unknown"])


def test_an_award_that_a_german_export_labels_as_a_call_is_an_award() -> None:
    title = "Vergebener Auftrag: Neubau"
    assert to_notice(release(ocid=f"ocds-mnwr74-{PROCEDURE}", tender={"title": title})).status == "awarded"
    assert to_notice(release(tender={"title": title})).status == "open"


def test_the_kind_of_notice_is_all_its_tags() -> None:
    notice = to_notice(release(tag=["award", "contract"], tender={"procurementMethod": "open"}))
    assert (notice.notice_type, notice.procedure_type) == ("award,contract", "open")


def test_procedure_details_that_say_nothing_are_left_out() -> None:
    assert "procedure_details" not in to_notice(release(tender={"procurementMethodDetails": ""})).extra
    assert to_notice(release(tender={"procurementMethodDetails": "Other - "})).extra["procedure_details"] == "Other"


def test_cpv_codes_come_from_the_tender_its_items_and_the_awards() -> None:
    notice = to_notice(
        release(
            tender={
                "classification": {"scheme": "CPV", "id": "45000000-7"},
                "additionalClassifications": [{"scheme": "CPV", "id": "09310000"}, {"scheme": "UNSPSC", "id": "1"}],
                "items": [
                    {"classification": {"id": 45210000}, "additionalClassifications": [{"scheme": "CPV", "id": "45"}]}
                ],
            },
            awards=[{"items": [{"classification": {"scheme": "CPV", "id": "71000000"}}]}],
        )
    )
    assert notice.cpv == ["45000000", "09310000", "45210000", "71000000"]


def test_a_cpv_code_that_cannot_be_read_is_flagged() -> None:
    notice = to_notice(release(tender={"classification": {"scheme": "CPV", "id": "roads"}}))
    assert (notice.cpv, codes(notice)) == ([], ["cpv_unreadable"])


def test_places_of_delivery_are_regions_countries_or_words() -> None:
    addresses = [
        {"region": "UKJ14", "countryName": "United Kingdom"},
        {"region": "England", "countryName": "United Kingdom"},
        {"countryName": "Channel Islands"},
        {"region": "FRA10", "country": "FR"},
    ]
    notice = to_notice(
        release(tender={"items": [{"deliveryAddresses": addresses, "deliveryAddress": {"region": "ukj14"}}]})
    )
    assert notice.nuts == ["UKJ14", "FRA10"]
    assert notice.performance_countries == ["GB", "FR"]
    assert notice.extra["delivery_regions"] == ["England", "Channel Islands"]
    assert notice.country == "GB"


def test_lots_have_their_own_codes_and_values() -> None:
    notice = to_notice(
        release(
            tender={
                "lots": [{"id": "LOT-0001", "title": "A &amp; B", "description": None}, {"title": "C"}],
                "items": [
                    {
                        "relatedLot": "LOT-0001",
                        "classification": {"id": "45000000"},
                        "deliveryAddress": {"region": "DE409"},
                    },
                    {"relatedLot": "2", "classification": {"id": "71000000"}},
                ],
            }
        )
    )
    assert [(lot.id, lot.title, lot.cpv, lot.nuts) for lot in notice.lots] == [
        ("LOT-0001", "A & B", ["45000000"], ["DE409"]),
        ("2", "C", ["71000000"], []),
    ]
