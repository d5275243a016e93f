"""Portal files: what is wrong is named by file, portal and key; denied portals never get in."""

from __future__ import annotations

import pytest
import yaml

from tenderscrapy.exceptions import ConfigurationError
from tenderscrapy.http.url_guard import NO_PRIVATE_HOSTS, PrivateHosts
from tenderscrapy.sources.denylist import DENIED
from tenderscrapy.sources.portals import load, portal, portals
from tenderscrapy.sources.registry import Source, portal_sources

BLOCK = {
    "id": "town",
    "name": "Town of Example",
    "platform": "netserver",
    "base_url": "https://vergabe.town.example/NetServer/",
    "enabled": True,
}


def read(*blocks: dict, allowed: PrivateHosts = NO_PRIVATE_HOSTS, **top: object) -> list:
    content = {"version": 1, "portals": list(blocks)} | top
    return load(yaml.safe_dump(content, allow_unicode=True), "own.yaml", allowed)


def refused(*blocks: dict, **top: object) -> str:
    with pytest.raises(ConfigurationError) as caught:
        read(*blocks, **top)
    return str(caught.value)


def without(key: str) -> dict:
    return {name: value for name, value in BLOCK.items() if name != key}


def test_a_block_of_four_keys_is_enough() -> None:
    (found,) = read(BLOCK)
    assert (found.code, found.host, found.delay, found.page_size) == ("netserver:town", "vergabe.town.example", 2.0, 50)
    start = found.list_page("InvitationToTender", 50)
    assert start.startswith("https://vergabe.town.example/NetServer/PublicationSearchControllerServlet?")
    assert start.endswith("&thContext=publications&Order=desc&OrderBy=Publishing&Max=50&Start=50")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "Town"}, "own.yaml: Town: id: "),
        ({"id": "t"}, "own.yaml: t: id: "),
        ({"id": "../x"}, "own.yaml: ../x: id: "),
        ({"platform": "wordpress"}, "own.yaml: town: platform: 'wordpress' is not known; "),
        (
            {"base_url": "http://vergabe.town.example/"},
            "own.yaml: town: base_url: vergabe.town.example: a portal is asked",
        ),
        ({"base_url": "https://127.0.0.1/"}, "own.yaml: town: base_url: 127.0.0.1 is not a public address"),
        ({"base_url": "https://me:pw@vergabe.town.example/"}, "own.yaml: town: base_url: an address with a user name"),
        ({"base_url": "https://vergabe.town.example/?x=1"}, "own.yaml: town: base_url: an address without ? and #"),
        ({"base_url": "ftp://vergabe.town.example/"}, "own.yaml: town: base_url: 'ftp' is not http or https"),
        ({"colour": "red"}, "own.yaml: town: colour: unknown key; correct or remove it"),
        ({"paging": {"modus": "x"}}, "own.yaml: town: paging.modus: unknown key"),
        ({"paging": {"mode": "scroll"}}, "own.yaml: town: paging.mode: "),
        ({"paging": {"next": "ul[["}}, "own.yaml: town: paging.next: 'ul[[' is not a CSS selector"),
        ({"selectors": {"title": "td..x"}}, "own.yaml: town: selectors.title.css: 'td..x' is not a CSS selector"),
        ({"selectors": {"titel": "td"}}, "own.yaml: town: selectors: 'titel' is not known; row, "),
        ({"headers": {"when": ["x"]}}, "own.yaml: town: headers: 'when' is not known"),
        ({"page_size": 5}, "own.yaml: town: page_size: "),
        ({"page_size": 500}, "own.yaml: town: page_size: "),
        ({"delay": 0.5}, "own.yaml: town: delay: "),
        ({"delay": "fast"}, "own.yaml: town: delay: "),
        ({"timezone": "Europe/Berlim"}, "own.yaml: town: timezone: 'Europe/Berlim' is no time zone"),
        ({"encoding": "latin-99"}, "own.yaml: town: encoding: 'latin-99' is no encoding"),
        ({"categories": []}, "own.yaml: town: categories: "),
        ({"categories": ["Everything"]}, "own.yaml: town: categories.0: "),
        ({"list_url": "x?Start={page}"}, "own.yaml: town: list_url: {page} is not known; "),
        ({"list_url": "x", "paging": {"mode": "start_param"}}, "own.yaml: town: paging: start_param needs {start}"),
        ({"enabled": False}, "own.yaml: town: disabled_reason: a portal that is not enabled says why"),
        ({"disabled_reason": "x"}, "own.yaml: town: disabled_reason: an enabled portal has none"),
    ],
)
def test_what_is_wrong_is_named_by_file_portal_and_key(change: dict, message: str) -> None:
    assert refused(BLOCK | change).startswith(message)


