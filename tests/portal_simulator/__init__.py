"""A portal of one's own: the TED search API, Contracts Finder, German archives, and files, served on 127.0.0.1.

Everything that it publishes is invented. It answers as the real services were observed to, refusals included, and
misbehaves on demand.
"""

from __future__ import annotations

from portal_simulator.exchange import Answer, Delivery, RecordedRequest
from portal_simulator.notices import invented_ted_notices
from portal_simulator.releases import invented_contracts_finder_releases, planted_contacts
from portal_simulator.server import PortalSimulator

__all__ = [
    "Answer",
    "Delivery",
    "PortalSimulator",
    "RecordedRequest",
    "invented_contracts_finder_releases",
    "invented_ted_notices",
    "planted_contacts",
]
