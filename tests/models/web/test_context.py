"""A context is in reading order, within its budget, and marks what it cuts."""

from models.records import Passage
from models.web.context import CUT_MARK, build_context
from models.web.page import PageText

TEXTS = {0: PageText("First", ""), 1: PageText("Second", "")}


def count(text: str) -> int:
    return len(text.split())


def passages(*texts: str) -> list[Passage]:
    return [Passage(text, i % 2, 100 - i, 101 - i, 10 - i) for i, text in enumerate(texts)]


def test_passages_stand_under_their_pages_in_reading_order() -> None:
    text = build_context(passages("a a", "b b", "c c"), TEXTS, 100, count=count)
    assert text == "First\nc c\na a\n\nSecond\nb b"


def test_numbers_run_in_the_order_in_which_passages_stand() -> None:
    text = build_context(passages("a", "b", "c"), TEXTS, 100, count=count, numbered=True)
    assert text == "First\n[1] c\n[2] a\n\nSecond\n[3] b"


def test_what_does_not_fit_is_cut_between_words_and_marked() -> None:
    said = passages("one two three", "four five six seven", "eight")
    text = build_context(said, TEXTS, 8, count=count)
    assert text == f"First\none two three\n\nSecond\nfour five{CUT_MARK}"
    assert count(text) <= 8


def test_nothing_fits_into_nothing() -> None:
    assert build_context(passages("one two"), TEXTS, 1, count=count) == ""
    assert build_context([], TEXTS, 100) == ""
