"""Every portal that ships has a page in its markup, and what is read from it is what a reader sees there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from parsel import Selector

from tenderscrapy.formats import cosinex_list
from tenderscrapy.formats.netserver_detail import read_detail
from tenderscrapy.formats.netserver_documents import read_documents
from tenderscrapy.formats.netserver_list import read_list, to_notice
from tenderscrapy.formats.page_outcome import Outcome
from tenderscrapy.identity.keys import strong_keys
from tenderscrapy.items import Notice, to_json
from tenderscrapy.sources.cosinex_schema import CosinexPortal
from tenderscrapy.sources.portal_schema import NetserverPortal, Portal
from tenderscrapy.sources.portals import portals

FOLDER = Path(__file__).resolve().parents[1] / "portals"
SHIPPED = {portal.id: portal for portal in portals("", "").values()}
NETSERVER = [portal for portal in SHIPPED.values() if isinstance(portal, NetserverPortal)]
OWN = [portal for portal in NETSERVER if portal.same_as is None]
COSINEX = [portal for portal in SHIPPED.values() if isinstance(portal, CosinexPortal) and portal.same_as is None]


def expected(portal: Portal) -> dict[str, Any]:
    return json.loads((FOLDER / portal.id / "expected.json").read_text(encoding="utf-8"))


def page(portal: Portal, name: str) -> Selector:
    return Selector(text=(FOLDER / portal.id / f"{name}.html").read_bytes().decode(portal.encoding or "utf-8"))


@pytest.mark.parametrize("portal", SHIPPED.values(), ids=lambda portal: portal.id)
def test_every_portal_has_a_page_of_its_own_or_names_one_like_it(portal) -> None:
    like = SHIPPED[portal.same_as] if portal.same_as else portal
    assert like.same_as is None, "same_as names a portal with a page of its own"
    assert like.platform == portal.platform
    about = json.loads((FOLDER / like.id / "expected.json").read_text(encoding="utf-8"))
    assert about["provenance"] in ("constructed", "captured")
    assert (FOLDER / like.id / "list.html").is_file()


def test_every_page_belongs_to_a_portal() -> None:
    assert {folder.name for folder in FOLDER.iterdir()} <= {
        id_ for id_, portal in SHIPPED.items() if not portal.same_as
    }


def seen(notice: Notice, wanted: dict[str, Any]) -> dict[str, Any]:
    """Of the notice what the expectation speaks of; an absent field is None."""
    found = to_json(notice)
    extra = {name: value for name, value in found.get("extra", {}).items() if name == "legal_frame"}
    found["extra"] = extra
    found.setdefault("deadline_is_date", False)
    return {name: found.get(name) for name in wanted}


@pytest.mark.parametrize("portal", OWN, ids=lambda portal: portal.id)
def test_a_list_is_read_as_it_stands(portal: NetserverPortal) -> None:
    wanted = expected(portal)
    selector = page(portal, "list")
    listed = read_list(selector, portal.list_page("InvitationToTender"), portal.layout())

    assert (listed.outcome, listed.faults) == (Outcome.OK, [])
    notices = [to_notice(row, portal.code, portal.base_url, "InvitationToTender") for row in listed.rows]
    assert [seen(n, w) for n, w in zip(notices, wanted["list"], strict=True)] == wanted["list"]
    assert [flag for notice in notices for flag in notice.flags] == []
    assert listed.announced == wanted.get("announced")
    following = selector.css(portal.paging.next).get()
    assert (portal.url(following) if following else None) == wanted["next"]


@pytest.mark.parametrize("portal", [p for p in OWN if "detail" in expected(p)], ids=lambda portal: portal.id)
def test_a_notice_is_read_as_it_stands(portal: NetserverPortal) -> None:
    wanted = dict(expected(portal)["detail"])
    key, documents = wanted.pop("key"), wanted.pop("documents_url")
    row = read_list(page(portal, "list"), portal.base_url, portal.layout()).rows[0]
    notice = to_notice(row, portal.code, portal.base_url, "InvitationToTender")

    assert read_detail(notice, page(portal, "detail"), notice.url or "", portal.base_url) == documents
    assert seen(notice, wanted) == wanted
    assert notice.flags == []
    assert [k.value for k in strong_keys(notice) if k.kind == "netserver_oid"] == [key]
    text = json.dumps(to_json(notice), ensure_ascii=False)
    assert not any(contact in text for contact in ("jsessionid", "Erfunden", "example", "1234567"))


@pytest.mark.parametrize("portal", [p for p in OWN if "documents" in expected(p)], ids=lambda portal: portal.id)
def test_of_each_document_the_newest_version_is_taken(portal: NetserverPortal) -> None:
    notice = Notice(portal.code, "54321-NetTender-1-1")
    read_documents(notice, page(portal, "documents"), portal.base_url, portal.base_url)
    wanted = expected(portal)["documents"]
    found = [
        {name: value for name, value in to_json(file).items() if name != "description"} for file in notice.attachments
    ]
    assert found == wanted


@pytest.mark.parametrize("portal", COSINEX, ids=lambda portal: portal.id)
def test_a_list_of_a_cosinex_marketplace_is_read_as_it_stands(portal: CosinexPortal) -> None:
    wanted = expected(portal)
    cpv = wanted["cpv"]
    listed = cosinex_list.read_list(page(portal, "list"), portal.first_page(cpv), portal.base_url, 1, portal.headers)

    assert (listed.outcome, listed.faults) == (Outcome.OK, [])
    assert (listed.more, listed.total) == (wanted["more"], wanted["total"])
    notices = [cosinex_list.to_notice(row, portal.code, portal.base_url, cpv) for row in listed.rows]
    assert [seen(n, w) for n, w in zip(notices, wanted["list"], strict=True)] == wanted["list"]
    # the code of a list is a division, not the tender's
    assert [notice.cpv for notice in notices] == [[] for _ in notices]
