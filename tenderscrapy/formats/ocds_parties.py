"""Buyers of an OCDS release: who they are and where; their contact points are never read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tenderscrapy.items import Buyer
from tenderscrapy.normalise.buyers import buyer_name
from tenderscrapy.normalise.places import alpha2, is_country
from tenderscrapy.normalise.privacy import MARK, without_contacts
from tenderscrapy.normalise.text import clean_title

if TYPE_CHECKING:
    from tenderscrapy.formats.ocds_publishers import Publisher
    from tenderscrapy.formats.reading import Json, Reader

#: An id that only joins the parts of one release: says nothing about the organisation.
_LOCAL_ID = re.compile(r"org-?\d+|ORG-\d+|TPO-\d+|\d{1,4}|[0-9a-f]{32}", re.IGNORECASE)
_REGISTER = re.compile(r"[A-Z]{2}-[A-Z0-9]+-.+")
_COUNTRY_NAMES = {
    "england": "GB",
    "eng": "GB",
    "scotland": "GB",
    "wales": "GB",
    "cymru": "GB",
    "northern ireland": "GB",
    "united kingdom": "GB",
    "great britain": "GB",
    "germany": "DE",
    "deutschland": "DE",
}


def country_of(address: Json) -> str | None:
    """ISO 3166-1 alpha-2 of an address, from its code or a name that is known; None for anything else."""
    for name in ("country", "countryName"):
        written = address.get(name)
        text = clean_title(written) if isinstance(written, str) else None
        if text:
            code = _COUNTRY_NAMES.get(text.casefold()) or (alpha2(text) if is_country(text) else None)
            if code:
                return code
    return None


def read_buyers(release: Json, publisher: Publisher, reader: Reader) -> None:
    """Fill the notice's buyer_name, buyers and country.

    The name is release.buyer's, else that of the first party in the role of buyer, else the procuring entity's.
    ids are not looked up: in German releases they do not resolve. Other buyers follow in the order of the parties.
    """
    notice = reader.notice
    parties = reader.parts(release, "parties")
    buyers = [reader.part(release, "buyer"), *(party for party in parties if _has_role(party, "buyer"))]
    notice.buyers = _distinct(buyers, reader)
    if not notice.buyers:
        entity = reader.part(reader.part(release, "tender"), "procuringEntity")
        entities = [entity, *(party for party in parties if _has_role(party, "procuringEntity"))]
        notice.buyers = _distinct(entities, reader)
    notice.buyer_name = notice.buyers[0].name if notice.buyers else None
    notice.country = publisher.country or next((b.country for b in notice.buyers if b.country), None)


def _distinct(organisations: list[Json], reader: Reader) -> list[Buyer]:
    """One buyer a name; what one mention leaves out another may tell."""
    found: dict[str, Buyer] = {}
    for organisation in organisations:
        buyer = _buyer(organisation, reader)
        if buyer is not None:
            known = found.setdefault(buyer.name, buyer)
            known.identifier = known.identifier or buyer.identifier
            known.country = known.country or buyer.country
            known.city = known.city or buyer.city
    return list(found.values())


def _has_role(party: Json, role: str) -> bool:
    roles = party.get("roles")
    return roles == role or (isinstance(roles, list) and role in roles)


def _buyer(organisation: Json, reader: Reader) -> Buyer | None:
    name = buyer_name(organisation.get("name")) or buyer_name(reader.part(organisation, "identifier").get("legalName"))
    if name is None:
        if organisation.get("name") and not isinstance(organisation["name"], str):
            reader.flag("buyer_name_unreadable", "buyer_name", organisation["name"])
        return None
    address = reader.part(organisation, "address")
    city = address.get("locality")
    return Buyer(
        name=name,
        identifier=_identifier(organisation, reader),
        country=country_of(address),
        city=clean_title(city) if isinstance(city, str) else None,
    )


def _identifier(organisation: Json, reader: Reader) -> str | None:
    """The official number; German releases swap it with the local id, and some give a telephone number."""
    official = reader.part(organisation, "identifier")
    scheme, number = reader.identifier(official, "scheme"), reader.identifier(official, "id")
    local = reader.identifier(organisation, "id")
    if number and not re.fullmatch(r"ORG-\d+|TPO-\d+", number):
        text = f"{scheme}-{number}" if scheme and not number.startswith(f"{scheme}-") else number
    elif local and (_REGISTER.fullmatch(local) or not _LOCAL_ID.fullmatch(local)):
        text = local
    else:
        return None
    return None if MARK in without_contacts(text) else clean_title(text)
