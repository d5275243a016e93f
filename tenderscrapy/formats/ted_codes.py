"""What TED's numbers and codes mean, the same for its search API, eForms and the older XML.

Codes are those of the eForms SDK's code lists (form-type, notice-type, winner-selection-status,
change-corrig-justification).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tenderscrapy.normalise.places import language2

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

_PUBLICATION_NUMBER = re.compile(r"0*(\d{1,8})-(\d{4})", re.ASCII)

#: Consulted after a notice's own languages. TED writes ISO 639-2 codes.
_WIDELY_READ = ("eng", "deu", "fra")

_STATUS_OF_FORM = {
    "planning": "planned",
    "consultation": "planned",
    "competition": "open",
    "dir-awa-pre": "awarded",
    "result": "awarded",
    "cont-modif": "awarded",
    "completion": "awarded",
}
#: For records without form type. pin-cfc and qu-sy ask for bids, although they are titled prior information.
_STATUS_OF_TYPE = (
    (("pin-cfc", "qu-sy", "cn-", "subco"), "open"),
    (("pin-", "pmc"), "planned"),
    (("can-", "veat", "compl"), "awarded"),
)


def publication_number(text: str | None) -> str | None:
    """``00596416-2026`` and ``596416-2026`` are both ``596416-2026``; None when it is no publication number."""
    match = _PUBLICATION_NUMBER.fullmatch(text.strip()) if text else None
    return f"{match[1]}-{match[2]}" if match else None


def page_url(number: str) -> str:
    """The page of a notice on TED, for people."""
    return f"https://ted.europa.eu/en/notice/-/detail/{number}"


def status(
    form_type: str | None, notice_type: str | None, outcomes: Collection[str], reasons: Collection[str]
) -> str | None:
    """The status of Notice. ``outcomes``: winner selection of each result; ``reasons``: why a notice was changed.

    A change with reason ``cancel`` cancels (``cancel-intent`` does not yet), so does a result without any winner.
    """
    stated = _STATUS_OF_FORM.get(form_type or "")
    if stated is None and notice_type:
        stated = next((name for starts, name in _STATUS_OF_TYPE if notice_type.startswith(starts)), None)
    if "cancel" in reasons or (stated == "awarded" and outcomes and set(outcomes) == {"clos-nw"}):
        return "cancelled"
    return stated


def preferred_language(available: Iterable[str], official: Sequence[str]) -> str | None:
    """Which of the ``available`` language codes to read: the notice's own, else a widely read one, else the first.

    Compares by meaning: ``POL``, ``pol`` and ``pl`` are one language. The first means first in the alphabet: the order
    of the keys of an answer says nothing.
    """
    by_language = {language2(code): code for code in sorted(available, reverse=True)}
    for code in (*official, *_WIDELY_READ):
        if language2(code) in by_language:
            return by_language[language2(code)]
    return min(by_language.values(), default=None)


def written_language(code: str) -> str | None:
    """The ISO 639-1 code of a language key of TED; None for what is no language (``mul``, an empty key)."""
    language = language2(code)
    return language if re.fullmatch("[a-z]{2,3}", language) and language not in {"mul", "und", "zxx"} else None
