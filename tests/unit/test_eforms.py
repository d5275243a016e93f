"""eForms notices built in the test: one test a rule."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from eforms_document import NUMBER, UUID, document, estimate, extension, lot, organisation, party, period, project

from tenderscrapy.exceptions import UnreadableDocumentError, UnsupportedFormatError
from tenderscrapy.formats.eforms import to_notice
from tenderscrapy.items import Buyer, Link, Notice


def codes(notice: Notice) -> list[str]:
    return [flag.code for flag in notice.flags]


def utc(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


def test_the_publication_number_loses_its_padding() -> None:
    notice = to_notice(document())
    assert (notice.source_code, notice.notice_id, notice.notice_uuid) == ("ted", "7001-2026", UUID)
    assert notice.url == "https://ted.europa.eu/en/notice/-/detail/7001-2026"


def test_a_notice_without_number_is_national_and_known_by_its_uuid() -> None:
    notice = to_notice(document(extended=""))
    assert (notice.source_code, notice.notice_id) == ("doe", UUID)
    assert notice.url == f"https://oeffentlichevergabe.de/ui/de/search/details?noticeId={UUID}"


def test_another_source_of_a_ted_notice_keeps_its_own_id() -> None:
    notice = to_notice(document(), source_code="doe")
    assert (notice.source_code, notice.notice_id) == ("doe", UUID)
    assert notice.extra["publication_number"] == "7001-2026"
    assert to_notice(document(), source_code="sample:ted").notice_id == "7001-2026"


def test_national_notices_with_numbers_for_ids_are_read() -> None:
    content = document(extended="").replace(UUID.encode(), b"12345678")
    notice = to_notice(
        content.replace(b"<cbc:VersionID>", b"<cbc:ContractFolderID>87654321</cbc:ContractFolderID><cbc:VersionID>")
    )
    assert (notice.notice_id, notice.procedure_id, notice.notice_version) == ("12345678", "87654321", "01")


@pytest.mark.parametrize(
    ("date", "time", "expected"),
    [
        ("2023-05-30+03:00", "10:00:00.000+03:00", utc(2023, 5, 30, 7)),
        ("2023-05-30+03:00", "11:25:29.0000000+03:00", utc(2023, 5, 30, 8, 25, 29)),
        ("2023-05-30Z", "12:00:00Z", utc(2023, 5, 30, 12)),
        ("2024-05-27+00:00", "12:00:00+00:00", utc(2024, 5, 27, 12)),
        ("2024-05-27-05:00", "12:00:00-05:00", utc(2024, 5, 27, 17)),
        ("2024-05-27+02:00", None, utc(2024, 5, 27, 21, 59, 59)),
    ],
)
def test_a_deadline_honours_what_is_written(date: str, time: str | None, expected: datetime) -> None:
    notice = to_notice(document(lot(period(date, time))))
    assert notice.deadline_at == notice.lots[0].deadline_at == expected
    assert (notice.deadline_is_date, notice.deadline_kind) == (time is None, "tender")


def test_every_lot_keeps_its_own_deadline() -> None:
    lots = lot(period("2026-10-09Z", "10:00:00Z")) + lot(period("2026-10-02Z", "10:00:00Z"), key="LOT-0003")
    notice = to_notice(document(lots))
    assert [found.deadline_at for found in notice.lots] == [utc(2026, 10, 9, 10), utc(2026, 10, 2, 10)]
    assert (notice.deadline_at, codes(notice)) == (utc(2026, 10, 2, 10), ["lot_deadlines_differ"])


def test_requests_to_participate_and_expressions_of_interest_are_other_kinds() -> None:
    expression = extension(period("2026-09-01Z", "10:00:00Z", "efac:InterestExpressionReceptionPeriod"))
    participation = period("2026-09-05Z", "10:00:00Z", "cac:ParticipationRequestReceptionPeriod")
    assert to_notice(document(lot(expression))).deadline_kind == "expression"
    both = to_notice(document(lot(expression + participation)))
    assert (both.deadline_kind, both.deadline_at) == ("participation", utc(2026, 9, 5, 10))


def test_groups_of_lots_are_no_lots_but_parts_are() -> None:
    notice = to_notice(document(lot() + lot(key="GLO-0001", scheme="LotsGroup") + lot(key="PAR-0001", scheme="Part")))
    assert [found.id for found in notice.lots] == ["LOT-0001", "PAR-0001"]
    assert notice.extra["lot_count"] == 2


def test_the_title_is_in_the_language_of_the_notice() -> None:
    names = '<cbc:Name languageID="FRA">Nettoyage</cbc:Name><cbc:Name languageID="NLD">Was &amp;amp; wis</cbc:Name>'
    notice = to_notice(document(project(names)))
    assert (notice.title, notice.title_lang) == ("Was & wis", "nl")
    only_french = to_notice(document(project('<cbc:Name languageID="FRA">Nettoyage</cbc:Name>')))
    assert (only_french.title, only_french.title_lang) == ("Nettoyage", "fr")


def test_a_planning_notice_may_name_its_parts_only() -> None:
    named = '<cbc:Name languageID="NLD">Deel een</cbc:Name>'
    assert to_notice(document(lot(project=named))).title == "Deel een"
    several = to_notice(document(lot(project=named) + lot(project=named, key="PAR-0002")))
    assert (several.title, codes(several)) == ("Deel een", ["title_from_lot"])


def test_withheld_values_are_none_and_flagged() -> None:
    privacy = "<efac:FieldsPrivacy><efbc:FieldIdentifierCode>{}</efbc:FieldIdentifierCode></efac:FieldsPrivacy>"
    total = '<cbc:TotalAmount currencyID="EUR">9.99</cbc:TotalAmount>'
    result = f"<efac:NoticeResult>{privacy.format('not-val')}{total}</efac:NoticeResult>"
    procedure = f"{extension(privacy.format('pro-typ'))}<cbc:ProcedureCode>open</cbc:ProcedureCode>"
    process = f"<cac:TenderingProcess>{procedure}</cac:TenderingProcess>"
    notice = to_notice(document(process, NUMBER + result, "ContractAwardNotice", "result"))
    assert (notice.value_amount, notice.procedure_type) == (None, None)
    assert [(flag.code, flag.field) for flag in notice.flags] == [
        ("withheld", "value_amount"),
        ("withheld", "procedure_type"),
    ]
    masked = to_notice(document(project(estimate("-1"))))
    assert (masked.value_amount, codes(masked)) == (None, ["withheld"])


def test_the_estimate_of_the_procedure_is_the_value() -> None:
    notice = to_notice(document(project(estimate("460000.50")) + lot(project=estimate("1000"))))
    assert (notice.value_amount, notice.value_currency, notice.value_is_gross) == (Decimal("460000.50"), "EUR", False)
    assert notice.lots[0].value_amount == Decimal(1000)
    assert codes(to_notice(document(project(estimate("460000", ""))))) == ["currency_missing"]
    assert to_notice(document(lot(project=estimate("1000")))).value_amount == Decimal(1000)


def test_each_organisation_is_one_buyer_named_in_the_notices_language() -> None:
    first = organisation("ORG-0001", {"FRA": "Service A", "NLD": "Dienst A"})
    second = organisation("ORG-0002", {"FRA": "Service B"}, touch_point="TPO-0001")
    organisations = f"<efac:Organizations>{first}{second}</efac:Organizations>"
    parties = party("ORG-0001") + party("TPO-0001") + party("ORG-0001") + party("ORG-0009")
    notice = to_notice(document(parties, NUMBER + organisations))
    assert notice.buyers == [
        Buyer("Dienst A", "0123.456.789", "BE", "Voorbeeldstad"),
        Buyer("Service B", "0123.456.789", "BE", "Voorbeeldstad"),
    ]
    assert (notice.buyer_name, notice.country, codes(notice)) == ("Dienst A", "BE", ["buyer_unknown"])
    assert not any(secret in repr(notice) for secret in ("Muster", "20000000", "example.org"))


def test_a_change_may_not_say_what_it_changes() -> None:
    reason = "<efac:ChangeReason><cbc:ReasonCode>{}</cbc:ReasonCode></efac:ChangeReason>"
    bare = to_notice(document(extended=f"{NUMBER}<efac:Changes>{reason.format('update-add')}</efac:Changes>"))
    assert (bare.changes_notice, bare.change_reason, bare.status) == (None, "update-add", "open")
    changed = f"<efbc:ChangedNoticeIdentifier>{UUID}-01</efbc:ChangedNoticeIdentifier>"
    cancelled = to_notice(document(extended=f"{NUMBER}<efac:Changes>{changed}{reason.format('cancel')}</efac:Changes>"))
    assert (cancelled.changes_notice, cancelled.status) == (f"{UUID}-01", "cancelled")


def test_a_result_without_winners_is_cancelled_unless_the_choice_is_withheld() -> None:
    outcome = "<efac:LotResult><cbc:TenderResultCode>clos-nw</cbc:TenderResultCode>{}</efac:LotResult>"
    hidden = "<efac:FieldsPrivacy><efbc:FieldIdentifierCode>win-cho</efbc:FieldIdentifierCode></efac:FieldsPrivacy>"
    for privacy, status in (("", "cancelled"), (hidden, "awarded")):
        extended = f"{NUMBER}<efac:NoticeResult>{outcome.format(privacy)}</efac:NoticeResult>"
        assert to_notice(document("", extended, "ContractAwardNotice", "result")).status == status


def test_pages_are_linked_and_mail_addresses_are_not() -> None:
    uri = "<cac:Attachment><cac:ExternalReference><cbc:URI>{}</cbc:URI></cac:ExternalReference></cac:Attachment>"
    uri = f"<cac:CallForTendersDocumentReference>{uri}</cac:CallForTendersDocumentReference>"
    endpoint = "<cac:TenderRecipientParty><cbc:EndpointID>{}</cbc:EndpointID></cac:TenderRecipientParty>"
    page = "https://portal.example.org/notice/CXP4Y6CYS9R?a=1&amp;amp;b=2"
    terms = uri.format(page) * 2 + endpoint.format("jo@example.org") + endpoint.format("https://bid.example.org/")
    notice = to_notice(document(lot(terms=terms)))
    assert notice.links == [
        Link("https://portal.example.org/notice/CXP4Y6CYS9R?a=1&b=2", "documents"),
        Link("https://bid.example.org/", "submission"),
    ]
    assert (notice.attachments, notice.flags) == ([], [])


def test_company_registrations_are_refused_by_name() -> None:
    name = "BusinessRegistrationInformationNotice"
    registration = f'<{name} xmlns="http://data.europa.eu/p27/eforms-business-registration-information-notice/1"/>'
    with pytest.raises(UnsupportedFormatError, match=name):
        to_notice(registration.encode())


@pytest.mark.parametrize(
    "content", [b"", b"no xml", b"<html/>", b"<ContractNotice/>", b"<a><b></a>", b"\xff\xfe", None, "<x/>", {}]
)
def test_other_documents_are_refused(content: object) -> None:
    with pytest.raises(UnreadableDocumentError):
        to_notice(content)  # type: ignore[arg-type]


def test_a_notice_without_any_identity_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="neither"):
        to_notice(document(extended="").replace(UUID.encode(), b" "))
