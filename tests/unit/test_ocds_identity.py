"""Who published an OCDS release, which notice it is, its editions, buyers and relations."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ocds_releases import GUID, OCID, PROCEDURE, codes, release

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ocds import order_editions, releases, to_notice
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Buyer, to_json


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
