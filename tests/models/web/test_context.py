"""A context stands in reading order, each page's title once."""

import pytest

from models.records import Passage
from models.web.context import in_reading_order
from models.web.page import PageText

BODY = "One two. Three four. Five six."
TEXTS = {0: PageText("First", BODY), 1: PageText("Second", BODY), 2: PageText("", BODY)}
TITLED = PageText("News", "News\nOne two.")
DATED = PageText("News", BODY, date="2024-03-05")


def passage(page: int, start: int, end: int) -> Passage:
    return Passage(BODY[start:end], page, start, end)


@pytest.mark.parametrize(
    ("best_first", "text"),
    [
        ([], ""),
        ([passage(2, 0, 8)], "One two."),  # a page without a title
        # pages by their best passage, passages by their place; `[...]` for omitted text
        (
            [passage(1, 0, 8), passage(0, 21, 30), passage(1, 8, 20)],
            "Second\nOne two.\nThree four.\n\nFirst\nFive six.",
        ),
        ([passage(0, 21, 30), passage(0, 0, 8)], "First\nOne two.\n[...]\nFive six."),
        ([passage(0, 9, 20), passage(0, 0, 14)], "First\nOne two. Three\nfour."),  # overlapping
    ],
)
def test_passages_in_reading_order(best_first: list[Passage], text: str) -> None:
    assert in_reading_order(best_first, TEXTS) == text


def test_a_page_has_its_date_beside_its_title() -> None:
    assert in_reading_order([passage(0, 0, 8)], {0: DATED}) == "News (2024-03-05)\nOne two."


def test_a_title_stands_once() -> None:
    whole = Passage(TITLED.text, 0, 0, len(TITLED.text))
    assert in_reading_order([whole], {0: TITLED}) == "News\nOne two."
    assert in_reading_order([Passage("News", 0, 0, 4)], {0: TITLED}) == "News\nNews"
    value = PageText("Rome", "Capital\nRome\nArea")  # no heading, but what the page says
    later = Passage("Rome\nArea", 0, 8, 17)
    assert in_reading_order([later], {0: value}) == "Rome\nRome\nArea"
