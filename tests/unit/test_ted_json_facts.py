"""Deadlines, values, lots and links of records of the TED search API."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from tenderscrapy.formats.ted_json import to_notice
from tenderscrapy.items import Attachment, Link, Notice


def record(**fields: Any) -> dict[str, Any]:
    """A record; names with _ for -."""
    return {"publication-number": "7001-2026"} | {name.replace("_", "-"): value for name, value in fields.items()}


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def with_tender_deadline(dates: Any, times: Any = None, **fields: Any) -> Notice:
    return to_notice(record(deadline_receipt_tender_date_lot=dates, deadline_receipt_tender_time_lot=times, **fields))


def test_equal_deadlines_of_lots_are_one() -> None:
    notice = with_tender_deadline(["2026-10-02+02:00"] * 5, ["10:00:00+02:00"] * 5, buyer_country=["POL"])
    assert (notice.deadline_at, notice.deadline_is_date) == (utc(2026, 10, 2, 8), False)
    assert (notice.deadline_zone, notice.deadline_kind) == ("Europe/Warsaw", "tender")
    assert notice.flags == []


def test_of_different_lot_deadlines_the_earliest_counts_and_all_are_listed() -> None:
    notice = with_tender_deadline(["2026-10-09Z", "2026-10-02Z"], ["10:00:00Z", "12:00:00Z"])
    assert notice.deadline_at == utc(2026, 10, 2, 12)
    assert notice.extra["lot_deadlines"] == ["2026-10-02T12:00:00Z", "2026-10-09T10:00:00Z"]
    assert codes(notice) == ["lot_deadlines_differ"]


def test_a_written_offset_that_is_wrong_for_the_season_is_honoured() -> None:
    notice = with_tender_deadline("2026-11-20+02:00", "10:00:00+02:00", buyer_country="POL")
    assert (notice.deadline_at, notice.deadline_zone) == (utc(2026, 11, 20, 8), "+02:00")


def test_one_time_for_all_dates_holds_for_each_of_them() -> None:
    notice = with_tender_deadline(["2026-10-02Z", "2026-10-09Z"], ["12:00:00Z"])
    assert notice.deadline_at == utc(2026, 10, 2, 12)
    assert not notice.deadline_is_date


def test_one_date_with_several_times_closes_at_the_first_of_them() -> None:
    notice = with_tender_deadline(["2026-10-02Z"] * 3, ["12:00:00Z", "10:00:00Z"])
    assert notice.deadline_at == utc(2026, 10, 2, 10)


def test_lists_of_unequal_length_are_not_paired_up() -> None:
    notice = with_tender_deadline(["2026-10-02Z", "2026-10-09Z", "2026-10-16Z"], ["12:00:00Z", "10:00:00Z"])
    assert (notice.deadline_at, notice.deadline_is_date) == (utc(2026, 10, 2, 23, 59, 59), True)
    assert codes(notice) == ["deadline_times_unclear", "lot_deadlines_differ"]


def test_a_date_alone_lasts_to_the_end_of_its_day() -> None:
    notice = to_notice(record(deadline_receipt_request_date_lot=["2026-08-10+02:00"], buyer_country=["DEU"]))
    assert (notice.deadline_at, notice.deadline_is_date) == (utc(2026, 8, 10, 21, 59, 59), True)
    assert (notice.deadline_kind, notice.deadline_zone) == ("participation", "Europe/Berlin")


def test_the_tender_deadline_goes_before_earlier_ones_of_other_kinds() -> None:
    fields = {
        "deadline_receipt_request_date_lot": "2026-09-01Z",
        "deadline_receipt_expressions_date_lot": "2026-08-01Z",
    }
    assert with_tender_deadline("2026-10-02Z", "10:00:00Z", **fields).deadline_kind == "tender"
    assert to_notice(record(**fields)).deadline_kind == "participation"
    fields.pop("deadline_receipt_request_date_lot")
    assert to_notice(record(**fields)).deadline_kind == "expression"


@pytest.mark.parametrize(("procedure", "kind"), [("open", "tender"), ("restricted", "participation"), (None, "tender")])
def test_the_union_of_deadlines_is_the_last_resort(procedure: str | None, kind: str) -> None:
    union = ["2026-10-02T10:00:00+02:00"]
    notice = to_notice(record(deadline_receipt_request=union, procedure_type=procedure))
    assert (notice.deadline_at, notice.deadline_kind) == (utc(2026, 10, 2, 8), kind)
    assert with_tender_deadline("2026-10-05Z", "10:00:00Z", deadline_receipt_request=union).deadline_at == utc(
        2026, 10, 5, 10
    )


def test_the_general_deadline_fields_are_not_believed() -> None:
    assert to_notice(record(deadline="2026-08-18Z", deadline_date_lot=["2026-08-18Z"])).deadline_at is None


def test_unreadable_deadlines_are_flagged_and_a_readable_date_is_kept() -> None:
    notice = with_tender_deadline("2026-10-02+02:00", "noon")
    assert (notice.deadline_is_date, codes(notice)) == (True, ["deadline_unreadable"])
    nothing = with_tender_deadline("2026-09-31+02:00")
    assert (nothing.deadline_at, codes(nothing)) == (None, ["deadline_unreadable"])


def test_an_amount_needs_its_currency() -> None:
    stated = to_notice(record(estimated_value_proc="1495499.49", estimated_value_cur_proc="EUR"))
    assert (stated.value_amount, stated.value_currency, stated.value_is_gross) == (Decimal("1495499.49"), "EUR", False)
    bare = to_notice(record(estimated_value_proc="1495499.49"))
    assert (bare.value_amount, bare.value_currency, codes(bare)) == (None, None, ["currency_missing"])
    both = to_notice(record(estimated_value_proc="5000", estimated_value_cur_proc=["EUR", "PLN"]))
    assert (both.value_amount, codes(both)) == (None, ["currency_conflict"])


@pytest.mark.parametrize("dummy", ["-1", "0", "1", 0, "0.00", "-1.0"])
def test_dummies_are_no_values(dummy: Any) -> None:
    notice = to_notice(record(estimated_value_proc=dummy, estimated_value_cur_proc="EUR"))
    assert (notice.value_amount, codes(notice)) == (None, ["value_placeholder"])


def test_a_number_is_as_good_as_a_text_and_an_unreadable_one_is_flagged() -> None:
    awarded = record(total_value=73415.22, total_value_cur="EUR", form_type="result")
    assert to_notice(awarded).value_amount == Decimal("73415.22")
    assert codes(to_notice(record(estimated_value_proc="1.000,00", estimated_value_cur_proc="EUR"))) == [
        "value_unreadable"
    ]


def test_values_of_several_lots_are_neither_added_nor_chosen_from() -> None:
    values = {"estimated_value_lot": ["5000", "7000"], "estimated_value_cur_lot": ["EUR"]}
    notice = to_notice(record(identifier_lot=["LOT-0001", "LOT-0002"], **values))
    assert (notice.value_amount, notice.flags) == (None, [])
    assert [lot.value_amount for lot in notice.lots] == [None, None]


def test_the_value_of_the_only_lot_stands_in_for_a_dummy() -> None:
    notice = to_notice(
        record(
            identifier_lot="LOT-0000",
            estimated_value_proc="1",
            estimated_value_cur_proc="PLN",
            estimated_value_lot=["5000"],
            estimated_value_cur_lot=["PLN"],
        )
    )
    assert (notice.value_amount, notice.value_currency, codes(notice)) == (Decimal(5000), "PLN", ["value_placeholder"])


def test_a_single_lot_has_what_the_notice_says() -> None:
    notice = with_tender_deadline(
        "2026-10-02Z",
        "10:00:00Z",
        identifier_lot=["LOT-0000", "LOT-0000"],
        title_lot={"deu": ["Bewachung"]},
        description_lot={"deu": ["Streifen"]},
        classification_cpv="79713000",
        place_of_performance="DE40E",
    )
    (lot,) = notice.lots
    assert (lot.id, lot.title, lot.description) == ("LOT-0000", "Bewachung", "Streifen")
    assert (lot.cpv, lot.nuts, lot.deadline_at) == (["79713000"], ["DE40E"], utc(2026, 10, 2, 10))
    assert notice.description == "Streifen"


def test_lots_without_ids_are_counted_by_their_titles() -> None:
    notice = to_notice(record(title_lot={"pol": ["Część I", "Część II"]}))
    assert [(lot.id, lot.title) for lot in notice.lots] == [("#1", "Część I"), ("#2", "Część II")]
    assert (notice.extra["lot_count"], codes(notice)) == (2, ["lot_ids_missing"])


def links(*languages: str, host: str = "https://ted.europa.eu") -> dict[str, Any]:
    return {
        "xml": {"MUL": f"{host}/en/notice/7001-2026/xml"},
        "pdf": {code: f"{host}/{code.lower()}/notice/7001-2026/pdf" for code in languages},
    }


XML = Attachment("https://ted.europa.eu/en/notice/7001-2026/xml", "7001-2026.xml", "application/xml")


def test_the_files_are_the_xml_and_the_pdf_in_the_official_language() -> None:
    notice = to_notice(record(official_language=["ELL"], links=links("DEU", "ENG", "ELL")))
    pdf = Attachment("https://ted.europa.eu/ell/notice/7001-2026/pdf", "7001-2026_el.pdf", "application/pdf")
    assert notice.attachments == [XML, pdf]


def test_without_the_official_language_the_pdf_is_english_or_none() -> None:
    english = to_notice(record(official_language=["POL"], links=links("DEU", "ENG"))).attachments
    assert [file.filename for file in english] == ["7001-2026.xml", "7001-2026_en.pdf"]
    assert to_notice(record(official_language=["POL"], links=links("DEU", "FRA"))).attachments == [XML]


@pytest.mark.parametrize(
    "host",
    [
        "https://ted.europa.eu.example.org",
        "http://ted.europa.eu",
        "https://ted.europa.eu:8443",
        "https://a@ted.europa.eu",
    ],
)
def test_files_of_other_hosts_are_refused_with_a_flag(host: str) -> None:
    notice = to_notice(record(official_language=["ENG"], links=links("ENG", host=host)))
    assert notice.attachments == []
    assert codes(notice) == ["file_host_refused"] * 2


def test_a_server_under_test_can_be_let_pass_by_host_and_port() -> None:
    document = record(links=links("ENG", host="http://127.0.0.1:8081"))
    allowed = to_notice(document, file_hosts=frozenset({"127.0.0.1:8081"}))
    assert [file.filename for file in allowed.attachments] == ["7001-2026.xml", "7001-2026_en.pdf"]


@pytest.mark.parametrize(
    "odd", [None, [], "x", {"pdf": []}, {"xml": {"MUL": None}}, {"pdf": {"ENG": 3}}, {"xml": "https://["}]
)
def test_odd_links_are_no_files(odd: Any) -> None:
    assert to_notice(record(links=odd)).attachments == []


def test_pages_with_documents_are_linked_once_and_never_downloaded() -> None:
    page = "https://portal.example.org/tender?id=1&amp;lang=de"
    notice = to_notice(record(document_url_lot=[page, page, "www.example.org", "jo@example.org"]))
    assert notice.links == [
        Link("https://portal.example.org/tender?id=1&lang=de", "documents"),
        Link("http://www.example.org", "documents"),
    ]
    assert (notice.attachments, codes(notice)) == ([], ["link_unreadable"])
    assert "example" not in str(notice.flags)
