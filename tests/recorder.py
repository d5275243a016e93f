"""Recorded conversations with the sources.

Tests replay them without a server (``conversation``, ``source_spider``, ``read``). ``python tests/recorder.py --source
ted|contracts_finder`` records them anew from the portal simulator; with ``--live`` it asks the live service for a few
notices instead, takes contact persons out of the answers and keeps the cassettes apart from the tests' own, since
those name invented notices.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import betamax
import requests
from betamax.configure import Configuration
from betamax.serializers.json_serializer import JSONSerializer
from scrapy.http import Headers, Request, Response
from scrapy.responsetypes import responsetypes
from scrapy.utils.test import get_crawler

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from portal_simulator import (  # noqa: E402
    PortalSimulator,
    invented_contracts_finder_releases,
    invented_ted_notices,
)
from portal_simulator.contracts_finder import SITE as CONTRACTS_FINDER_SITE  # noqa: E402
from portal_simulator.pages import TED_SITE  # noqa: E402
from spiders import contracts_finder  # noqa: E402
from spiders.contracts_finder import ContractsFinderSpider  # noqa: E402
from spiders.ted import TedSpider  # noqa: E402
from tenderscrapy.config import config  # noqa: E402
from tenderscrapy.normalise.privacy import without_contacts  # noqa: E402
from tenderscrapy.sources.walk import Cursor, WalkArguments, plan  # noqa: E402

if TYPE_CHECKING:
    from spiders.base import PagedSpider
    from tenderscrapy.items import SourcePage

CASSETTES = ROOT / "tests" / "cassettes"
#: Stands for the recorded service's address when a cassette is replayed.
PORTAL = "http://portal.example"
PLACEHOLDER = "<PORTAL>"
LAST_DAY = date(2026, 11, 20)
SINCE = date(2026, 11, 10)
#: Notices a page in cassettes, so that a walk of several pages stays small.
PAGE = 2
SPIDERS: dict[str, type[PagedSpider]] = {"ted": TedSpider, "contracts_finder": ContractsFinderSpider}
PATHS = {"ted": "/v3/notices/search", "contracts_finder": "/Published/Notices/OCDS/Search"}
#: Headers of the transfer, untrue once requests has decoded the body, and of the moment.
_TRANSFER = {"content-encoding", "content-length", "transfer-encoding", "date", "set-cookie"}

Ask = Callable[[Request], Response]


class _IndentedSerializer(JSONSerializer):
    name = "indented"

    def serialize(self, cassette_data: dict[str, Any]) -> str:
        return json.dumps(cassette_data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _tidy(interaction: Any, cassette: Any) -> None:
    """Placeholders change the length of a body; dates would change every cassette at every recording."""
    del cassette
    interaction.data["recorded_at"] = f"{LAST_DAY}T00:00:00"
    for name in ("Content-Length", "Date"):
        interaction.data["response"]["headers"].pop(name, None)


betamax.Betamax.register_serializer(_IndentedSerializer)
Configuration().before_record(callback=_tidy)


@contextmanager
def conversation(name: str, base: str = PORTAL, *, record: bool = False, folder: Path = CASSETTES) -> Iterator[Ask]:
    """Ask the service at ``base`` what a spider would ask it; by default the cassette answers and nobody is asked.

    A request that the cassette does not hold raises betamax's error, which names both.
    """
    if record:
        (folder / f"{name}.json").unlink(missing_ok=True)
    session = requests.Session()
    session.trust_env = False
    session.headers.clear()
    recorder = betamax.Betamax(session, cassette_library_dir=str(folder))
    recorder.use_cassette(
        name,
        serialize_with=_IndentedSerializer.name,
        record="once" if record else "none",
        match_requests_on=["method", "uri", "body"],
        placeholders=[{"placeholder": PLACEHOLDER, "replace": base}],
    )
    with session, recorder:
        yield lambda request: _response(session, request)


def _response(session: requests.Session, request: Request) -> Response:
    answer = session.request(
        request.method,
        request.url,
        headers={str(name): str(value) for name, value in request.headers.to_unicode_dict().items()},
        data=request.body or None,
        allow_redirects=False,
        timeout=60,
    )
    headers = Headers({name: value for name, value in answer.headers.items() if name.lower() not in _TRANSFER})
    kind = responsetypes.from_args(headers=headers, url=request.url, body=answer.content)
    return kind(request.url, status=answer.status_code, headers=headers, body=answer.content, request=request)


def source_spider(source: str, url: str | None = None, *, since: date = SINCE) -> PagedSpider:
    """The spider of ``source`` ready to ask ``url``, two notices a page; no database is opened."""
    settings = {
        "TED_API_URL": url or PORTAL + PATHS["ted"],
        "CONTRACTS_FINDER_URL": url or PORTAL + PATHS["contracts_finder"],
        "ALLOW_PRIVATE_HOSTS": config().allow_private_hosts,
    }
    crawler = get_crawler(SPIDERS[source], settings)
    spider = SPIDERS[source].from_crawler(crawler)
    crawler.spider = spider
    if isinstance(spider, TedSpider):
        spider.limit = PAGE
    spider.run.walk = plan(WalkArguments(since=since), Cursor(), fields=spider.fields, zone=spider.zone)
    return spider


def ask_page(spider: PagedSpider, ask: Ask, cursor: Any = None) -> Response:
    """The source's answer for the page at ``cursor``."""
    request = spider.page_request(cursor)
    request.meta["cursor"] = cursor
    return ask(request)


