"""Contacts leave structures as well as texts; masking is done once and for all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenderscrapy.normalise.privacy import MARK, without_contacts

M = MARK


@pytest.mark.parametrize(
    "key",
    [
        "contactPoint",
        "additionalContactPoints",
        "contact",
        "contactName",
        "contact_person",
        "email",
        "e-mail",
        "E-Mail-Adresse",
        "emailAddress",
        "telephone",
        "faxNumber",
        "fax",
        "tel",
        "Telefonnummer",
        "buyer-email",
        "buyer-contact-point",
        "organisation-tel-buyer",
        "organisation-fax-winner",
        "touchpoint-email-buyer",
        "ElectronicMail",
        "cbc:Telefax",
        "cac:Contact",
        "UltimateBeneficialOwner",
        "ubo-first-name",
    ],
)
def test_a_key_that_holds_contacts_is_dropped_at_any_depth(key: str) -> None:
    document = {"a": [{"b": {key: {"name": "Jane Doe"}, "name": "Stadt Muster"}}], key: "x"}
    assert without_contacts(document) == {"a": [{"b": {"name": "Stadt Muster"}}]}


@pytest.mark.parametrize(
    "key",
    ["name", "title", "url", "identifier", "hotel", "buyer-name", "title_lang", "communication", "items", "facsimile"],
)
def test_a_key_that_holds_no_contacts_stays(key: str) -> None:
    assert without_contacts({key: "x"}) == {key: "x"}


def test_an_identity_in_a_structure_is_never_taken_for_a_number_to_call() -> None:
    snapshot = {"notice_id": "0211/8912345", "ocid": "ocds-x-0800 123 4567", "deadline_at": "0211 89123456"}
    assert without_contacts(snapshot) == snapshot


def test_texts_in_a_structure_are_masked_and_other_values_kept() -> None:
    document = {"d": ["Tel.: 030 1234567", 5, None, True, 1.5], "n": {"ref": "083645-2026"}}
    assert without_contacts(document) == {"d": [f"Tel.: {M}", 5, None, True, 1.5], "n": {"ref": "083645-2026"}}
    assert document["d"][0] == "Tel.: 030 1234567"


_WORDS = ["Tel.: ", "Telefon", "Frau ", "Herrn ", "Contact: ", "Kontakt: ", "Anna ", "Muster", ", ", "@", "example.org",
          "a.b", " ", "030 ", "1234567", "+49 ", "(0)", "/", "-", ".", "\n", "15.07.2026", "0800 ", M, "Dr. ",
          "please contact ", "EUR", "https://x.example/", ": ", "Nr. "]  # fmt: skip


@given(st.lists(st.sampled_from(_WORDS), max_size=12).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = without_contacts(text)
    assert without_contacts(once) == once


def test_a_structure_deeper_than_any_notice_is_cut_and_not_an_error() -> None:
    document: dict[str, object] = {"name": "x"}
    for _ in range(400):
        document = {"a": document}
    assert without_contacts(document)["a"]


@pytest.mark.parametrize(
    "unit", ["a@", "0211 ", "+49 ", "Tel. ", "Frau A", "Contact: A ", "a.", "1 ", "(0", "A-", "a at) "]
)
def test_a_long_monotonous_text_is_masked_in_linear_time(unit: str) -> None:
    without_contacts(unit * 20_000)
