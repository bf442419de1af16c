"""Adversarial and damaged pages: questions with a good page are still answered."""

import random
import time
from typing import Any

import pytest

from benchmarks.adversarial_pages import PAGES as ADVERSARIAL
from models.records import IDK
from tests.faults.matrix import fault
from tests.faults.world import ANSWER, PLACES, batch, page, user_model

GOOD_PAGE = page("northport")
GOOD = "how tall is the northport lighthouse?"


def with_html(html: str) -> dict[str, Any]:
    """A page with this HTML; its name says nothing."""
    return {**GOOD_PAGE, "page_name": "x", "page_result": html}


PAGES: dict[str, list[dict[str, Any]]] = {
    "empty": [with_html("")],
    "no html": [{"page_name": "x"}],
    "binary": [with_html("".join(chr(value % 256) for value in range(200_000)))],
    "ten megabytes": [with_html("<p>" + "word and number 12 " * 550_000)],
    "deeply nested": [with_html("<div>" * 100_000 + "x" + "</div>" * 100_000)],
    "one endless word": [with_html("x" * 1_000_000)],
    "duplicated": [GOOD_PAGE] * 50,
    "surrogates": [with_html("<p>\ud800\udfff</p>")],
}


@fault("pages", "garbage")
@fault("pages", "huge")
@pytest.mark.parametrize("pages", PAGES.values(), ids=PAGES.keys())
def test_bad_pages_affect_no_question_with_a_good_page(pages: list[dict[str, Any]]) -> None:
    """The question before them is answered, and so is one with a bad page and a good one."""
    model = user_model()
    bad = ("what is it?", pages)
    mixed = (GOOD, [*pages[:1], GOOD_PAGE])
    three = batch((GOOD, [GOOD_PAGE]), bad, mixed)
    assert model.batch_generate_answer(three) == [ANSWER, IDK, ANSWER]
    assert set(model.failures) <= {"PageFailed"}  # an adversarial page may be skipped


@fault("pages", "hangs")
@fault("pages", "slow")
@pytest.mark.clock
def test_slow_pages_leave_time_for_the_good_one() -> None:
    slow = with_html(ADVERSARIAL["30,000 deep, unclosed"]())
    start = time.monotonic()
    model = user_model(seconds=6.0, web={"page_seconds": 0.2})
    answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE] + [slow] * 49)))
    assert answers == [ANSWER]
    assert model.failures
    assert time.monotonic() - start < 10


@fault("pages", "partial")
@pytest.mark.parametrize("end", ["<p", "<table><tr><td", "<!-- ", "<script>", "&#x2", "<p>and"])
def test_a_truncated_page_is_read_to_its_end(end: str) -> None:
    html = GOOD_PAGE["page_result"].removesuffix("</p>") + end
    assert user_model().batch_generate_answer(batch((GOOD, [with_html(html)]))) == [ANSWER]


@fault("pages", "duplicate")
@fault("pages", "out of order")
@pytest.mark.parametrize("copies", [1, 2])
def test_order_and_copies_of_pages_change_no_answer(copies: int) -> None:
    other_places = [page(place) for place in PLACES[1:]]
    irrelevant = [with_html("<p>A harbour.")] * 6
    pages = (other_places + irrelevant + [GOOD_PAGE]) * copies
    orders = [random.Random(seed).sample(pages, len(pages)) for seed in (0, 1)]
    same_question = batch(*((GOOD, order) for order in orders))
    assert user_model().batch_generate_answer(same_question) == [ANSWER] * 2
