"""Invented people, planted in notices of every format wherever publishers write people, and how they would show."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from eforms_document import UUID, document, lot, party, project

from portal_simulator import invented_contracts_finder_releases

#: No index of the database takes it: a notice that carries it in a key or a code ends in quarantine.
UNSTORABLE = "".join(random.Random(7).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=12_000))


@dataclass(frozen=True, slots=True)
class Person:
    """``phone`` is from a range kept for fiction, in international form with blanks."""

    first: str
    last: str
    phone: str

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def email(self) -> str:
        return f"{self.first}.{self.last}@example.org".lower()

    @property
    def national(self) -> str:
        """The number as it is dialled at home: ``030 23125 471``."""
        _, area, *rest = self.phone.split(" ")
        return " ".join([f"0{area}", *rest])

    def found_in(self, text: str, digits: str) -> list[str]:
        """What of the person is in ``text``, which is lower case; ``digits`` is the same without what parts digits."""
        words = (self.last.lower(), self.email.partition("@")[0], self.first.lower())
        numbers = {re.sub(r"\D", "", number) for number in (self.phone, self.national)}
        return [f"{self.name}: {word}" for word in words if word in text] + [
            f"{self.name}: {number}" for number in numbers if number in digits
        ]


TED = Person("Ottilie", "Pflanzmann", "+49 30 23125 471")
TED_ASIDE = Person("Wendelin", "Beetfeger", "+49 30 23125 472")
TED_DROPPED = Person("Kunigunde", "Harkenstiel", "+49 30 23125 473")
CONTRACTS_FINDER = Person("Renwick", "Thistledown", "+44 1632 960 471")
CONTRACTS_FINDER_ASIDE = Person("Philippa", "Nettlebed", "+44 1632 960 472")
CONTRACTS_FINDER_DROPPED = Person("Barnaby", "Quickthorn", "+44 1632 960 473")
EFORMS = Person("Marijke", "Distelvink", "+49 40 66969 471")
EFORMS_ASIDE = Person("Joost", "Braamstruik", "+49 40 66969 472")
EXPORT = Person("Gunhild", "Ampferstrauch", "+49 69 90009 471")
EXPORT_ASIDE = Person("Korbinian", "Wegerich", "+49 69 90009 472")
PEOPLE = tuple(person for person in globals().values() if isinstance(person, Person))


def without_separators(text: str) -> str:
    """``text`` with digits that only blanks and marks part joined, so that a number shows however it is written."""
    return re.sub(r"(?<=\d)(?:[\s()/.\-–\xa0]|\\[nt])+(?=\d)", "", text.replace("(0)", ""))


def german_text(person: Person) -> str:
    """Running text of a notice as German buyers write it."""
    return (
        f"Die Unterlagen gibt es auf der Plattform. Ansprechpartnerin: Frau {person.name}, Tel.: {person.national}, "
        f"Fax: {person.phone}, E-Mail: {person.email}.\nRückfragen an Frau {person.last} unter "
        f"{person.phone.replace(' ', '')} oder {person.national.replace(' ', '/', 1).replace(' ', '-')}, "
        f"{person.email.replace('@', ' (at) ')}. Zu Händen: {person.name}\nDie Anlage hat 471 Räume."
    )


def english_text(person: Person) -> str:
    """Running text of a notice as British buyers write it."""
    return (
        f"Bidders may visit the site. For the attention of: {person.name}. Please contact {person.name} on "
        f"{person.national} or {person.phone}, mailto:{person.email}.\r\nContact name: {person.name}\r\n"
        f"Telephone: {person.national.replace(' ', '')} The depot has 471 bays."
    )


def ted_record(person: Person, number: str, **fields: Any) -> dict[str, Any]:
    """A record with contacts in its own fields, in texts, and where other things belong."""
    text = german_text(person)
    return {
        "publication-number": number,
        "publication-date": "2026-11-02+01:00",
        "official-language": ["DEU"],
        "notice-type": "cn-standard",
        "form-type": "competition",
        "title-proc": {"deu": f"Pflege der Beete, Kontakt: {person.name}, Tel. {person.national}"},
        "description-proc": {"deu": text},
        "identifier-lot": ["LOT-0001", "LOT-0002"],
        "title-lot": {"deu": [f"Los 1, Rückfragen: {person.email}", f"Los 2, Tel.: {person.phone}"]},
        "description-lot": {"deu": [text, text]},
        "buyer-name": {"deu": [f"Stadt Beetingen, z. Hd. Frau {person.name}"]},
        "buyer-country": ["DEU"],
        "buyer-identifier": [f"t:{re.sub(r'[^0-9]', '', person.national)}"],
        "internal-identifier-proc": f"Tel. {person.national}",
        "document-url-lot": [f"mailto:{person.email}"],
        "deadline-receipt-request": [f"Termin bei {person.email}"],
        "estimated-value-proc": f"Auskunft: {person.email}",
        "place-of-performance": [person.email],
        "classification-cpv": [person.email],
        "change-reason-code": [person.email],
        "buyer-email": [person.email],
        "buyer-person": [person.name],
        "buyer-contact-point": {"deu": [person.name]},
        "organisation-tel-buyer": [person.phone],
        "touchpoint-email-buyer": [person.email],
    } | fields


def release(person: Person, index: int, **members: Any) -> dict[str, Any]:
    """A release of an open call with contacts in every party and in texts."""
    point = {"name": person.name, "email": person.email, "telephone": person.phone, "faxNumber": person.national}
    found = invented_contracts_finder_releases(12)[index]
    text = english_text(person)
    buyer = {"name": f"Hazelford Council FAO: {person.name}", "contactPoint": point, "id": f"t:{person.phone}"}
    found["tender"] |= {
        "title": f"Hedge laying, contact: {person.name} {person.phone}",
        "description": text,
        "procuringEntity": {"name": "Hazelford Council", "contactPoint": point},
        "contactPoint": point,
        "documents": [{"id": "9", "url": f"mailto:{person.email}", "title": text, "description": text}],
        "lots": [{"id": "1", "title": f"Lot 1 {person.email}", "description": text}],
        "tenderPeriod": {"endDate": f"ask {person.email}"},
        "value": {"amount": f"ask {person.email}", "currency": "GBP"},
        "amendments": [{"rationale": text, "description": text}],
        "submissionMethodDetails": f"By mail to {person.email}",
        "procurementMethodDetails": f"Open, contact: {person.name}",
    }
    found["parties"] = [
        {**buyer, "roles": ["buyer", "procuringEntity"], "additionalContactPoints": [point]},
        {"name": "Invented Hedges Ltd", "id": "S-1", "contactPoint": point, "roles": ["supplier"]},
    ]
    supplier = {"id": "S-1", "name": "Invented Hedges Ltd", "contactPoint": point, "persones": [point]}
    award = {"id": "1", "title": text, "description": text, "suppliers": [supplier], "contactPoint": point}
    return found | {"buyer": buyer, "awards": [award], "contracts": [award], "description": text} | members


def eforms(person: Person, country: str = "NLD") -> bytes:
    """An eForms notice with contacts in company, touch point and owner, and in texts."""
    contact = (
        f"<cac:Contact><cbc:Name>{person.name}</cbc:Name><cbc:Telephone>{person.phone}</cbc:Telephone>"
        f"<cbc:Telefax>{person.national}</cbc:Telefax><cbc:ElectronicMail>{person.email}</cbc:ElectronicMail>"
        "</cac:Contact>"
    )
    key = "<cac:PartyIdentification><cbc:ID>{}</cbc:ID></cac:PartyIdentification>"
    company = (
        f"<efac:Company><cbc:EndpointID>{person.email}</cbc:EndpointID>{key.format('ORG-0001')}"
        f"<cac:PartyName><cbc:Name>Gemeente Distelstad, z.Hd. {person.name}</cbc:Name></cac:PartyName>"
        f"<cac:PostalAddress><cbc:CityName>Distelstad, Tel. {person.national}</cbc:CityName><cac:Country>"
        f"<cbc:IdentificationCode>{country}</cbc:IdentificationCode></cac:Country></cac:PostalAddress>"
        f"<cac:PartyLegalEntity><cbc:CompanyID>t:{person.phone}</cbc:CompanyID></cac:PartyLegalEntity>{contact}"
        f"</efac:Company><efac:TouchPoint>{key.format('TPO-0001')}{contact}</efac:TouchPoint>"
    )
    owner = (
        f"<efac:UltimateBeneficialOwner><cbc:FirstName>{person.first}</cbc:FirstName>"
        f"<cbc:FamilyName>{person.last}</cbc:FamilyName>{contact}</efac:UltimateBeneficialOwner>"
    )
    number = "<efac:Publication><efbc:NoticePublicationID>{}</efbc:NoticePublicationID></efac:Publication>"
    extended = f"<efac:Organizations><efac:Organization>{company}</efac:Organization>{owner}</efac:Organizations>"
    text = f"<cbc:Name>Heg, Kontakt: {person.name}</cbc:Name><cbc:Description>{german_text(person)}</cbc:Description>"
    terms = f"<cac:TenderRecipientParty><cbc:EndpointID>{person.email}</cbc:EndpointID></cac:TenderRecipientParty>"
    period = f"<cbc:EndDate>{person.email}</cbc:EndDate>"
    process = f"<cac:TenderSubmissionDeadlinePeriod>{period}</cac:TenderSubmissionDeadlinePeriod>"
    profile = f"<cbc:BuyerProfileURI>mailto:{person.email}</cbc:BuyerProfileURI>"
    own = f"{party('ORG-0001')}<cac:ContractingParty>{profile}</cac:ContractingParty>"
    body = own + project(text) + lot(project=text, terms=terms, process=process)
    data = document(body, number.format(f"000{person.phone[-3:]}00-2026") + extended)
    return data.replace(UUID.encode(), f"{UUID[:-3]}{person.phone[-3:]}".encode())  # each a procedure of its own


def ted_export(person: Person, country: str = "DE") -> bytes:
    """A notice in the older XML with contacts in the buyer's block and in texts."""
    paragraphs = "".join(f"<P>{line}</P>" for line in german_text(person).splitlines())
    return f"""<TED_EXPORT xmlns="http://publications.europa.eu/resource/schema/ted/R2.0.9/publication"
 DOC_ID="007{person.phone[-3:]}-2019"><CODED_DATA_SECTION><NOTICE_DATA><ISO_COUNTRY VALUE="{country}"/></NOTICE_DATA>
<CODIF_DATA><TD_DOCUMENT_TYPE CODE="3">x</TD_DOCUMENT_TYPE>
<DT_DATE_FOR_SUBMISSION>{person.email}</DT_DATE_FOR_SUBMISSION></CODIF_DATA></CODED_DATA_SECTION>
<FORM_SECTION><F02_2014 CATEGORY="ORIGINAL" LG="DE"><CONTRACTING_BODY><ADDRESS_CONTRACTING_BODY>
<OFFICIALNAME>Kreis Ampfer, zu Händen {person.name}</OFFICIALNAME><NATIONALID>Tel. {person.phone}</NATIONALID>
<TOWN>Ampfer, {person.email}</TOWN><CONTACT_POINT>{person.name}</CONTACT_POINT><ATTENTION>{person.name}</ATTENTION>
<PHONE>{person.phone}</PHONE><FAX>{person.national}</FAX><E_MAIL>{person.email}</E_MAIL>
</ADDRESS_CONTRACTING_BODY><URL_DOCUMENT>mailto:{person.email}</URL_DOCUMENT></CONTRACTING_BODY>
<OBJECT_CONTRACT><TITLE><P>Wegebau, Kontakt: {person.name}</P></TITLE>
<REFERENCE_NUMBER>Tel.: {person.national}</REFERENCE_NUMBER><SHORT_DESCR>{paragraphs}</SHORT_DESCR>
<OBJECT_DESCR ITEM="1"><TITLE><P>Los {person.email}</P></TITLE><LOT_NO>1</LOT_NO>
<SHORT_DESCR>{paragraphs}</SHORT_DESCR></OBJECT_DESCR></OBJECT_CONTRACT>
<COMPLEMENTARY_INFO><ADDRESS_REVIEW_BODY><OFFICIALNAME>Kammer</OFFICIALNAME><E_MAIL>{person.email}</E_MAIL>
</ADDRESS_REVIEW_BODY></COMPLEMENTARY_INFO></F02_2014></FORM_SECTION></TED_EXPORT>""".encode()
