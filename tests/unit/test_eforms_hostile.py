"""XML that attacks the parser, and documents damaged at random."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenderscrapy.exceptions import UnreadableDocumentError
from tenderscrapy.formats import eforms, ted_json
from tenderscrapy.items import Notice, from_json, to_json

if TYPE_CHECKING:
    from pathlib import Path

UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
NOTICE = (
    f'<ContractNotice xmlns="{UBL}ContractNotice-2" xmlns:cbc="{UBL}CommonBasicComponents-2"'
    f' xmlns:cac="{UBL}CommonAggregateComponents-2">{{head}}<cac:ProcurementProject><cbc:Name>{{name}}</cbc:Name>'
    "</cac:ProcurementProject><cac:ProcurementProjectLot><cbc:ID>LOT-0001</cbc:ID><cac:TenderingProcess>"
    "<cac:TenderSubmissionDeadlinePeriod><cbc:EndDate>2026-10-02Z</cbc:EndDate><cbc:EndTime>10:00:00Z</cbc:EndTime>"
    "</cac:TenderSubmissionDeadlinePeriod></cac:TenderingProcess></cac:ProcurementProjectLot></ContractNotice>"
)
HEAD = "<cbc:ID>12345678</cbc:ID>"


def bomb(name: str) -> str:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 12))
    return f'<!DOCTYPE x [<!ENTITY e0 "ha">{entities}]>' + NOTICE.format(head=HEAD, name=name)


@pytest.mark.parametrize(
    "document", [bomb("&e11;"), bomb("quiet"), bomb("").replace("<cbc:Name>", '<cbc:Name languageID="&e11;">')]
)
def test_entities_that_grow_are_refused(document: str) -> None:
    with pytest.raises(UnreadableDocumentError):
        eforms.to_notice(document.encode())


def test_a_file_is_never_read_into_a_notice(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("top secret")
    for declaration in (
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "{secret.as_uri()}">]>',
        f'<!DOCTYPE x SYSTEM "{secret.as_uri()}">',
        f'<!DOCTYPE x [<!ENTITY % p SYSTEM "{secret.as_uri()}"> %p;]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
    ):
        with pytest.raises(UnreadableDocumentError) as refusal:
            eforms.to_notice(
                (declaration + NOTICE.format(head=HEAD, name="&e;" if "ENTITY e " in declaration else "n")).encode()
            )
        assert "top secret" not in str(refusal.value)


def test_an_unknown_entity_is_refused() -> None:
    with pytest.raises(UnreadableDocumentError, match="not XML"):
        eforms.to_notice(NOTICE.format(head=HEAD, name="&e;").encode())


def test_endless_nesting_is_refused() -> None:
    deep = "<cbc:Note>" * 5000 + "</cbc:Note>" * 5000
    with pytest.raises(UnreadableDocumentError):
        eforms.to_notice(NOTICE.format(head=HEAD + deep, name="n").encode())


def test_an_xinclude_is_just_an_element() -> None:
    include = '<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/hostname" parse="text"/>'
    assert eforms.to_notice(NOTICE.format(head=HEAD, name=f"Titel{include}").encode()).title == "Titel"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_the_declared_encoding_is_used(encoding: str) -> None:
    declared = f'<?xml version="1.0" encoding="{encoding}"?>' + NOTICE.format(head=HEAD, name="Straße")
    assert eforms.to_notice(declared.encode(encoding)).title == "Straße"


def is_storable(notice: Notice) -> None:
    snapshot = json.dumps(to_json(notice), ensure_ascii=False)
    assert "\\u0000" not in snapshot
    snapshot.encode("utf-8")
    assert from_json(json.loads(snapshot)).notice_id == notice.notice_id


WELL_FORMED = NOTICE.format(head=HEAD, name="Titel").encode()


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(WELL_FORMED) - 1), st.binary(max_size=4)), min_size=1, max_size=4))
def test_damaged_xml_is_a_notice_or_unreadable(damage: list[tuple[int, bytes]]) -> None:
    content = bytearray(WELL_FORMED)
    for place, replacement in damage:
        content[place : place + len(replacement)] = replacement
    with contextlib.suppress(UnreadableDocumentError):
        is_storable(eforms.to_notice(bytes(content)))


TEXTS = st.text(max_size=12) | st.sampled_from(
    ["DEU", "2026-10-02+02:00", "10:00:00Z", "-1", "1e400", "https://x.example", "selec-w"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.dictionaries(st.sampled_from(["deu", "MUL", "", "pdf"]) | TEXTS, parts, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from([*ted_json.FIELDS, "links", "buyer-city", "submission-url-lot"]), VALUES, max_size=12
    )
)
def test_any_record_with_a_number_is_a_notice(record: dict[str, Any]) -> None:
    is_storable(ted_json.to_notice(record | {"publication-number": "1-2026"}))


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_any_other_value_is_unreadable(value: Any) -> None:
    with contextlib.suppress(UnreadableDocumentError):
        is_storable(ted_json.to_notice(value))
