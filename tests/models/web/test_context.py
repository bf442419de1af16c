"""A context stands in reading order, each page's title once."""

from models.records import Passage
from models.web.context import in_reading_order, signed
from models.web.page import PageText

TEXTS = {0: PageText("First", ""), 1: PageText("Second", ""), 2: PageText("", "")}


def passages(*texts: str) -> list[Passage]:
    """Best first: of the first page, the second, the first again, ..., each before the last."""
    return [Passage(text, i % 2, 100 - i, 101 - i, 10 - i) for i, text in enumerate(texts)]


def test_passages_stand_under_their_pages_in_reading_order() -> None:
    text = in_reading_order(passages("a a", "b b", "c c"), TEXTS)
    assert text == "First\nc c\na a\n\nSecond\nb b"


def test_pages_come_in_the_order_of_their_best_passage() -> None:
    text = in_reading_order(passages("a", "b", "c")[1:], TEXTS)
    assert text == "Second\nb\n\nFirst\nc"


def test_a_page_without_a_title_has_no_line_for_it() -> None:
    assert in_reading_order([Passage("a", 2, 0, 1)], TEXTS) == "a"
    assert in_reading_order([], TEXTS) == ""


def test_what_is_left_out_between_passages_is_marked_and_what_they_share_stands_once() -> None:
    body = "One two. Three four. Five six."
    parts = [Passage(body[a:b], 0, a, b) for a, b in ((21, 30), (0, 8), (4, 8))]
    assert in_reading_order(parts[:2], {0: PageText("T", body)}) == "T\nOne two.\n[...]\nFive six."
    near = [Passage(body[a:b], 0, a, b) for a, b in ((0, 14), (9, 20))]
    assert in_reading_order(near, {0: PageText("T", body)}) == "T\nOne two. Three\nfour."


def test_a_passage_alone_stands_below_its_title() -> None:
    assert signed(Passage("a", 1, 0, 1), TEXTS) == "Second\na"
