"""The page as a person uses it, in a real browser: the sample crawled, indexed and served by the product's programs."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from services.page import ARGUMENTS, fill_with_sample, page_process
from services.postgresql import NAMES, execute, with_name
from services.visitor import Visitor, asked, places, search, section, titles
from tenderscrapy.config import config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser

#: A tender that three notices of two sources announce, and one whose notice was changed.
JOINED = "Winterdienst auf Kreisstraßen, drei Lose"
CHANGED = "Highway resurfacing and pothole repair framework"


@pytest.fixture(scope="module")
def address(database_server: str, database_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page is, with the sample in it."""
    name = f"page_{os.getpid()}_{next(NAMES)}"
    execute(database_server, f"CREATE DATABASE {name} TEMPLATE {database_template}")
    files = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DATABASE_URL", with_name(database_server, name))
        config.cache_clear()
        fill_with_sample(files)
        with page_process(files) as served:
            yield served
    config.cache_clear()
    execute(database_server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Browser, address: str) -> Iterator[Callable[..., Page]]:
    """``visit(path)`` opens a page; no foreign host is asked and nothing is said on the console, whatever happens."""
    visitor = Visitor(browser, address)
    yield visitor.open
    for context in visitor.contexts:
        context.close()
    assert visitor.foreign == []
    assert visitor.complaints == []


def test_a_search_shows_what_answers_it_and_stands_in_the_address(visit: Callable[..., Page]) -> None:
    page = visit("/")
    assert page.get_by_role("searchbox").evaluate("field => field === document.activeElement")

    search(page, "noise maps")

    assert asked(page)["q"] == ["noise maps"]
    assert titles(page)[0].startswith("Strategic noise maps")
    expect(page.get_by_role("heading", level=1)).to_contain_text("noise maps")
    expect(page).to_have_title("noise maps – tenderscrapy")
    expect(page.get_by_role("searchbox")).to_have_value("noise maps")
    expect(page.locator(".hit").first.locator("mark").first).to_be_visible()


@pytest.mark.parametrize(
    ("query", "title"),
    [
        ("Reinigung von Schulen", "Cleaning of primary schools and children's centres"),
        ("Austausch von Gasheizungen gegen Wärmepumpen", "Replacement of gas boilers with air source heat pumps"),
        ("winter road maintenance", JOINED),
        ("repas pour les cantines scolaires", "Préparation et livraison de repas pour les restaurants scolaires"),
    ],
)
def test_a_query_finds_notices_in_other_languages(visit: Callable[..., Page], query: str, title: str) -> None:
    page = visit("/")

    search(page, query)

    assert title in titles(page)[:5]


def test_filters_stay_in_the_address_and_in_the_form_from_page_to_page(visit: Callable[..., Page]) -> None:
    page = visit("/")
    page.get_by_label("Country").select_option("DE")
    page.get_by_label("Status").select_option("any")
    with page.expect_navigation():
        page.get_by_role("button", name="Search").click()
    first = places(page)
    assert (asked(page)["country"], asked(page)["status"]) == (["DE"], ["any"])

    with page.expect_navigation():
        page.get_by_role("link", name="Next").click()

    second = places(page)
    assert (asked(page)["country"], asked(page)["status"]) == (["DE"], ["any"])
    expect(page.get_by_label("Country")).to_have_value("DE")
    expect(page.get_by_label("Status")).to_have_value("any")
    assert (len(first), first & second) == (20, set())
    assert len(second) == int(page.get_by_role("heading", level=1).inner_text().split()[0]) - 20
    assert set(page.locator(".hit .country").all_inner_texts()) == {"Germany"}

    page.reload()
    assert places(page) == second
    page.get_by_role("link", name=re.compile("Country: Germany")).click()
    assert "country" not in asked(page)
    assert asked(page)["status"] == ["any"]
    assert len(titles(page)) == 20


def test_a_filter_narrows_a_search_and_the_tender_leads_back_to_it(visit: Callable[..., Page]) -> None:
    page = visit("/?q=cleaning&country=DE")
    found = titles(page)
    assert "Unterhaltsreinigung und Glasreinigung von Wohnheimen und Mensen" in found
    assert set(page.locator(".hit .country").all_inner_texts()) == {"Germany"}

    page.locator(".hit h2 a").first.click()
    page.go_back()

    assert titles(page) == found