@pytest.mark.parametrize("key", ["id", "name", "platform", "base_url"])
def test_a_missing_key_is_named(key: str) -> None:
    assert f" {key}: " in refused(without(key))


def test_a_portal_without_enabled_is_off_and_says_why() -> None:
    assert "disabled_reason" in refused(without("enabled"))
    (found,) = read(without("enabled") | {"disabled_reason": "Not yet."})
    assert not found.enabled


def test_ids_and_addresses_stand_once() -> None:
    assert "town: id: two portals have it" in refused(BLOCK, BLOCK)
    twin = BLOCK | {"id": "twin", "base_url": "https://www.vergabe.town.example/NetServer"}
    assert "twin: base_url: town has the same" in refused(BLOCK, twin)


def test_the_frame_of_a_file_is_checked() -> None:
    assert "version: 2 is not known" in refused(BLOCK, version=2)
    assert "own.yaml: sources: unknown key" in refused(BLOCK, sources=[])
    assert "defaults: dely: unknown key" in refused(BLOCK, defaults={"dely": 3})
    assert "portal 1: a mapping" in refused("town")
    for text in ("", "- x", "portals: 5", "version: 1"):
        with pytest.raises(ConfigurationError, match=r"own\.yaml: the file is a mapping"):
            load(text, "own.yaml", NO_PRIVATE_HOSTS)


def test_a_key_twice_and_broken_yaml_are_found_with_their_line() -> None:
    for text, line in (
        ("version: 1\nversion: 1\nportals: []", 2),
        ("version: [", 1),
        ("a: &x [*x]\nb: !!python/x 1", 2),
    ):
        with pytest.raises(ConfigurationError, match=f"own.yaml, line {line}: "):
            load(text, "own.yaml", NO_PRIVATE_HOSTS)


def test_defaults_are_for_all_and_a_block_has_the_last_word() -> None:
    one, two = read(BLOCK, BLOCK | {"id": "two", "base_url": "https://two.example/", "delay": 4}, defaults={"delay": 3})
    assert (one.delay, two.delay) == (3, 4)


def test_plain_http_is_for_the_private_hosts_of_tests_alone() -> None:
    block = BLOCK | {"base_url": "http://127.0.0.1:8123/NetServer/"}
    assert "not a public address" in refused(block) or "port 8123" in refused(block)
    (found,) = read(block, allowed=PrivateHosts.parse("127.0.0.1:8123"))
    assert found.base_url == "http://127.0.0.1:8123/NetServer/"


SPELLINGS = (
    "https://www.{}/NetServer/",
    "HTTPS://WWW.{}./",
    "https://user@{}/NetServer/",
    "https://{}:8443/NetServer/",
    "https://deep.er.{}../",
    "https://{}\\@example.org/",
    "https://example.org\\@{}/",
    "//{}/NetServer/",
    " https://{}/",
)
HIDDEN = (
    "https://vergabe24%2Ede/",
    "https://vergabe24\u3002de/",
    "https://ver\u00adgabe24.de/",
    "https://ｖｅｒｇａｂｅ２４.ｄｅ/",
    "https://aumaß.de/",
    "https://xn--auma-yna.de/",
)
DENIED_ADDRESSES = [spelling.format(name) for name in (*DENIED, "Vergabe24.DE") for spelling in SPELLINGS] + list(
    HIDDEN
)


