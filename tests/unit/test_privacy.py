"""Contacts leave a notice; everything that only looks like one stays."""

import pytest

from tenderscrapy.normalise.privacy import MARK, without_contacts

M = MARK


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Fragen an anna.muster@amt.example.org bitte", f"Fragen an {M} bitte"),
        ("mailto:a+b@example.org", M),
        ("a.b (at) example.org, c[at]example.org", f"{M}, {M}"),
        ("a.b @ example.org", M),
        ("cut in the middle: jane.doe@exam", f"cut in the middle: {M}"),
        ("cut in the middle: jane.doe@exam…", f"cut in the middle: {M}…"),
        ("müller@behörde.example.", f"{M}."),
        ("https://x.example/?from=a.b@example.org", f"https://x.example/?from={M}"),
    ],
)
def test_an_e_mail_address_is_masked(text: str, masked: str) -> None:
    assert without_contacts(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "@home Angebot",
        "Rahmenvereinbarung m@school",
        "10 Stück @ 3.50 EUR",
        "https://x.example/@@download/plan",
        "https://x.example/logo@2x.png",
    ],
)
def test_an_at_sign_alone_is_no_address(text: str) -> None:
    assert without_contacts(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Tel.: 030 12345-67", f"Tel.: {M}"),
        ("tel. 115", f"tel. {M}"),
        ("Tel 030 1234567", f"Tel {M}"),
        ("Telefon:\n+49 (0)30 123 456-78", f"Telefon:\n{M}"),
        ("Telefonnummer: 0211/8912345", f"Telefonnummer: {M}"),
        ("Tel.-Nr.: 0211 89-12345", f"Tel.-Nr.: {M}"),
        ("Tel./Fax: 0211 891234", f"Tel./Fax: {M}"),
        ("Telefax: 030.1234567", f"Telefax: {M}"),
        ("Fax 030/1234567", f"Fax {M}"),
        ("Phone: 01234 567890 ext. 12", f"Phone: {M}"),
        ("Telephone number: (01234) 567890", f"Telephone number: {M}"),
        ("Mobil: 0176 12345678", f"Mobil: {M}"),
        ("Tél. : 01 23 45 67 89", f"Tél. : {M}"),
        ("t:04000000000", f"t:{M}"),
        ("+49 000 0000000", M),
        ("+44 0000 000000", M),
        ("+44 (0)20 7946 0000.", f"{M}."),
        ("unter +493012345678 oder", f"unter {M} oder"),
        ("0049 30 12345678", M),
        ("0049(0)30/12345678", M),
        ("0032212345678", M),
        ("(030) 123456-7", M),
        ("(0 30) 12 34 56", M),
        ("rufen Sie 0211/8912345 an", f"rufen Sie {M} an"),
        ("unter 0211-8912345", f"unter {M}"),
        ("oder 030/23125-471, Zimmer 5", f"oder {M}, Zimmer 5"),
        ("call 0800 123 4567 now", f"call {M} now"),
        ("ring 01234 567890.", f"ring {M}."),
        ("on 020 7946 0000,", f"on {M},"),
        ("on 0000 000 0000.", f"on {M}."),
        ("Tel: +44 20 7946 0000 United Kingdom", f"Tel: {M} United Kingdom"),
        ("+49 30 1234567 Germany, Europe", f"{M} Germany, Europe"),
        ("mobile number 07700900123", f"mobile number {M}"),
    ],
)
def test_a_telephone_or_fax_number_is_masked(text: str, masked: str) -> None:
    assert without_contacts(text) == masked


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Tel. 030 1234567 15.07.2026 12:00 Uhr", f"Tel. {M} 15.07.2026 12:00 Uhr"),
        ("Tel.: 030 1234567, Frist: 15.07.2026", f"Tel.: {M}, Frist: 15.07.2026"),
        ("Tel: 030 1234567 2026-07-15", f"Tel: {M} 2026-07-15"),
        ("Telefon: 030 1234567\n01067 Dresden", f"Telefon: {M}\n01067 Dresden"),
    ],
)
def test_a_number_ends_before_the_date_or_line_that_follows(text: str, masked: str) -> None:
    assert without_contacts(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "15.07.2026 12:00",
        "01/02/2026 12:00",
        "2026-07-15T12:00:00+02:00",
        "2026-07-15T12:00:00+10:00",
        "20260715 120000",
        "45000000-7, 09310000-5 und 03000000",
        "09310000 45000000 71000000",
        "083645-2026",
        "00596416-2026",
        "596416-2026 und 025477-2026",
        "OJ S 220/2023",
        "2024/S 064-189213",
        "ocds-b5fd17-e3b5f385-5989-4cf1-8849-01c247fc9c30",
        "ocds-r6ebe6-0000569951",
        "2a1e3359-87a0-4fdd-ac61-20d5e6520a13-819950",
        "01234567-0123-0123-0123-012345678901",
        "54321-Tender-1a08f33e534-740f1575de969945",
        "CXP4Y92MNG1",
        "25641424",
        "Leitweg-ID 05111-05001-82",
        "Aktenzeichen 0815-12/2026, VOEK 123-26, 26-00123, 66-2026-00024",
        "Vergabenummer 0815 123456",
        "Ref. 01234 567890",
        "DE123456789, GB 123 4567 89",
        "01067 Dresden, SW1A 1AA, D-04103 Leipzig",
        "DE300, DEA1, UKI31",
        "1.234.567,89 EUR, 1,234,567.89 GBP, 12 000 000 EUR, £118000000",
        "+10 000 000 EUR",
        "0,5 %, 0.125 kg, 10 x 20 cm",
        "Telefon 2026",
        "Erneuerung der Telefonanlage 2026-2028",
        "300 Telefone und 20 Faxgeräte",
        "Mobile 4000 units",
        "0020-08-24",
        "00221940364",
        "2023/2024 + 2024/2025 + 2025/2026",
        "01806-2024-0007",
        "10000000-00108010000001-47",
        "DAC 0055 2020",
        "Telefon:\n12345 Berlin",
        "Telefon: \n\n15.07.2026",
        "F: 100 m, T: 12 Monate",
        "Telefone: 300 Stück",
        "bevilge 18 000 000 000 og 12 012 345 678",
        "Los 1: 01.01.2026 - 31.12.2029",
        "https://x.example/0211/8912345?id=0800 ",
        "https://x.example/tel:012345678/notice/+4930123456789",
        "DIN EN ISO 9001:2015, EN 60335-2-69",
        "VOB/A § 3a Abs. 2",
        "1. Januar 2026 bis 31. Dezember 2029",
    ],
)
def test_a_date_code_reference_amount_or_address_stays(text: str) -> None:
    assert without_contacts(text) == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Ansprechpartner: Max Muster", f"Ansprechpartner: {M}"),
        ("Ansprechpartnerin: Frau Dr. Anna von Muster, Tel. 0211 891234", f"Ansprechpartnerin: {M}, Tel. {M}"),
        ("Ansprechpartner(in): Muster, Anna", f"Ansprechpartner(in): {M}"),
        ("Ansprechpartner/in: A. Muster-Beispiel\nRaum 3", f"Ansprechpartner/in: {M}\nRaum 3"),
        ("Ansprechperson: Anna Muster", f"Ansprechperson: {M}"),
        ("Kontakt: Anna Muster, Zimmer 12", f"Kontakt: {M}, Zimmer 12"),
        ("Kontaktperson: MAX MUSTER", f"Kontaktperson: {M}"),
        ("Contact: Jane Doe", f"Contact: {M}"),
        ("Contact person: Jane O'Doe (procurement)", f"Contact person: {M} (procurement)"),
        ("contact person: Jane Doe", f"contact person: {M}"),
        ("Contact name: Mr John Q. Public", f"Contact name: {M}"),
        ("For the attention of: Jane Doe", f"For the attention of: {M}"),
        ("Attn: Jane Doe", f"Attn: {M}"),
        ("Sachbearbeiterin: Anna Muster", f"Sachbearbeiterin: {M}"),
        ("z. Hd.: Herrn Muster", f"z. Hd.: {M}"),
        ("Fragen an Frau Muster oder Herrn Dr. Beispiel.", f"Fragen an Frau {M} oder Herrn {M}."),
        ("please contact Jane Doe on 01234 567890", f"please contact {M} on {M}"),
        ("Contact: Jane Doe. Please contact Ann Public on 01234 567890", f"Contact: {M} contact {M} on {M}"),
        ("Ask Mrs Doe", f"Ask Mrs {M}"),
    ],
)
def test_the_name_of_a_contact_person_is_masked(text: str, masked: str) -> None:
    assert without_contacts(text).rstrip(".") == masked.rstrip(".")


@pytest.mark.parametrize(
    "text",
    [
        "Kontakt: Vergabestelle der Stadt Muster",
        "Kontakt: siehe Vergabeunterlagen",
        "Contact: Procurement Team",
        "Contact Centre Solution for the Council",
        "Contact Lenses",
        "Any queries please contact MultiQuote.",
        "The item is in direct contact. Also The Other",
        "Feria de Ntra. Sra. de la Salud",
        "MS Teams und Ms-Dos",
        "Kita Frau Holle, Neubau",
        "Damen und Herren",
        "Frauenhaus Musterhausen",
        "Der Herr der Ringe",
        "Sanierung Dr.-Wilhelm-Schule",
    ],
)
def test_what_is_no_person_keeps_its_name(text: str) -> None:
    assert without_contacts(text) == text


def test_an_e_mail_address_in_the_place_of_a_number_is_masked_and_a_number_like_a_telephones_is_not() -> None:
    document = {"notice_uuid": "jo.muster@example.org", "procedure_id": "+49 30 23125 471"}

    assert without_contacts(document) == {"notice_uuid": MARK, "procedure_id": "+49 30 23125 471"}