def test_a_tender_shows_its_sources_lots_files_and_history(visit: Callable[..., Page]) -> None:
    page = visit("/?q=Winterdienst")
    page.get_by_role("link", name=JOINED).click()

    expect(page.get_by_role("heading", level=1)).to_have_text(JOINED)
    notices = section(page, "Original notices").locator(".originals li")
    assert [notice.locator(".badge").get_attribute("title") for notice in notices.all()].count("sample:doe") == 1
    assert notices.count() == 3
    for link in notices.locator("a").all():
        assert (link.get_attribute("href") or "").startswith("https://")
    expect(section(page, "3 lots")).to_contain_text("LOT-0001, LOT-0002, LOT-0003: no details given")
    expect(section(page, "The sources disagree")).to_contain_text("Deadline")
    expect(section(page, "Where it answers")).to_contain_text("winterdienst-vertragsbedingungen.docx")
    assert section(page, "History").locator("li").count() == 3

    with page.expect_download() as download:
        section(page, "Documents").get_by_role("link", name="winterdienst-vertragsbedingungen.docx").click()
    assert download.value.suggested_filename == "winterdienst-vertragsbedingungen.docx"
    assert download.value.path().read_bytes().startswith(b"PK\x03\x04")


def test_the_history_of_a_changed_notice_shows_what_was_and_what_is(visit: Callable[..., Page]) -> None:
    page = visit("/?q=pothole+repair+framework")
    page.get_by_role("link", name=CHANGED).click()

    history = section(page, "History")
    assert history.locator("li").count() == 2
    expect(history.locator("del").first).to_be_visible()
    expect(history.locator("ins").first).to_be_visible()
    closing = history.locator("dt", has_text="Deadline").first.locator("xpath=following-sibling::dd[1]")
    now = page.locator(".lead .deadline time").inner_text()
    assert closing.locator("ins").inner_text() == now
    assert closing.locator("del").inner_text() != now


def test_all_of_it_works_without_scripts(visit: Callable[..., Page]) -> None:
    page = visit("/", scripts=False)
    page.get_by_label("Country").select_option("GB")
    search(page, "Energieaudit für Gebäude")
    assert asked(page)["country"] == ["GB"]
    page.get_by_role("link", name="Energy audit and decarbonisation plan for the campus").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Energy audit and decarbonisation plan for the campus")
    expect(section(page, "Documents").locator("a").first).to_be_visible()
    page.get_by_role("link", name="Runs").click()
    expect(page.get_by_role("table")).to_contain_text("complete")
    page.get_by_role("link", name="Sources").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")


def test_nothing_scrolls_sideways_on_a_phone_and_everything_can_be_reached(visit: Callable[..., Page]) -> None:
    home = visit("/")
    tenders = [link.get_attribute("href") or "" for link in home.locator(".hit h2 a").all()[:4]]
    joined = visit("/?q=Winterdienst").get_by_role("link", name=JOINED).get_attribute("href") or ""

    wide = {}
    for path in ("/", "/?q=Reinigung", "/?q=zzzz&country=MT", "/sources", "/runs", joined, *tenders):
        page = visit(path, width=390)
        width = page.evaluate("document.documentElement.scrollWidth")
        hidden = [link.inner_text() for link in page.locator("nav a").all() if not _inside(link, 390)]
        if width > 390 or hidden:
            wide[path] = (width, hidden)

    assert wide == {}


def _inside(link: Locator, width: int) -> bool:
    box = link.bounding_box()
    return box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width


def test_a_search_without_an_answer_says_so_and_offers_a_way_on(visit: Callable[..., Page]) -> None:
    page = visit("/?q=zzzz&country=MT")

    expect(page.get_by_role("heading", level=1)).to_contain_text("No tender answers")
    page.get_by_role("link", name="search without filters").click()
    assert asked(page) == {"q": ["zzzz"]}


def test_what_cannot_be_understood_is_said_and_the_rest_is_shown(visit: Callable[..., Page]) -> None:
    page = visit("/?q=noise+maps&value_min=abc", status=400)

    expect(page.get_by_role("alert")).to_contain_text("abc")
    assert titles(page)[0].startswith("Strategic noise maps")


def test_an_address_without_a_tender_says_so_and_leads_back(visit: Callable[..., Page]) -> None:
    page = visit("/tenders/00000000-0000-4000-8000-000000000000", status=404)

    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile("not found", re.IGNORECASE))
    page.get_by_role("link", name="Back to the tenders").click()
    assert len(titles(page)) == 20


def test_the_keyboard_alone_is_enough(visit: Callable[..., Page]) -> None:
    page = visit("/?q=noise+maps")

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    assert urlsplit(page.url).fragment == "content"
    focused = []
    for _ in range(30):
        page.keyboard.press("Tab")
        focused.append(page.evaluate("document.activeElement.innerText || document.activeElement.name || ''"))
        if focused[-1].startswith("Strategic noise maps"):
            break
    assert focused[-1].startswith("Strategic noise maps"), focused
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Strategic noise maps")
