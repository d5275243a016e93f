"""What validation asks of a notice."""

import pytest
from itemadapter import ItemAdapter

from pipelines.validation import missing_fields
from tenderscrapy.items import Notice


@pytest.mark.parametrize("number", ["", " ", "-", "n/a", "k.A.", "siehe Unterlagen", "see tender documents", "0"])
def test_a_phrase_in_place_of_the_notice_number_is_a_missing_number(number: str) -> None:
    assert missing_fields(ItemAdapter(Notice("netserver:x", number, title="Dach"))) == ["notice_id"]


def test_a_notice_with_number_and_title_lacks_nothing() -> None:
    assert missing_fields(ItemAdapter(Notice("netserver:x", "54321-NetTender-1-2", title="Dach"))) == []
    assert missing_fields(ItemAdapter(Notice("", "1", title="-"))) == ["source_code", "title"]
