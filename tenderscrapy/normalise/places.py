"""Countries, languages, NUTS codes and time zones, in the forms that Notice uses. Unknown codes stay as written."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError
from babel.core import get_global

_TERRITORIES: Any = get_global("territory_aliases")
_LANGUAGES: Any = get_global("language_aliases")
_ZONES: Any = get_global("territory_zones")

_ENGLISH = Locale.parse("en")

#: Kosovo has no ISO code; the EU authority table says 1A0, most others XK or XKX. EL is the EU's own code of Greece.
_COUNTRIES = {"1A0": "XK", "XKX": "XK", "EL": "GR", "UK": "GB"}
#: States that fell apart have several successors, private codes none: neither is translated.
_COUNTRIES |= {
    code: names[0]
    for code, names in _TERRITORIES.items()
    if re.fullmatch("[A-Z]{3}", code) and len(names) == 1 and names[0] in _ENGLISH.territories and names[0] != "ZZ"
}

#: Countries with statistical regions: members, EFTA, candidates and the United Kingdom as it was coded.
_NUTS_COUNTRY = (
    "A[LT]|B[AEG]|C[HYZ]|D[EK]|E[ELS]|F[IR]|GR|H[RU]|I[EST]|L[ITUV]|M[EKT]|N[LO]|P[LT]|R[OS]|S[EIK]|TR|U[AK]|XK"
)
_NUTS = re.compile(rf"(?:{_NUTS_COUNTRY})[0-9A-Z]{{1,3}}")

#: The capital's zone, for countries that have several.
_CAPITAL_ZONES = {
    "AR": "America/Argentina/Buenos_Aires",
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "CA": "America/Toronto",
    "CD": "Africa/Kinshasa",
    "CL": "America/Santiago",
    "CN": "Asia/Shanghai",
    "CY": "Asia/Nicosia",
    "DE": "Europe/Berlin",
    "EC": "America/Guayaquil",
    "ES": "Europe/Madrid",
    "FM": "Pacific/Pohnpei",
    "GL": "America/Nuuk",
    "ID": "Asia/Jakarta",
    "KI": "Pacific/Tarawa",
    "KZ": "Asia/Almaty",
    "MH": "Pacific/Majuro",
    "MN": "Asia/Ulaanbaatar",
    "MX": "America/Mexico_City",
    "MY": "Asia/Kuala_Lumpur",
    "NZ": "Pacific/Auckland",
    "PF": "Pacific/Tahiti",
    "PG": "Pacific/Port_Moresby",
    "PS": "Asia/Hebron",
    "PT": "Europe/Lisbon",
    "RU": "Europe/Moscow",
    "UA": "Europe/Kyiv",
    "US": "America/New_York",
    "UZ": "Asia/Tashkent",
    "XK": "Europe/Belgrade",
}


def alpha2(code: str) -> str:
    """ISO 3166-1 alpha-2 of a country code in any of the forms sources use (``DEU``, ``EL``, ``de``); else verbatim."""
    written = code.strip()
    upper = written.upper()
    if upper in _COUNTRIES:
        return _COUNTRIES[upper]
    return upper if re.fullmatch("[A-Z]{2}", upper) else written


def is_country(code: str) -> bool:
    """Whether ``alpha2`` knows the code as a country's."""
    return code.strip().upper() in _COUNTRIES or code.strip().upper() in _ENGLISH.territories


def is_nuts(code: str) -> bool:
    """Whether the code is a NUTS region of level 1 to 3 (``DE4`` to ``DE40E``). ``FRA`` and ``DEU`` are countries."""
    code = code.strip().upper()
    return bool(_NUTS.fullmatch(code)) and code not in _COUNTRIES


def nuts_country(code: str) -> str:
    """The alpha-2 country of a NUTS code: ``EL301`` is in GR, ``UKI`` in GB."""
    return alpha2(code.strip()[:2])


def zone_of(country: str | None) -> str | None:
    """The IANA zone of the country's capital; None for an unknown country."""
    if not country:
        return None
    code = alpha2(country)
    zones = _ZONES.get(code, [])
    return _CAPITAL_ZONES.get(code) or (zones[0] if len(zones) == 1 and code.isalpha() else None)


@lru_cache(maxsize=1024)
def language2(code: str) -> str:
    """ISO 639-1 of a language code or tag (``deu``, ``ger``, ``POL``, ``pt-PT``); one without is kept, lower case."""
    code = re.split("[-_]", code.strip().lower(), maxsplit=1)[0]
    if len(code) != 3:
        return code
    short = str(_LANGUAGES.get(code, code)).split("_", maxsplit=1)[0]
    return short if len(short) == 2 else code


def country_name(country: str, locale: str) -> str:
    """The country's name in a language (``de``); the code itself when it has none there. Unknown locale: English."""
    return str(_locale(locale).territories.get(alpha2(country), country))


@lru_cache(maxsize=128)
def _locale(locale: str) -> Locale:
    try:
        return Locale.parse(locale, sep="-" if "-" in locale else "_")
    except (UnknownLocaleError, ValueError, TypeError):
        return _ENGLISH
