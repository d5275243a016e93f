"""What validation asks of a notice."""

import pytest
from itemadapter import ItemAdapter

from pipelines.validation import LONGEST_ADDRESS, drop_long_addresses, missing_fields
from tenderscrapy.items import Attachment, Flag, Notice


@pytest.mark.parametrize("number", ["", " ", "-", "n/a", "k.A.", "siehe Unterlagen", "see tender documents", "0"])
def test_a_phrase_in_place_of_the_notice_number_is_a_missing_number(number: str) -> None:
    assert missing_fields(ItemAdapter(Notice("netserver:x", number, title="Dach"))) == ["notice_id"]


def test_a_notice_with_number_and_title_lacks_nothing() -> None:
    assert missing_fields(ItemAdapter(Notice("netserver:x", "54321-NetTender-1-2", title="Dach"))) == []
    assert missing_fields(ItemAdapter(Notice("", "1", title="-"))) == ["source_code", "title"]


def test_a_file_with_an_address_too_long_to_store_is_dropped_alone_and_flagged() -> None:
    short, head = Attachment("https://example.org/a.pdf"), "https://example.org/"
    longest = Attachment(head + "x" * (LONGEST_ADDRESS - len(head)))
    umlauts = Attachment(head + "ü" * 1_000)
    notice = Notice("ted", "1-2026", title="Dach", attachments=[short, longest, umlauts])
    drop_long_addresses(notice)
    assert notice.attachments == [short, longest]
    assert notice.flags == [Flag("url_too_long", "attachments", f"2020 bytes: {umlauts.url}"[:200])]