@pytest.mark.parametrize("address", DENIED_ADDRESSES)
@pytest.mark.parametrize("key", ["base_url", "entry_url", "list_url"])
@pytest.mark.parametrize("enabled", [True, False])
def test_a_denied_portal_is_refused_by_the_loader_in_every_spelling(address: str, key: str, enabled: bool) -> None:
    block = BLOCK | {key: address, "enabled": enabled} | ({} if enabled else {"disabled_reason": "later"})
    message = refused(block)
    assert message.startswith("own.yaml: town: ")
    assert "prohibits automated access" in message


@pytest.mark.parametrize("address", DENIED_ADDRESSES)
def test_a_denied_portal_is_refused_by_the_registry_in_every_spelling(address: str) -> None:
    for fields in ({"url": address}, {"name": address}):
        with pytest.raises(ConfigurationError, match="prohibits automated access"):
            Source(**({"code": "netserver:x", "platform": "netserver", "name": "X", "spider": "netserver"} | fields))
    with pytest.raises(ConfigurationError, match="prohibits automated access"):
        Source("netserver:vergabe24.de", "netserver", "X", "netserver")


def test_private_hosts_open_no_denied_portal() -> None:
    allowed = PrivateHosts.parse("vergabe24.de:443,www.vergabe24.de:80")
    with pytest.raises(ConfigurationError, match="prohibits automated access"):
        read(BLOCK | {"base_url": "https://www.vergabe24.de/NetServer/"}, allowed=allowed)


def test_what_ships_is_enough_and_says_why_a_portal_is_off() -> None:
    shipped = portals("", "")
    assert sum(found.platform == "netserver" for found in shipped.values()) >= 14
    assert {"netserver:stuttgart", "netserver:tender24", "netserver:landbw"} <= set(shipped)
    assert not any(shipped[f"netserver:{closed}"].enabled for closed in ("hessen", "xvergabe", "had", "tender24"))
    sources = {source.code: source for source in portal_sources("", "")}
    assert set(sources) == set(shipped)
    assert "robots.txt" in sources["netserver:hessen"].reason
    assert all(source.reason for source in sources.values() if not source.enabled)


def test_the_operators_file_replaces_and_adds(portal_file) -> None:
    portal_file(
        BLOCK, BLOCK | {"id": "berlin", "name": "Ours", "base_url": "https://vergabekooperation.berlin/NetServer/"}
    )
    found = portals()
    assert found["netserver:town"].name == "Town of Example"
    assert found["netserver:berlin"].name == "Ours"
    assert found["netserver:berlin"].entry_url is None
    assert len(found) == len(portals("", "")) + 1


def test_the_operators_file_cannot_walk_a_portal_of_ours_under_a_second_name(portal_file) -> None:
    portal_file(BLOCK | {"base_url": "https://vergabekooperation.berlin/NetServer/"})
    with pytest.raises(ConfigurationError, match="town: base_url: berlin has the same"):
        portals()


def test_a_file_that_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(ConfigurationError, match=r"PORTALS_FILE=.*missing.yaml cannot be read"):
        portals(str(tmp_path / "missing.yaml"), "")


def test_a_portal_is_found_by_its_id_and_by_its_code() -> None:
    for name in ("berlin", "netserver:berlin"):
        assert portal("netserver", name, "", "").code == "netserver:berlin"


def test_an_unknown_portal_is_told_which_there_are() -> None:
    with pytest.raises(ConfigurationError, match="portal='nowhere' is no portal of netserver; there are: autobahn, "):
        portal("netserver", "nowhere", "", "")
    with pytest.raises(ConfigurationError, match="netserver needs a portal: -a portal=ID"):
        portal("netserver", None, "", "")
