"""What a person would read of an XML document."""

from __future__ import annotations

import pytest
from lxml import etree

from indexer_worker.xml_text import text_of

NOTICE = b"""<ContractNotice xmlns="urn:oasis:names:specification:ubl:schema:xsd:ContractNotice-2"
  xmlns:cac="urn:a" xmlns:cbc="urn:b"><cbc:ID>471b-code</cbc:ID>
  <cac:Party><cbc:Name>Town of Example</cbc:Name>
    <cac:Contact><cbc:Name>Erika Beispiel</cbc:Name><cbc:ElectronicMail>e@example.org</cbc:ElectronicMail></cac:Contact>
  </cac:Party>
  <cac:ProcurementProject><cbc:Name languageID="DEU">D\xc3\xa4cher</cbc:Name><cbc:Description>Alle
    Schulen</cbc:Description><cbc:ItemClassificationCode>45261000</cbc:ItemClassificationCode></cac:ProcurementProject>
</ContractNotice>"""


def test_of_a_notice_only_what_people_wrote_is_read_and_nobodys_contact():
    assert text_of(NOTICE).splitlines() == ["Town of Example", "Dächer", "Alle Schulen"]


def test_of_another_document_everything_is_read_but_contacts_and_pictures():
    document = (
        b"<a>one<b>two</b>three<CONTACT_POINT>Erika<b>Beispiel</b></CONTACT_POINT>four<p>" + b"QUJD" * 200 + b"</p></a>"
    )
    assert text_of(document).splitlines() == ["one", "two", "three", "four"]


def test_entities_are_not_followed():
    with pytest.raises(etree.XMLSyntaxError):
        text_of(b'<!DOCTYPE a [<!ENTITY x "' + b"y" * 10 + b'">]><a>&x;&undefined;</a>')
