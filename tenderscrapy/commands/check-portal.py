"""``scrapy check-portal ID``: one page of a portal's list, what is found on it, and what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast
from zoneinfo import ZoneInfo

from tenderscrapy import command

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from tenderscrapy.portal_check import Check


class Command(command.Command):
    """Exit status 0 when a crawl may begin, 1 when something is wrong, 2 for a portal that is not described."""

    requires_crawler_process = False
    default_settings: ClassVar[dict] = {"LOG_LEVEL": "WARNING"}

    def syntax(self) -> str:
        return "[options] ID"

    def short_desc(self) -> str:
        return "Look at one page of a portal's list: rows, fields, robots.txt, what to do"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("--record", action="store_true", help="store the page as the portal's capture")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        opts.portal = args[0] if args else ""
        super().run(args[1:], opts)

    def work(self, opts: argparse.Namespace) -> int:
        from tenderscrapy.exceptions import ConfigurationError
        from tenderscrapy.http.url_guard import PrivateHosts
        from tenderscrapy.portal_check import check, record
        from tenderscrapy.sources.portals import portals

        settings = cast("BaseSettings", self.settings)
        private = str(settings.get("ALLOW_PRIVATE_HOSTS") or "")
        known = {found.id: found for found in portals(str(settings.get("PORTALS_FILE") or ""), private).values()}
        name = opts.portal.rpartition(":")[2]
        if name not in known:
            raise ConfigurationError(f"{opts.portal!r} is no portal; there are: {', '.join(sorted(known))}")
        found = check(known[name], PrivateHosts.parse(private))
        _show(found)
        if opts.record and found.page:
            print(f"  recorded  {record(found) / 'list.html'}; bring expected.json beside it up to date")
        return 0 if found.outcome.clean and not found.faults else 1


def _show(found: Check) -> None:
    from tenderscrapy.portal_check import FIELDS

    portal = found.portal
    print(f"{portal.code}  {portal.name}")
    print(f"  enabled   {'yes' if portal.enabled else f'no: {portal.disabled_reason}'}")
    print(f"  page      {found.url}")
    print(f"  robots    {found.robots}")
    print(f"  outcome   {found.outcome}" + (f" ({found.detail})" if found.detail else ""))
    print(f"  rows      {len(found.notices)}")
    if found.notices:
        shares = ", ".join(f"{name} {found.share(name):.0%}" for name in FIELDS)
        print(f"  fields    {shares}")
    for notice in found.notices[:3]:
        ends = notice.deadline_at
        zone = ZoneInfo(notice.deadline_zone or portal.timezone)
        until = f"{ends.astimezone(zone):%d.%m.%Y %H:%M}" if ends else "no deadline"
        print(f"  notice    {notice.notice_id} | {notice.title} | {notice.buyer_name or 'no authority'} | {until}")
    for line in found.advice() or ["nothing; scrapy crawl " + f"{portal.platform} -a portal={portal.id}"]:
        print(f"  to do     {line}")
