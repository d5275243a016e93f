"""The names that the TED search API knows. Those beside the BT numbers are the ones that notices are described by."""

from __future__ import annotations

from functools import cache

_NAMED = """
additional-classification-lot additional-classification-proc award-criterion-type-lot
buyer-category buyer-city buyer-contact-point buyer-country buyer-country-sub buyer-email buyer-identifier
buyer-internet-address buyer-legal-type buyer-name buyer-post-code buyer-profile
change-description change-notice-version-identifier change-previous-notice-section-identifier
change-procurement-documents change-reason-code change-reason-description classification-cpv
contract-conclusion-date contract-duration-end-date-lot contract-duration-period-lot
contract-duration-start-date-lot contract-nature contract-nature-add-proc contract-nature-main-lot
contract-nature-main-proc contract-title
deadline deadline-date-lot deadline-date-part deadline-time-lot
deadline-receipt-answers-date-lot deadline-receipt-answers-time-lot
deadline-receipt-expressions-date-lot deadline-receipt-expressions-time-lot
deadline-receipt-request deadline-receipt-request-date-lot deadline-receipt-request-time-lot
deadline-receipt-tender-date-lot deadline-receipt-tender-time-lot
description-glo description-lot description-part description-proc dispatch-date
document-restricted-lot document-restricted-url-lot document-restricted-url-part document-url-lot document-url-part
dps-usage-lot estimated-value-cur-glo estimated-value-cur-lot estimated-value-cur-proc estimated-value-glo
estimated-value-lot estimated-value-proc eu-registration-number-part form-type framework-agreement-lot
framework-maximum-value-cur-lot framework-maximum-value-lot future-notice
identifier-glo identifier-lot identifier-part internal-identifier-lot internal-identifier-part
internal-identifier-proc legal-basis legal-basis-proc links
main-activity main-classification-lot main-classification-part main-classification-proc
main-classification-type-lot main-classification-type-proc
no-negocaition-necessary-lot notice-identifier notice-subtype notice-title notice-type notice-version
official-language ojs-number organisation-city-buyer organisation-city-serv-prov organisation-country-buyer
organisation-email-buyer organisation-email-tenderer organisation-identifier-buyer organisation-name-buyer
organisation-person-addinfo-part
place-of-performance place-of-performance-city-lot place-of-performance-city-proc
place-of-performance-country-lot place-of-performance-country-part place-of-performance-country-proc
place-of-performance-post-code-lot place-of-performance-subdiv-lot place-of-performance-subdiv-proc
procedure-accelerated procedure-features procedure-identifier procedure-justification procedure-type
public-opening-date-lot publication-date publication-number received-submissions-type-val
recurrence-lot result-framework-maximum-value-cur-notice result-framework-maximum-value-notice
result-lot-identifier result-value-cur-notice result-value-lot result-value-notice
sme-lot sme-part source-language submission-language submission-url-lot subcontracting-obligation-lot
tender-value tender-value-cur tender-value-highest tender-value-lowest title-glo title-lot title-part title-proc
total-value total-value-cur touchpoint-gateway-ted-esen
winner-city winner-country winner-decision-date winner-identifier winner-name winner-selection-status winner-size
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
