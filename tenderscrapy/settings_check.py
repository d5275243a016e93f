"""Settings that come from a command line or an environment, held against what their readers can use."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.http.url_guard import PrivateHosts

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

#: Numbers with the least that makes sense of each; the first are whole.
_WHOLE: Final = {
    "ATTACHMENTS_CONCURRENCY": 1,
    "ATTACHMENTS_PER_HOST": 1,
    "ATTACHMENT_MAX_BYTES": 1,
    "BROWSER_PAGES": 1,
    "CONCURRENT_ITEMS": 1,
    "CONCURRENT_REQUESTS": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
    "DOWNLOAD_MAXSIZE": 0,
    "REDIRECT_MAX_TIMES": 0,
    "RETRY_TIMES": 0,
}
_NUMBERS: Final = {
    "ATTACHMENTS_BUDGET": 0,
    "ATTACHMENT_IDLE_TIMEOUT": 0,
    "AUTOTHROTTLE_MAX_DELAY": 0,
    "AUTOTHROTTLE_START_DELAY": 0,
    "BROWSER_PAGE_TIMEOUT": 0,
    "COOLDOWN_403": 0,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 0,
    "RETRY_AFTER_MAX": 0,
}


def check_settings(settings: BaseSettings) -> None:
    """Raise ConfigurationError that names the first setting that cannot be used, and what it must be."""
    for name, least in _WHOLE.items():
        _number(name, settings.get(name), least, whole=True)
    for name, least in _NUMBERS.items():
        _number(name, settings.get(name), least)
    PrivateHosts.parse(settings.get("ALLOW_PRIVATE_HOSTS"))
    if amqp_url := settings.get("AMQP_URL"):
        from tenderscrapy.messaging import broker  # most installations have none, and the client takes long to load

        broker.parameters(amqp_url, "check")


def _number(name: str, value: object, least: int, *, whole: bool = False) -> None:
    if value is None:
        return
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number < least or (whole and not number.is_integer()):
        kind = "a whole number" if whole else "a number"
        raise ConfigurationError(f"{name}={value!r} is not {kind} of {least} or more")
