"""Strong keys: what joins notices, and what never does."""

from typing import Any

import pytest

from tenderscrapy.identity.keys import KINDS, is_placeholder, publication_number, strong_keys
from tenderscrapy.items import Attachment, Key, Link, Notice

UUID = "f96533a2-d790-4874-8b0d-3dd88d695b15"
OTHER = "0010ea9b-1249-49d6-afe2-6a10ac0d7b74"
OID = "54321-Tender-1a08f33e534-740f1575de969945"


def keys(source_code: str = "doe", notice_id: str = "n1", **fields: Any) -> set[tuple[str, str]]:
    return {(key.kind, key.value) for key in strong_keys(Notice(source_code, notice_id, **fields))}


def related(identifier: str, *relationship: str, scheme: str = "") -> dict[str, Any]:
    process = {"identifier": identifier, "relationship": list(relationship), "scheme": scheme}
    return {"related_processes": [process]}


def test_the_notice_key_keeps_the_source_code() -> None:
    assert keys("contracts_finder", "abc-1") == {("notice", "contracts_finder|abc-1")}
    assert keys("sample:contracts_finder", "abc-1") == {("notice", "sample:contracts_finder|abc-1")}


def test_the_notice_key_has_no_version_and_no_leading_zeros() -> None:
    assert ("notice", f"doe|{UUID}") in keys("doe", f"{UUID.upper()}-01")
    assert ("notice", "ted|596416-2026") in keys("ted", "00596416-2026")


@pytest.mark.parametrize(
    "nothing",
    ["", " ", "-", "--", "n/a", "N.A.", "k.A.", "siehe Unterlagen", "see documents", "0", "…", "jo@example.org"],
)
def test_an_identity_that_stands_in_for_one_gives_no_key(nothing: str) -> None:
    assert is_placeholder(nothing)
    assert keys("netserver:berlin", nothing, ocid=nothing, procedure_id=nothing, notice_uuid=nothing) == set()


@pytest.mark.parametrize("identity", ["n1", "abc", "25641424", UUID, "66-2026-00024", "Los 1 2026", "CXP4Y92MNG1"])
def test_an_identity_is_no_stand_in(identity: str) -> None:
    assert not is_placeholder(identity)


def test_an_ocid_joins_in_any_case() -> None:
    assert ("ocid", "ocds-h6vhtk-06f1a6") in keys(ocid=" OCDS-h6vhtk-06F1A6 ")


@pytest.mark.parametrize(
    "ocid", ["ocds-b5fd17-480863", "ocds-b5fd17-", "ocds-b5fd17-n/a", "h6vhtk-06f1a6", "x", f"ocds-mnwr74-{'0' * 8}"]
)
def test_an_ocid_of_another_register_or_without_number_gives_no_key(ocid: str) -> None:
    assert keys(ocid=ocid) == {("notice", "doe|n1")}


def test_a_german_ocid_also_names_the_procedure() -> None:
    assert keys(ocid=f"ocds-mnwr74-{UUID}") == {
        ("notice", "doe|n1"),
        ("ocid", f"ocds-mnwr74-{UUID}"),
        ("procedure_uuid", UUID),
    }


def test_a_national_german_number_is_an_ocid_but_no_procedure_uuid() -> None:
    assert keys(ocid="ocds-mnwr74-25641424", procedure_id="25641424") == {
        ("notice", "doe|n1"),
        ("ocid", "ocds-mnwr74-25641424"),
    }


def test_ted_and_the_german_service_share_procedure_and_notice_uuid() -> None:
    ted = keys("ted", "373130-2026", procedure_id=UUID.upper(), notice_uuid=f"{OTHER}-01")
    doe = keys("doe", OTHER, ocid=f"ocds-mnwr74-{UUID}", notice_uuid=OTHER)
    assert ted & doe == {("procedure_uuid", UUID), ("notice_uuid", OTHER)}


def test_the_empty_uuid_is_no_identity() -> None:
    assert keys(procedure_id="00000000-0000-0000-0000-000000000000") == {("notice", "doe|n1")}


@pytest.mark.parametrize(
    "url",
    [
        "https://www.dtvp.example/Center/notice/CXP4Y6CYS9R",
        "https://rlp.example/VMPSatellite/notice/CXP4Y6CYS9R/documents",
        "https://rlp.example/VMPSatellite/public/company/project/CXP4Y6CYS9R/de/overview",
        "https://rlp.example/VMPSatellite/notice/cxp4y6cys9r;jsessionid=AB12",
    ],
)
def test_a_cosinex_project_is_found_in_any_address_and_shared_by_mirrors(url: str) -> None:
    wanted = ("cosinex_project", "CXP4Y6CYS9R")
    assert wanted in keys(url=url)
    assert wanted in keys(links=[Link(url)])
    assert wanted in keys(attachments=[Attachment(url)])
    assert wanted in keys("cosinex:rlp", "CXP4Y6CYS9R")


