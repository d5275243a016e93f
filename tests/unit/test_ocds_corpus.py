"""The OCDS mapper on real releases, and on arbitrary JSON."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats.ocds import order_editions, releases, to_notice
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Notice, from_json, to_json

if TYPE_CHECKING:
    from pathlib import Path


def notices(folder: Path) -> list[Notice]:
    found: list[Notice] = []
    for path in sorted(folder.glob("*.json")):
        package = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        found += [to_notice(release) for release in releases(package)]
    return found


@pytest.mark.corpus
def test_a_page_of_contracts_finder_is_a_hundred_releases_of_94_procedures_and_96_notices(corpus: Path) -> None:
    page = notices(corpus / "ocds" / "contracts_finder")
    assert len(page) == 100
    assert len({notice.ocid for notice in page}) == 94
    assert len({notice.notice_id for notice in page}) == 96
    assert len({(notice.notice_id, notice.revised_at) for notice in page}) == 100
    assert Counter(notice.status for notice in page) == {"awarded": 59, "open": 38, "planned": 3}
    assert all(notice.url == f"https://www.contractsfinder.service.gov.uk/Notice/{notice.notice_id}" for notice in page)
    assert sum(notice.deadline_at is not None for notice in page) == 97
    assert all(notice.title and notice.buyer_name and notice.cpv and notice.country == "GB" for notice in page)


@pytest.mark.corpus
def test_what_could_not_be_read_on_that_page_is_one_address(corpus: Path) -> None:
    page = notices(corpus / "ocds" / "contracts_finder")
    flags = Counter(flag.code for notice in page for flag in notice.flags)
    assert flags["document_url_invalid"] == 1
    assert set(flags) <= {"document_url_invalid", "value_zero"}
    urls = [file.url for notice in page for file in notice.attachments]
    assert all("/Notice/Attachment/" in url for url in urls)
    assert len(urls) > 20
    assert all("/Notice/Attachment/" not in link.url for notice in page for link in notice.links)


@pytest.mark.corpus
def test_an_amendment_on_that_page_comes_after_its_tender(corpus: Path) -> None:
    page = order_editions(notices(corpus / "ocds" / "contracts_finder"))
    editions = [n for n in page if n.notice_id.startswith("dff009c9")]
    assert [edition.notice_type for edition in editions] == ["tender", "tenderAmendment"]
    twins = [n for n in page if n.ocid == "ocds-b5fd17-75afe551-b5e4-4538-a546-0547477d0f9f"]
    assert [twin.notice_id[:8] for twin in twins] == ["61663400", "e22ded3b"]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("folder", "source_code", "count"),
    [
        ("contracts_finder_legacy", "contracts_finder", 12),
        ("find_a_tender", "find_a_tender", 1),
        ("pcs", "public_contracts_scotland", 12),
        ("sell2wales", "sell2wales", 12),
        ("doe/ocds", "doe", 2),
    ],
)
def test_every_publisher_is_read_without_a_fault(corpus: Path, folder: str, source_code: str, count: int) -> None:
    found = notices(corpus / "ocds" / folder)
    assert [notice.source_code for notice in found] == [source_code] * count
    assert len({notice.notice_id for notice in found}) == count
    assert all(notice.title and notice.buyer_name and notice.country and notice.cpv for notice in found)
    assert {flag.code for notice in found for flag in notice.flags} <= {"value_zero"}


@pytest.mark.corpus
def test_no_contact_of_any_release_is_kept(corpus: Path) -> None:
    for folder in ("contracts_finder", "contracts_finder_legacy", "find_a_tender", "pcs", "sell2wales", "doe/ocds"):
        for notice in notices(corpus / "ocds" / folder):
            text = json.dumps(to_json(notice), ensure_ascii=False)
            assert "kontakt@example.org" not in text
            assert "0000 000000" not in text
            assert "Alex Example" not in text


@pytest.mark.corpus
def test_a_german_document_address_gives_the_key_of_its_portal(corpus: Path) -> None:
    keys = {(k.kind, k.value) for notice in notices(corpus / "ocds" / "doe" / "ocds") for k in strong_keys(notice)}
    oid = "54321-tender-1a08f33e534-740f1575de969945"
    assert ("netserver_oid", f"ausschreibungen.ls.brandenburg.de|{oid}") in keys
    assert ("procedure_uuid", "f96533a2-d790-4874-8b0d-3dd88d695b15") in keys


_NAMES = st.sampled_from(
    ["ocid", "id", "tag", "date", "tender", "buyer", "parties", "awards", "contracts", "planning", "documents", "url",
     "format", "title", "description", "status", "value", "minValue", "amount", "amountGross", "currency", "lots",
     "items", "classification", "additionalClassifications", "scheme", "tenderPeriod", "endDate", "datePublished",
     "deliveryAddresses", "deliveryAddress", "region", "country", "countryName", "address", "identifier", "name",
     "roles", "relatedProcesses", "relationship", "language", "procurementMethod", "procurementMethodDetails",
     "submissionMethodDetails", "amendments", "rationale", "noticeType", "documentType", "relatedLot",
     "procuringEntity"]
)  # fmt: skip
_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.decimals(allow_nan=True), st.text(max_size=12),
    st.sampled_from(["ocds-b5fd17-1", "ocds-mnwr74-x", "2025-01-01", "2025-01-01T24:00:00", "9999-12-31", "buyer",
                     "0001-01-01T00:00:00+14:00", "https://a.example/x", "//[", "http://[::1", "45000000", "GBP",
                     "CPV", "UKJ14", "text/html", "\x00\ud800"]),
)  # fmt: skip
_JSON = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=8), max_leaves=25
)


@settings(max_examples=300, deadline=None)
@given(_JSON | st.fixed_dictionaries({"ocid": _LEAVES, "id": _LEAVES}, optional={"tender": _JSON, "parties": _JSON,
       "buyer": _JSON, "awards": _JSON, "date": _LEAVES, "tag": _JSON, "relatedProcesses": _JSON}))  # fmt: skip
def test_arbitrary_json_is_a_notice_or_the_named_error(document: Any) -> None:
    with contextlib.suppress(UnreadableDocumentError):
        notice = to_notice(document)
        assert notice.notice_id
        assert strong_keys(notice) == strong_keys(notice)
        assert to_json(from_json(to_json(notice))) == to_json(notice)
        json.dumps(to_json(notice), ensure_ascii=False).encode("utf-8")
