"""The contracting parties of an eForms notice. Contacts and natural persons' names are never read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tenderscrapy.formats.eforms_xml import EXTENSION, Element, all_of, first, localised
from tenderscrapy.formats.notice_text import official_number, one_line
from tenderscrapy.formats.stated_facts import flag_once
from tenderscrapy.items import Buyer, Notice
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.places import alpha2

if TYPE_CHECKING:
    from collections.abc import Sequence

_ORGANIZATION = f"{EXTENSION}/efac:Organizations/efac:Organization"
_PARTY_ID = "cac:PartyIdentification/cbc:ID"
_COUNTRY = "cac:PostalAddress/cac:Country/cbc:IdentificationCode"


def set_buyers(notice: Notice, root: Element, languages: Sequence[str]) -> None:
    """Set ``buyers``, ``buyer_name`` and ``country`` in the order of cac:ContractingParty: the first is the primary.

    One buyer an organisation, named in the notice's language, however many languages it is named in and however often
    it appears. A party without a named organisation leaves the flag ``buyer_unknown``.
    """
    organisations = _organisations(root)
    seen: dict[str, Buyer] = {}
    for party in all_of(root, "cac:ContractingParty/cac:Party"):
        key = first(party, _PARTY_ID) or ""
        company = organisations.get(key, party)
        buyer = _buyer(company, languages)
        if buyer is None:
            flag_once(notice, "buyer_unknown", "buyers", key)
        else:
            seen.setdefault(key or buyer.name, buyer)
    notice.buyers = list(seen.values())
    if notice.buyers:
        notice.buyer_name = notice.buyers[0].name
        notice.country = next((buyer.country for buyer in notice.buyers if buyer.country), None)


def _organisations(root: Element) -> dict[str, Element]:
    """Companies by their own id and by those of their touch points, through which a party may be named."""
    found: dict[str, Element] = {}
    for organisation in all_of(root, _ORGANIZATION):
        companies = all_of(organisation, "efac:Company")
        for part in [*companies, *all_of(organisation, "efac:TouchPoint")]:
            key = first(part, _PARTY_ID)
            if key and companies:
                found.setdefault(key, companies[0])
    return found


def _buyer(company: Element, languages: Sequence[str]) -> Buyer | None:
    name = buyer_name(localised(company, "cac:PartyName/cbc:Name", languages)[0])
    if name is None:
        return None
    country = first(company, _COUNTRY)
    return Buyer(
        name,
        identifier=official_number(first(company, "cac:PartyLegalEntity/cbc:CompanyID")),
        country=alpha2(country) if country else None,
        city=one_line(first(company, "cac:PostalAddress/cbc:CityName")),
    )