@pytest.mark.parametrize(
    "url", ["https://a.example/notice/CX12", "https://a.example/notice/cxcontract", "https://[::1"]
)
def test_an_address_that_only_looks_like_a_cosinex_project_gives_no_key(url: str) -> None:
    assert keys(url=url) == {("notice", "doe|n1")}


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.vergabe.example/NetServer/TenderingProcedureDetails?function=_Details&TenderOID={OID}",
        f"https://VERGABE.example./NetServer/x;jsessionid=1?function=Detail&TWOID={OID.upper()}&PublicationType=0",
        f"https://vergabe.example/x?a=1&amp;tenderoid={OID}",
        "https://vergabe.example/x?TenderOID=54321%2DTender%2D1a08f33e534%2D740f1575de969945",
    ],
)
def test_a_netserver_object_joins_by_host_and_number(url: str) -> None:
    assert ("netserver_oid", f"vergabe.example|{OID.lower()}") in keys(links=[Link(url)])


def test_a_publication_number_of_the_list_is_no_object_of_the_procedure() -> None:
    url = "https://vergabe.example/x?function=Detail&TOID=54321-NetTender-1a08f33e534-740f1575de969945"
    assert keys("netserver:x", "54321-NetTender-1a08f33e534-740f1575de969945", url=url) == {
        ("notice", "netserver:x|54321-NetTender-1a08f33e534-740f1575de969945")
    }


def test_a_ted_notice_has_its_own_number() -> None:
    assert ("oj_number", "596416-2026") in keys("ted", "00596416-2026")
    assert ("oj_number", "596416-2026") in keys("sample:ted", "596416-2026")


def test_a_number_of_the_same_form_elsewhere_is_not_of_the_official_journal() -> None:
    assert keys("find_a_tender", "083645-2026") == {("notice", "find_a_tender|083645-2026")}
    assert keys("find_a_tender", "1-2026", changes_notice="083645-2026") == {("notice", "find_a_tender|1-2026")}


@pytest.mark.parametrize("target", ["596416-2026", "00596416-2026", " 596416-2026 ", "2026/S 028-596416"])
def test_a_correction_is_the_tender_whose_number_it_names(target: str) -> None:
    correction = keys("ted", "611111-2026", changes_notice=target)
    assert correction & keys("ted", "596416-2026") == {("oj_number", "596416-2026")}


def test_a_correction_is_the_tender_whose_notice_uuid_it_names() -> None:
    correction = keys("ted", "611111-2026", notice_uuid=UUID, changes_notice=f"{OTHER}-01")
    assert correction & keys("ted", "596416-2026", notice_uuid=OTHER) == {("notice_uuid", OTHER)}


@pytest.mark.parametrize(
    "text", ["see notice 596416-2026", "596416-2026 and 596417-2026", f"corrects {UUID}", "none", ""]
)
def test_a_number_in_prose_gives_no_key(text: str) -> None:
    assert keys("doe", changes_notice=text, description=text, title=text, reference=text) == {("notice", "doe|n1")}


def test_a_related_planning_notice_gives_its_number() -> None:
    assert ("oj_number", "298800-2026") in keys("doe", extra=related("298800-2026", "planning", scheme="ocid"))
    assert ("oj_number", "298800-2026") in keys("doe", extra=related("298800-2026"))
    scottish = related("2019/S 028-061639", "planning", scheme="EU-OJ")
    assert ("oj_number", "61639-2019") in keys("public_contracts_scotland", extra=scottish)


@pytest.mark.parametrize("relation", ["framework", "prior", "parent", "renewalProcess", "unsuccessfulProcess"])
def test_a_related_other_procedure_gives_no_key(relation: str) -> None:
    assert keys("doe", extra=related("298800-2026", relation)) == {("notice", "doe|n1")}


def test_a_number_of_the_british_service_is_not_of_the_official_journal() -> None:
    british = related("2024/S 000-006347", "planning", scheme="EU-OJ")
    assert keys("sell2wales", extra=british) == {("notice", "sell2wales|n1")}
    assert publication_number("2024/S 000-006347") is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("00596416-2026", "596416-2026"),
        ("2019/S 008-014267", "14267-2019"),
        ("OJ S 2019/S 008-014267", "14267-2019"),
        ("OJ S 220/2023", None),
        ("12-34", None),
        ("596416-2026-01", None),
        ("000-2026", None),
    ],
)
def test_a_publication_number_is_read_whole(text: str, number: str | None) -> None:
    assert publication_number(text) == number


def test_keys_are_distinct_from_the_surest_to_the_widest_and_the_same_again() -> None:
    url = "https://a.example/notice/CXP4Y6CYS9R"
    notice = Notice("ted", "1-2026", url=url, links=[Link(url)], ocid=f"ocds-mnwr74-{UUID}", procedure_id=UUID)
    found = strong_keys(notice)
    assert [key.kind for key in found] == ["notice", "ocid", "procedure_uuid", "cosinex_project", "oj_number"]
    assert found == strong_keys(notice)
    assert Key("cosinex_project", "CXP4Y6CYS9R") in found
    assert KINDS.index("notice") == 0


@pytest.mark.parametrize("extra", [{"related_processes": 5}, {"related_processes": [5, {}]}, {}])
def test_odd_related_processes_are_ignored(extra: dict[str, Any]) -> None:
    assert keys("doe", extra=extra) == {("notice", "doe|n1")}
