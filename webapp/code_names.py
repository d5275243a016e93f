"""What the usual codes of notices and procedures are called; every other code is shown as it is written.

TED's are the codelists ``notice-type``, ``procurement-procedure-type`` and ``change-corig-justification`` of the eForms
SDK, its older ones those of TED_EXPORT; OCDS has release tags and ``procurementMethod``.
"""

from __future__ import annotations

NOTICE_TYPES = {
    "pin-buyer": "Prior information on a buyer profile",
    "pin-only": "Prior information",
    "pin-rtl": "Prior information, shorter time limits",
    "pin-tran": "Prior information, public transport",
    "pin-cfc-standard": "Prior information as call for competition",
    "pin-cfc-social": "Prior information as call for competition, social services",
    "qu-sy": "Qualification system",
    "cn-standard": "Contract notice",
    "cn-social": "Contract notice, social services",
    "cn-desg": "Design contest",
    "subco": "Subcontracting notice",
    "veat": "Voluntary ex-ante transparency notice",
    "can-standard": "Contract award",
    "can-social": "Contract award, social services",
    "can-desg": "Result of a design contest",
    "can-tran": "Contract award, public transport",
    "can-modif": "Contract modification",
    "pmc": "Market consultation",
    "compl": "Contract completion",
    "corr": "Correction",
    "0": "Prior information",
    "2": "Additional information",
    "3": "Contract notice",
    "7": "Contract award",
    "planning": "Planning",
    "planningUpdate": "Planning, updated",
    "tender": "Tender",
    "tenderUpdate": "Tender, updated",
    "tenderAmendment": "Tender, amended",
    "tenderCancellation": "Cancellation",
    "award": "Award",
    "awardUpdate": "Award, updated",
    "awardCancellation": "Award, cancelled",
    "contract": "Contract",
    "contractUpdate": "Contract, updated",
    "contractAmendment": "Contract, amended",
    "contractTermination": "Contract, ended",
    "implementation": "Implementation",
}
PROCEDURES = {
    "open": "Open",
    "restricted": "Restricted",
    "neg-w-call": "Negotiated, with a call for competition",
    "neg-wo-call": "Negotiated, without a call for competition",
    "comp-dial": "Competitive dialogue",
    "comp-tend": "Competitive tendering",
    "innovation": "Innovation partnership",
    "oth-single": "Other, in one stage",
    "oth-mult": "Other, in several stages",
    "exp-int-rail": "Call for expressions of interest, rail",
    "selective": "Selective: invited or qualified suppliers",
    "limited": "Limited: chosen suppliers",
    "direct": "Direct award",
    "1": "Open",
    "2": "Restricted",
    "4": "Negotiated",
}
CHANGE_REASONS = {
    "cancel": "Notice cancelled",
    "cancel-intent": "To be cancelled",
    "cor-buy": "Correction by the buyer",
    "cor-esen": "Correction by the sender",
    "cor-pub": "Correction by the publisher",
    "info-release": "Information now available",
    "susp-review": "Suspended for a review",
    "update-add": "Information updated or added",
}
_NAMES = {"notice_type": NOTICE_TYPES, "procedure_type": PROCEDURES, "change_reason": CHANGE_REASONS}


def code_name(code: str, field: str) -> str:
    """``code`` in words; of several release tags (``award,contract``) each. An unknown code stays."""
    names = _NAMES.get(field, {})
    if code in names:
        return names[code]
    return ", ".join(names.get(part, part) for part in code.split(","))