def read(spider: PagedSpider, ask: Ask, most: int = 10) -> list[SourcePage]:
    """The pages of a walk until an empty one, one without a next, or ``most`` of them."""
    pages: list[SourcePage] = []
    cursor = None
    while len(pages) < most:
        pages.append(spider.parse_page(ask_page(spider, ask, cursor)))
        cursor = pages[-1].next_cursor
        if cursor is None or not pages[-1].count:
            break
    return pages


@contextmanager
def small_pages() -> Iterator[None]:
    """Contracts Finder in pages small enough for a cassette."""
    usual, contracts_finder.ContractsFinderSpider.limit = contracts_finder.ContractsFinderSpider.limit, PAGE
    try:
        yield
    finally:
        contracts_finder.ContractsFinderSpider.limit = usual


def record_ted(simulator: PortalSimulator) -> None:
    """A walk, a page that timed out, a refused field, a rate limit, an expired token."""
    spider = source_spider("ted", simulator.ted_url)
    with conversation("ted_walk", simulator.url, record=True) as ask:
        read(spider, ask)
    simulator.ted.time_out()
    with conversation("ted_timed_out", simulator.url, record=True) as ask:
        for _ in range(2):
            ask_page(spider, ask)
    simulator.ted.rate_limit(times=2)
    with conversation("ted_rate_limit", simulator.url, record=True) as ask:
        for _ in range(3):
            ask_page(spider, ask)
    with conversation("ted_expired_token", simulator.url, record=True) as ask:
        token = spider.parse_page(ask_page(spider, ask)).next_cursor
        simulator.ted.expire_tokens()
        ask_page(spider, ask, token)
    spider.fields = (*spider.fields, "deadline-receipt-tenders")
    with conversation("ted_unknown_field", simulator.url, record=True) as ask:
        ask_page(spider, ask)


def record_contracts_finder(simulator: PortalSimulator) -> None:
    """A walk to its end, and a rate limit."""
    spider = source_spider("contracts_finder", simulator.contracts_finder_url)
    with conversation("contracts_finder_walk", simulator.url, record=True) as ask:
        read(spider, ask)
    simulator.contracts_finder.rate_limit(times=2)
    with conversation("contracts_finder_rate_limit", simulator.url, record=True) as ask:
        for _ in range(3):
            ask_page(spider, ask)


def record_live(source: str, folder: Path) -> None:
    """Two pages of yesterday's notices from the live service; says what the spider made of them."""
    folder.mkdir(parents=True, exist_ok=True)
    Configuration().before_record(callback=_without_people)
    url = config().ted_api_url if source == "ted" else config().contracts_finder_url
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    spider = source_spider(source, url, since=yesterday)
    agent = {"User-Agent": f"tenderscrapy (+{config().contact})"}
    with conversation(f"{source}_live", url.removesuffix(PATHS[source]), record=True, folder=folder) as ask:
        pages = read(spider, lambda request: ask(request.replace(headers=request.headers | agent)), most=2)
    for page in pages:
        sys.stdout.write(f"{page.count} of {page.announced}, {page.rejected} unreadable\n")
        sys.stdout.writelines(f"  {notice.notice_id} {notice.title}\n" for notice in page.notices)


def _without_people(interaction: Any, cassette: Any) -> None:
    """Contact persons are in no cassette."""
    del cassette
    body = interaction.data["response"]["body"]
    if "base64_string" in body:
        body["string"] = interaction.recorded_response.content.decode("utf-8", "replace")
        del body["base64_string"]
        interaction.data["response"]["headers"].pop("Content-Encoding", None)
    try:
        body["string"] = json.dumps(without_contacts(json.loads(body["string"])), ensure_ascii=False)
    except ValueError:
        body["string"] = without_contacts(body["string"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="recorder", description="Record the cassettes of a source anew.")
    parser.add_argument("--source", choices=sorted(SPIDERS), required=True)
    parser.add_argument("--live", action="store_true", help="ask the live service, two pages")
    parser.add_argument("--into", type=Path, default=ROOT / "var" / "cassettes", help="folder of live cassettes")
    given = parser.parse_args()
    with small_pages():
        if given.live:
            record_live(given.source, given.into)
            return
        with PortalSimulator(
            ted_notices=invented_ted_notices(4, last_day=LAST_DAY, days=5),
            contracts_finder_releases=invented_contracts_finder_releases(5, last_day=LAST_DAY, days=5),
        ) as simulator:
            simulator.ted.files_base = TED_SITE
            simulator.contracts_finder.files_base = CONTRACTS_FINDER_SITE
            {"ted": record_ted, "contracts_finder": record_contracts_finder}[given.source](simulator)


if __name__ == "__main__":
    main()
