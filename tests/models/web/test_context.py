"""A context stands in reading order, each page's title once."""

import pytest

from models.records import Passage
from models.web.context import in_reading_order
from models.web.page import PageText

BODY = "One two. Three four. Five six."
TEXTS = {0: PageText("First", BODY), 1: PageText("Second", BODY), 2: PageText("", BODY)}


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
