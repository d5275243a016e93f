"""Names that the TED search API knows: those that clients were seen to use, and BT numbers up to the true length."""

from __future__ import annotations

from functools import cache

_NAMED = """
accessibility-lot additional-classification-lot additional-classification-proc award-criterion-number-weight-lot
award-criterion-type-lot business-country business-identifier buyer-city buyer-contracting-entity buyer-country
buyer-country-sub buyer-email buyer-identifier buyer-legal-type buyer-name buyer-partname buyer-person buyer-post-code
buyer-profile change-description change-notice-version-identifier change-reason-code change-reason-description
classification-cpv contract-duration-end-date-lot contract-duration-period-lot contract-duration-start-date-lot
contract-identifier contract-nature contract-nature-main-proc deadline deadline-date-lot deadline-date-part
deadline-receipt-answers-date-lot deadline-receipt-answers-time-lot deadline-receipt-expressions-date-lot
deadline-receipt-expressions-time-lot deadline-receipt-request deadline-receipt-request-date-lot
deadline-receipt-request-time-lot deadline-receipt-tender-date-lot deadline-receipt-tender-time-lot
deadline-time-lot description-glo description-lot description-part description-proc
direct-award-justification-proc direct-award-justification-text-proc dispatch-date document-restricted-url-lot
document-url-lot dps-usage-lot duration-period-unit-lot duration-period-value-lot estimated-value-cur-glo
estimated-value-cur-lot estimated-value-cur-proc estimated-value-glo estimated-value-lot estimated-value-proc
eu-registration-number exclusion-grounds form-type framework-buyer-categories-lot framework-estimated-value
framework-maximum-value-lot framework-value-notice green-procurement-criteria-lot identifier-lot
internal-identifier-lot internal-identifier-proc ipi-measures-applicable-lot legal-basis legal-basis-proc
legal-basis-text links main-activity main-classification-lot main-classification-proc main-classification-type-proc
modification-previous-notice-identifier no-negocaition-necessary-lot non-award-justification notice-identifier
notice-subtype notice-title notice-type notice-version official-language organisation-city-buyer
organisation-city-serv-prov organisation-country-buyer organisation-email-buyer organisation-email-tenderer
organisation-name-tenderer organisation-person-addinfo-part place-of-performance place-of-performance-city-lot
place-of-performance-city-proc place-of-performance-country-lot place-of-performance-country-proc
place-of-performance-post-code-lot previous-notice-id-proc procedure-accelerated procedure-features
procedure-identifier procedure-justification procedure-type publication-date publication-number
received-submissions-type-code received-submissions-type-val result-framework-maximum-value-cur-notice
result-lot-identifier result-value-cur-lot result-value-cur-notice result-value-lot result-value-notice
sme-part social-objective-lot strategic-procurement-lot subcontracting-percentage subcontracting-value
subcontracting-value-cur submission-url-lot tender-identifier tender-lot-identifier tender-value tender-value-cur
title-glo title-lot title-part title-proc total-value total-value-cur touchpoint-gateway-ted-esen
touchpoint-partname-tenderer winner-country winner-decision-date winner-identifier winner-name
winner-owner-nationality winner-selection-status winner-size
"""
_SECTIONS = ("Lot", "LotResult", "Part", "Procedure", "LotsGroup", "Tender", "notice", "Organization-Company")
_LENGTH = 1_830


@cache
def known_fields() -> frozenset[str]:
    """About as many names as the real list has, since its length is part of what a client must bear."""
    named = set(_NAMED.split())
    numbers = (f"BT-{number}-{section}" for number in range(1, 900) for section in _SECTIONS)
    while len(named) < _LENGTH:
        named.add(next(numbers))
    return frozenset(named)
