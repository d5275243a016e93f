"""OCDS releases to notices: identity, texts, money, deadlines, status, buyers. Documents: test_ocds_documents.py."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ocds import order_editions, releases, to_notice
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Buyer, Notice, to_json

GUID = "5d0c1f3e-1111-4222-8333-944455556666"
OCID = "ocds-b5fd17-0a1b2c3d-1111-4222-8333-944455556666"
PROCEDURE = "aaaaaaaa-1111-4222-8333-944455556666"


def release(**members: Any) -> dict[str, Any]:
    """A Contracts Finder release; ``tender`` is merged in."""
    base: dict[str, Any] = {
        "ocid": OCID,
        "id": f"{GUID}-812345",
        "date": "2025-01-23T16:17:12Z",
        "tag": ["tender"],
        "language": "en",
        "tender": {"title": "Road repairs", "status": "active"},
        "buyer": {"id": "GB-CFS-1", "name": "Exampleshire Council"},
    }
    tender = base["tender"] | members.pop("tender", {})
    return base | {"tender": tender} | members


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[arg-type,misc]


# identity


def test_d1_a_release_without_id_is_numbered_by_its_notice_document() -> None:
    notice = to_notice(
        {
            "ocid": "ocds-h6vhtk-065444",
            "tag": ["contractAmendment"],
            "contracts": [{"documents": [{"id": "083674-2026", "format": "text/html"}]}],
        }
    )
    assert (notice.source_code, notice.notice_id) == ("find_a_tender", "083674-2026")
    assert notice.url == "https://www.find-tender.service.gov.uk/Notice/083674-2026"
    assert "None" not in json.dumps(to_json(notice))


def test_the_number_of_the_document_published_with_the_release_is_the_notices() -> None:
    documents = [
        {"id": "090000-2026", "datePublished": "2026-02-01T00:00:00Z"},
        {"id": "080000-2026", "datePublished": "2026-03-01T00:00:00Z"},
    ]
    this = {"ocid": "ocds-h6vhtk-065444", "date": "2026-03-01T00:00:00Z", "tender": {"documents": documents}}
    assert to_notice(this).notice_id == "080000-2026"
    assert to_notice(this | {"date": "2026-04-01T00:00:00Z"}).notice_id == "090000-2026"


def test_a_scottish_release_without_id_is_numbered_by_its_page() -> None:
    page = "https://www.publiccontractsscotland.gov.uk/search/show/search_view.aspx?ID=APR350001"
    notice = to_notice({"ocid": "ocds-r6ebe6-0000569951", "tender": {"documents": [{"url": page}]}})
    assert (notice.source_code, notice.notice_id, notice.url) == ("public_contracts_scotland", "APR350001", page)


def test_a_release_without_any_number_is_told_by_a_hash_of_its_content() -> None:
    this = {"ocid": "ocds-r6ebe6-1", "date": "2025-01-01", "tag": ["tender"], "tender": {"title": "A"}}
    first, again, other = to_notice(this), to_notice(dict(this)), to_notice(this | {"tender": {"title": "B"}})
    assert first.notice_id == again.notice_id != other.notice_id
    assert len(first.notice_id) == 40


def test_a_contracts_finder_notice_is_the_guid_without_its_edition() -> None:
    notice = to_notice(release(id=f"{GUID.upper()}-812345"))
    assert (notice.source_code, notice.notice_id, notice.ocid) == ("contracts_finder", GUID, OCID)
    assert notice.url == f"https://www.contractsfinder.service.gov.uk/Notice/{GUID}"


def test_an_id_that_holds_no_guid_is_kept_whole() -> None:
    assert to_notice(release(id="ocds-b5fd17-x-358876-award")).notice_id == "ocds-b5fd17-x-358876-award"
    assert to_notice(release(id=5)).notice_id == "5"


def test_a_source_code_may_be_given() -> None:
    assert to_notice(release(), source_code="sample:contracts_finder").source_code == "sample:contracts_finder"
    unknown = to_notice({"ocid": "ocds-zzzzzz-1", "id": "1", "tender": {}})
    assert (unknown.source_code, unknown.url) == ("ocds", None)


@pytest.mark.parametrize("document", [None, [], "x", 5, {}, {"ocid": "", "id": " "}, {"id": None, "tender": {}}])
def test_what_is_no_release_is_refused(document: Any) -> None:
    with pytest.raises(UnreadableDocumentError):
        to_notice(document)


# texts


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


# money


def test_d8_a_missing_currency_is_not_guessed() -> None:
    notice = to_notice(release(tender={"value": {"amount": 5000}}))
    assert (notice.value_amount, notice.value_currency, codes(notice)) == (Decimal(5000), None, ["currency_missing"])


def test_d9_zero_is_unknown() -> None:
    zero = {"amount": 0, "currency": "GBP"}
    notice = to_notice(release(tender={"value": zero, "minValue": zero}))
    assert (notice.value_amount, notice.value_min_amount, notice.value_currency) == (None, None, None)
    assert [(f.code, f.field) for f in notice.flags] == [
        ("value_zero", "value_amount"),
        ("value_zero", "value_min_amount"),
    ]


def test_d10_a_lower_bound_is_not_promoted() -> None:
    notice = to_notice(release(tender={"minValue": {"amount": 5000, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_min_amount, notice.value_currency) == (None, Decimal(5000), "GBP")


@pytest.mark.parametrize("written", [Decimal("118.10"), 118.1, "118.10"])
def test_an_amount_is_exact_in_whatever_form_it_comes(written: Any) -> None:
    notice = to_notice(release(tender={"value": {"amount": written, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_is_gross) == (Decimal("118.10"), None)


def test_an_amount_with_tax_only_is_marked_gross() -> None:
    notice = to_notice(release(tender={"value": {"amountGross": 120, "currency": "GBP"}}))
    assert (notice.value_amount, notice.value_is_gross, codes(notice)) == (Decimal(120), True, ["gross"])
    both = to_notice(release(tender={"value": {"amount": 100, "amountGross": 120, "currency": "GBP"}}))
    assert (both.value_amount, both.value_is_gross, both.flags) == (Decimal(100), False, [])
    assert to_notice(release(tender={"value": {"amountGross": 0, "currency": "GBP"}})).value_amount is None


@pytest.mark.parametrize("written", [" 000,", "about 5", True, [5], float("inf"), Decimal("1E+9999"), {"x": 1}])
def test_an_amount_that_is_no_number_is_flagged_and_the_release_kept(written: Any) -> None:
    notice = to_notice(release(tender={"value": {"amount": written, "currency": "GBP"}}))
    assert (notice.title, notice.value_amount, codes(notice)) == ("Road repairs", None, ["value_unreadable"])


def test_a_number_beyond_floats_in_the_json_text_is_flagged() -> None:
    text = json.dumps(release(tender={"value": {"amount": 1, "currency": "GBP"}})).replace(
        '"amount": 1', '"amount": 1e9999'
    )
    for document in (json.loads(text), json.loads(text, parse_float=Decimal)):
        assert codes(to_notice(document)) == ["value_unreadable"]


def test_values_of_lots_are_not_summed() -> None:
    lots = [{"id": str(n), "value": {"amount": 10, "currency": "GBP"}} for n in (1, 2)]
    assert to_notice(release(tender={"lots": lots})).value_amount is None
    assert to_notice(release(tender={"lots": lots, "value": {"amount": 15, "currency": "GBP"}})).value_amount == 15
    only = to_notice(release(tender={"lots": lots[:1]}))
    assert (only.value_amount, only.value_currency) == (Decimal(10), "GBP")


def test_bounds_in_two_currencies_do_not_mix() -> None:
    notice = to_notice(
        release(tender={"value": {"amount": 9, "currency": "GBP"}, "minValue": {"amount": 5, "currency": "EUR"}})
    )
    assert (notice.value_amount, notice.value_min_amount, codes(notice)) == (Decimal(9), None, ["currency_conflict"])


# deadlines and dates


@pytest.mark.parametrize(
    ("written", "at", "is_date", "zone"),
    [
        ("2025-02-14T17:00:00Z", utc(2025, 2, 14, 17), False, "Europe/London"),
        ("2025-04-14T23:59:59+01:00", utc(2025, 4, 14, 22, 59, 59), False, "Europe/London"),
        ("2026-07-15T12:00:00", utc(2026, 7, 15, 11), False, "Europe/London"),
        ("2025-07-07", utc(2025, 7, 7, 22, 59, 59), True, "Europe/London"),
        ("2025-01-07", utc(2025, 1, 7, 23, 59, 59), True, "Europe/London"),
    ],
)
def test_d11_a_deadline_is_an_instant_or_a_day(written: str, at: datetime, is_date: bool, zone: str) -> None:
    notice = to_notice(release(tender={"tenderPeriod": {"endDate": written}}))
    assert (notice.deadline_at, notice.deadline_is_date, notice.deadline_zone) == (at, is_date, zone)
    assert notice.deadline_kind == "tender"


def test_a_german_deadline_without_zone_is_local_to_berlin() -> None:
    notice = to_notice(
        release(ocid=f"ocds-mnwr74-{PROCEDURE}", tender={"tenderPeriod": {"endDate": "2026-07-15T12:00:00"}})
    )
    assert (notice.deadline_at, notice.deadline_zone) == (utc(2026, 7, 15, 10), "Europe/Berlin")


def test_the_earliest_lot_sets_the_deadline_when_the_tender_has_none() -> None:
    lots = [{"id": str(day), "tenderPeriod": {"endDate": f"2025-03-{day}T12:00:00Z"}} for day in (20, 18, 19)]
    notice = to_notice(release(tender={"lots": lots}))
    assert notice.deadline_at == utc(2025, 3, 18, 12)
    assert [lot.deadline_at for lot in notice.lots] == [utc(2025, 3, day, 12) for day in (20, 18, 19)]
    assert to_notice(release(tender={"lots": lots, "tenderPeriod": {"endDate": "2025-04-01"}})).deadline_is_date


@pytest.mark.parametrize("written", ["soon", "2025-02-30", "31/12/2025", 20250101, ["2025-01-01"]])
def test_a_deadline_that_cannot_be_read_is_flagged(written: Any) -> None:
    notice = to_notice(release(tender={"tenderPeriod": {"endDate": written}}))
    assert notice.deadline_at is None
    assert len(notice.flags) == 1
    assert notice.flags[0].field == "deadline_at"


def test_first_publication_and_edition_are_told_apart() -> None:
    notice = to_notice(release(date="2025-01-23T18:30:29Z", tender={"datePublished": "2025-01-16T14:26:39Z"}))
    assert (notice.published_at, notice.revised_at) == (utc(2025, 1, 16, 14, 26, 39), utc(2025, 1, 23, 18, 30, 29))
    assert to_notice(release()).published_at == utc(2025, 1, 23, 16, 17, 12)


def test_a_date_that_cannot_be_read_is_flagged() -> None:
    notice = to_notice(release(date="yesterday"))
    assert (notice.revised_at, notice.published_at, codes(notice)) == (None, None, ["date_unreadable"])


# editions


def test_d12_the_amendment_is_the_newer_edition_of_the_same_notice() -> None:
    page = {"id": "1", "url": f"https://www.contractsfinder.service.gov.uk/Notice/{GUID}", "format": "text/html"}
    file = {"id": "2", "url": f"https://www.contractsfinder.service.gov.uk/Notice/Attachment/{PROCEDURE}"}
    first = release(date="2025-01-23T16:17:12Z", tender={"documents": [page]})
    second = release(
        date="2025-01-23T16:23:58Z", id=f"{GUID}-812349", tag=["tenderAmendment"], tender={"documents": [page, file]}
    )
    tender, amendment = order_editions([to_notice(second), to_notice(first)])
    assert (tender.notice_type, amendment.notice_type) == ("tender", "tenderAmendment")
    assert strong_keys(tender) == strong_keys(amendment)
    assert len(amendment.attachments) == 1


def test_of_two_editions_of_one_instant_the_later_in_the_page_is_newer() -> None:
    one, two = to_notice(release(tag=["tender"])), to_notice(release(tag=["tenderUpdate"]))
    assert [n.notice_type for n in order_editions([one, two])] == ["tender", "tenderUpdate"]
    undated = to_notice(release(date=None, tag=["planning"]))
    assert order_editions([one, undated])[0] is undated


def test_d13_twin_notices_of_one_ocid_are_two_notices_of_one_procedure() -> None:
    one, two = to_notice(release()), to_notice(release(id=f"{PROCEDURE}-812346"))
    assert one.notice_id != two.notice_id
    assert one.url != two.url
    shared = set(strong_keys(one)) & set(strong_keys(two))
    assert {(key.kind, key.value) for key in shared} == {("ocid", OCID)}


# status and kind


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


# codes, places, lots


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


# buyers


def test_d18_a_german_buyer_is_named_without_looking_up_its_id() -> None:
    notice = to_notice(
        release(
            ocid=f"ocds-mnwr74-{PROCEDURE}",
            id=GUID,
            buyer={"name": "Stadt Muster", "id": "05111-05001-82", "identifier": {"id": "ORG-7001"}},
            parties=[
                {
                    "name": "Stadt Muster",
                    "id": "ORG-0001",
                    "identifier": {"id": "05111-05001-82"},
                    "roles": ["buyer"],
                    "address": {"countryName": "DEU", "locality": "Muster"},
                },
                {"name": "Vergabekammer", "id": "ORG-0002", "roles": ["reviewBody"]},
            ],
            tender={"id": PROCEDURE},
        )
    )
    assert notice.buyers == [Buyer("Stadt Muster", "05111-05001-82", "DE", "Muster")]
    assert (notice.buyer_name, notice.country) == ("Stadt Muster", "DE")
    assert (notice.procedure_id, notice.notice_uuid, notice.reference) == (PROCEDURE, GUID, None)


def test_a_telephone_number_is_no_identifier_of_a_buyer() -> None:
    for number in ("t:03012345678", "+49 30 12345678"):
        assert to_notice(release(buyer={"name": "Stadt Muster", "id": number})).buyers == [Buyer("Stadt Muster")]


def test_without_buyer_the_party_in_that_role_is_the_buyer_else_the_procuring_entity() -> None:
    parties = [
        {"name": "S", "roles": ["supplier"]},
        {"name": "B1", "roles": ["buyer"]},
        {"name": "B2", "roles": ["buyer"]},
    ]
    notice = to_notice(release(buyer=None, parties=parties, tender={"procuringEntity": {"name": "P"}}))
    assert (notice.buyer_name, [b.name for b in notice.buyers]) == ("B1", ["B1", "B2"])
    assert to_notice(release(buyer={}, tender={"procuringEntity": {"name": "P"}})).buyer_name == "P"
    assert to_notice(release(buyer={"name": "-"})).buyer_name is None


def test_the_country_is_the_publishers_or_the_buyers() -> None:
    assert to_notice(release()).country == "GB"
    unknown = release(ocid="ocds-zzzzzz-1", buyer={"name": "B", "address": {"countryName": "Deutschland"}})
    assert to_notice(unknown).country == "DE"
    assert to_notice(release(ocid=f"ocds-mnwr74-{PROCEDURE}")).country is None


# the rest


def test_d17_unknown_members_are_ignored_and_leave_no_flag() -> None:
    notice = to_notice(
        release(
            extensions=["https://extension.example/extension.json"],
            links=[{"rel": "canonical", "href": "https://api.example/1"}],
            xyz={"a": [1]},
            tender={"suitability": {"sme": True}, "xClassifications": {"a": 1}},
        )
    )
    assert notice.flags == []
    assert notice.links == []


def test_the_buyers_reference_is_kept_unless_it_repeats_the_ocid() -> None:
    assert to_notice(release(tender={"id": "LUTON001-DN753239"})).reference == "LUTON001-DN753239"
    assert to_notice(release(tender={"id": OCID})).reference is None
    assert to_notice(release(tender={"id": "ocds-kuma6s-1-tender-2"})).reference is None


def test_related_processes_are_kept_for_the_keys() -> None:
    process = {"id": "1", "relationship": ["planning"], "scheme": "ocid", "identifier": "298800-2026"}
    notice = to_notice(release(ocid=f"ocds-mnwr74-{PROCEDURE}", relatedProcesses=[process, {"id": "2"}]))
    assert ("oj_number", "298800-2026") in {(k.kind, k.value) for k in strong_keys(notice)}


def test_a_national_german_notice_keeps_its_number() -> None:
    notice = to_notice(
        {"ocid": "ocds-mnwr74-25641424", "id": "25641424", "tender": {"id": "25641424", "title": "Dach"}}
    )
    assert (notice.source_code, notice.notice_id, notice.procedure_id, notice.notice_uuid) == (
        "doe",
        "25641424",
        None,
        None,
    )
    assert notice.url == "https://oeffentlichevergabe.de/ui/de/search/details?noticeId=25641424"


def test_the_reason_of_an_amendment_is_kept() -> None:
    assert (
        to_notice(release(tender={"amendments": [{"rationale": "Deadline moved"}]})).change_reason == "Deadline moved"
    )


@pytest.mark.parametrize("member", ["tender", "buyer", "parties", "awards", "contracts", "planning"])
@pytest.mark.parametrize("value", ["x", 5, ["x"], True])
def test_a_member_of_the_wrong_type_is_flagged(member: str, value: Any) -> None:
    assert f"{member}_unreadable" in codes(to_notice(release() | {member: value}))


def test_the_releases_of_a_package_are_found() -> None:
    one = release()
    assert releases({"releases": [one, 5]}) == [one, 5]
    assert releases({"records": [{"releases": [one]}, {"releases": [one]}]}) == [one, one]
    assert releases(one) == [one]
    assert releases({"releases": []}) == releases({"releases": None}) == []


@pytest.mark.parametrize("package", [None, [], "x", {}, {"releases": {}}, {"records": [5]}])
def test_what_is_no_package_is_refused(package: Any) -> None:
    with pytest.raises(UnreadableDocumentError):
        releases(package)
