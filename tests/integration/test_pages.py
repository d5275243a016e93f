"""What the pages show, and that nothing in a notice becomes part of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo

import pytest

from services.radar import LATER, tender_notice
from tenderscrapy.items import Attachment, Buyer, Link, Lot

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def links(page: str) -> list[str]:
    return [href.replace("&amp;", "&") for href in re.findall(r'<a [^>]*?href="([^"]*)"', page)]


def titles(page: str) -> list[str]:
    return re.findall(r"<h2[^>]*><a[^>]*>(.*?)</a></h2>", page)


def test_without_a_query_the_newest_open_tenders_are_shown(radar):
    radar.store(
        tender_notice(1, "Older", published_at=datetime(2026, 11, 1, tzinfo=UTC)),
        tender_notice(2, "Newer", published_at=datetime(2026, 11, 9, tzinfo=UTC)),
        tender_notice(3, "Over", deadline_at=datetime(2026, 1, 9, tzinfo=UTC)),
        tender_notice(4, "Planned", status="planned"),
    )

    assert titles(radar.page("/")) == ["Newer", "Older"]
    assert "2 open tenders" in radar.page("/")
    assert len(titles(radar.page("/?status=any"))) == 4
    assert titles(radar.page("/?status=closed")) == ["Over"]


def test_the_list_can_be_put_in_the_order_of_deadlines(radar):
    radar.store(
        tender_notice(1, "Late", deadline_at=LATER + timedelta(days=9)),
        tender_notice(2, "Soon"),
        tender_notice(3, "None", deadline_at=None),
    )

    assert titles(radar.page("/?order=deadline")) == ["Soon", "Late", "None"]


def test_paging_through_a_list_shows_each_tender_once_and_keeps_the_filters(radar):
    radar.store(*(tender_notice(n, f"Tender {n}", country="DE" if n % 3 else "FR") for n in range(1, 70)))
    seen, address = [], "/?country=DE"
    while address:
        page = radar.page(address)
        seen += titles(page)
        following = re.search(r'<a rel="next" href="([^"]*)"', page)
        address = following and following[1].replace("&amp;", "&")
        assert address is None or "country=DE" in address

    assert len(seen) == len(set(seen)) == 46


def test_paging_through_results_shows_each_tender_once(radar):
    radar.publish(*(tender_notice(n, f"Road works section {n}") for n in range(1, 26)))

    first, second = titles(radar.page("/?q=road+works")), titles(radar.page("/?q=road+works&page=2"))

    assert (len(first), len(second)) == (20, 5)
    assert not set(first) & set(second)
    assert "25 tenders for" in radar.page("/?q=road+works")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/?q=road+works&country=GB&status=any&page=2", "Back to the results"),
        ("/?country=GB&status=any&order=deadline", "Back to the list"),
        ("/?buyer=Exampleton", "Back to the list"),
        ("/", "All tenders"),
    ],
)
def test_the_way_back_from_a_tender_leads_to_the_list_it_was_found_in(radar, address, said):
    radar.publish(*(tender_notice(n, f"Road works section {n}") for n in range(1, 26)))
    found = radar.page(address)

    [tender, *_] = [link for link in links(found) if link.startswith("/tenders/")]
    detail = radar.page(tender)

    back = re.search(rf'<p class="back"><a href="([^"]*)">{said}</a></p>', detail)[1].replace("&amp;", "&")
    assert parse_qs(urlsplit(back).query) == parse_qs(urlsplit(address).query)
    assert titles(radar.page(back)) == titles(found)


def test_the_way_back_from_a_tender_leads_to_the_same_page_of_a_list(radar):
    radar.store(*(tender_notice(n, f"Road works section {n}") for n in range(1, 26)))
    [following] = [link for link in links(radar.page("/?country=GB")) if "cursor=" in link]

    [tender, *_] = [link for link in links(radar.page(following)) if link.startswith("/tenders/")]
    [back] = [link for link in links(radar.page(tender)) if "cursor=" in link]

    assert titles(radar.page(back)) == titles(radar.page(following))


def test_a_query_with_a_nul_is_answered(radar):
    radar.publish(tender_notice(1, "Road works"))

    assert radar.client.get("/?q=a%00b").status_code == 200
    assert titles(radar.page("/?q=road%00works")) == ["Road works"]
    assert radar.client.get("/?q=%ff%fe&country=%00").status_code < 500


def test_nothing_in_a_notice_becomes_markup(radar):
    [tender] = radar.publish(
        tender_notice(
            1,
            f"Paving works {HOSTILE}",
            description=f"Paving {HOSTILE}",
            buyer_name=HOSTILE,
            buyers=[Buyer(HOSTILE, HOSTILE, "GB", HOSTILE)],
            reference=HOSTILE,
            nuts=[HOSTILE],
            procedure_type=HOSTILE,
            url="javascript:alert(3)",
            links=[Link("javascript:alert(4)", HOSTILE), Link("https://ok.example.org/", "documents")],
            lots=[Lot(HOSTILE, title=HOSTILE, description=HOSTILE)],
            attachments=[Attachment("https://docs.example.org/a", filename=HOSTILE, description=HOSTILE)],
        )
    )
    radar.store(tender_notice(1, f"Paved {HOSTILE}", revised_at=datetime(2026, 11, 9, tzinfo=UTC), buyer_name=HOSTILE))

    for path in ("/", "/?q=paving", f"/?q={HOSTILE}", f"/?buyer={HOSTILE}", f"/tenders/{tender}?q=paving"):
        page = radar.page(path)
        assert "<script" not in page
        assert "<img" not in page
        assert not [href for href in links(page) if not href.startswith(("/", "https://", "#"))]


def test_a_result_shows_deadline_value_sources_and_passage(radar):
    radar.publish(
        tender_notice(
            1,
            "Bus shelters",
            description="Supply of bus shelters made of recycled aluminium.",
            value_amount=Decimal(125_000),
            value_currency="EUR",
            value_is_gross=False,
            deadline_at=datetime(2036, 7, 15, 10, tzinfo=UTC),
            deadline_zone="Europe/Berlin",
        )
    )

    english = radar.page("/?q=bus+shelters", headers={"Accept-Language": "en"})
    german = radar.page("/?q=bus+shelters", headers={"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"})

    assert "Tue 15 Jul 2036, 12:00 CEST" in english
    assert "€125,000 excl. VAT" in english
    assert "<mark>bus</mark>" in english
    assert '<span class="badge" title="ted">TED</span>' in english
    assert "Di. 15. Juli 2036, 12:00 CEST" in german
    assert "125.000\xa0€" in german
    assert "Vereinigtes Königreich" in german


def test_a_deadline_that_is_a_day_has_no_clock_time_and_an_old_one_is_closed(radar):
    day = (LATER + timedelta(days=1)).replace(hour=22, minute=59, second=59)
    radar.store(
        tender_notice(1, "A day", deadline_at=day, deadline_is_date=True, deadline_zone="Europe/Berlin"),
        tender_notice(2, "Closed", deadline_at=datetime(2026, 7, 15, 10, tzinfo=UTC)),
        tender_notice(3, "Offset", deadline_at=datetime(2036, 7, 15, 10, tzinfo=UTC), deadline_zone="+02:00"),
    )
    rows = {t: row for row in radar.page("/?status=any").split("<article")[1:] for t in titles(row)}

    assert not re.search(r"\d\d:\d\d", re.search(r"<time[^>]*>(.*?)</time>", rows["A day"])[1])
    berlin = ZoneInfo("Europe/Berlin")
    left = (day.astimezone(berlin).date() - datetime.now(berlin).date()).days
    assert f"{left} days left" in rows["A day"]
    assert "Wed 15 Jul 2026, 11:00 BST" in rows["Closed"]
    assert 'class="left">closed' in rows["Closed"]
    assert "Tue 15 Jul 2036, 12:00 UTC+02:00" in rows["Offset"]


def test_a_tender_page_has_its_facts_files_and_history(radar):
    facts = {
        "cpv": ["55524000"],
        "nuts": ["UKI31"],
        "reference": "EX/7",
        "links": [Link("https://buyer.example.org/tender/1", "documents")],
        "attachments": [Attachment("https://docs.example.org/plan.pdf", filename="Übersicht.pdf")],
    }
    [tender] = radar.store(tender_notice(1, "School meals", lots=[Lot("LOT-0001", title="North")], **facts))
    radar.select("UPDATE attachment SET status = 'failed', error_message = 'answered 404'")
    later, when = LATER + timedelta(days=7), datetime(2026, 11, 9, tzinfo=UTC)
    lots = [Lot("LOT-0001", title="North", value_amount=Decimal(9000), value_currency="GBP")]
    radar.store(tender_notice(1, "School meals", deadline_at=later, revised_at=when, lots=lots, **facts))

    page = radar.page(f"/tenders/{tender}")

    for address in (
        "https://notices.example.org/1",
        "https://buyer.example.org/tender/1",
        "https://docs.example.org/plan.pdf",
        "/?cpv=55524000",
        "/?nuts=UKI31",
    ):
        assert address in links(page)
    assert "could not be downloaded: answered 404" in page
    assert "£9,000" in page
    [(old, new)] = re.findall(r"<del>([^<]*)</del>\s*<ins>([^<]*)</ins>", page)
    assert old.endswith("GMT")
    assert new.endswith("GMT")
    assert "<ins>LOT-0001 changed: value amount, value currency</ins>" in page
    assert "First notice of this source" in page


def test_an_address_of_a_tender_that_was_joined_leads_on(radar):
    [tender] = radar.store(tender_notice(1, "School meals"))
    old = "11111111-1111-4111-8111-111111111111"
    radar.select("INSERT INTO tender_redirect (old_id, new_id) VALUES (%s, %s)", old, tender)

    answer = radar.client.get(f"/tenders/{old}?q=meals")

    assert (answer.status_code, answer.location) == (301, f"/tenders/{tender}?q=meals")


@pytest.mark.parametrize(
    "path", ["/tenders/7", "/tenders/00000000-0000-0000-0000-000000000000", "/tenders/%00", "/nothing"]
)
def test_what_is_not_there_is_a_page_that_says_so(radar, path):
    answer = radar.client.get(path)

    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert "Back to the tenders" in answer.text
