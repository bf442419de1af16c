"""Pages of every kind: the question beside them is answered, and so is one whose page is good."""

import random
import time
from typing import Any

import pytest

from benchmarks.adversarial_pages import PAGES as ADVERSARIAL
from models.records import IDK, Task
from models.settings import Settings
from models.user_model import UserModel
from tests.faults.matrix import fault
from tests.faults.test_kg_api import api, five_hundred, user_model
from tests.faults.world import ANSWER, PLACES, batch, page

GOOD, GOOD_PAGE = "how tall is the northport lighthouse?", page("northport")


def with_html(html: str) -> dict[str, Any]:
    return {**GOOD_PAGE, "page_name": "x", "page_result": html}


PAGES: dict[str, list[dict[str, Any]]] = {
    "empty": [with_html("")],
    "no html": [{"page_name": "x"}],
    "binary": [with_html("".join(chr(value % 256) for value in range(200_000)))],
    "ten megabytes": [with_html("<p>" + "word and number 12 " * 550_000)],
    "deeply nested": [with_html("<div>" * 100_000 + "x" + "</div>" * 100_000)],
    "nested tables": [with_html("<table><tr><td>" * 3_000 + "x")],
    "one endless word": [with_html("x" * 1_000_000)],
    "duplicated": [GOOD_PAGE] * 50,
    "surrogates": [with_html("<p>\ud800\udfff</p>")],
    "attributes": [with_html("<p " + "a=1 " * 100_000 + ">x</p>")],
}


@pytest.mark.clock
@fault("pages", "garbage")
@fault("pages", "huge")
@pytest.mark.parametrize("pages", PAGES.values(), ids=PAGES.keys())
def test_pages_of_every_kind(pages: list[dict[str, Any]]) -> None:
    started = time.monotonic()
    model = UserModel(Settings(task=Task.WEB))
    good = (GOOD, [GOOD_PAGE])
    asked = batch(good, ("what is the colour of the moon?", pages), good)
    assert model.batch_generate_answer(asked) == [ANSWER, IDK, ANSWER]
    assert set(model.failures) <= {"PageFailed"}  # an adversarial page may be skipped
    assert time.monotonic() - started < 30


@fault("pages", "garbage")
def test_a_question_is_answered_from_among_broken_pages() -> None:
    broken = [shape[0] for name, shape in PAGES.items() if name != "duplicated"]
    answers = UserModel(Settings(task=Task.WEB)).batch_generate_answer(
        batch((GOOD, [*broken, GOOD_PAGE]))
    )
    assert answers == [ANSWER]


@fault("pages", "hangs")
@fault("pages", "slow")
@pytest.mark.clock
def test_fifty_pages_that_take_minutes_leave_time_for_the_good_one() -> None:
    slow = with_html(ADVERSARIAL["30,000 deep, unclosed"]())
    started = time.monotonic()
    model = UserModel(Settings(task=Task.WEB, seconds_per_question=6.0, web={"page_seconds": 0.2}))
    answers = model.batch_generate_answer(batch((GOOD, [GOOD_PAGE] + [slow] * 49)))
    assert answers == [ANSWER]
    assert model.failures and time.monotonic() - started < 10


@fault("pages", "partial")
@pytest.mark.parametrize("end", ["<p", "<table><tr><td", "<!-- ", "<script>", "&#x2", "<p>and"])
def test_a_page_that_was_cut_off_is_read_so_far(end: str) -> None:
    html = GOOD_PAGE["page_result"].removesuffix("</p>") + end
    model = UserModel(Settings(task=Task.WEB))
    assert model.batch_generate_answer(batch((GOOD, [with_html(html)]))) == [ANSWER]


@fault("pages", "duplicate")
@fault("pages", "out of order")
def test_the_order_of_pages_and_their_copies_change_no_answer() -> None:
    pages = [page(place) for place in PLACES[1:]] + [with_html("<p>A harbour.")] * 6 + [GOOD_PAGE]
    found = set()
    for seed in range(5):
        shuffled = random.Random(seed).sample(pages * (1 + seed % 2), len(pages) * (1 + seed % 2))
        model = UserModel(Settings(task=Task.WEB))
        found.update(model.batch_generate_answer(batch((GOOD, shuffled))))
    assert found == {ANSWER}


@pytest.mark.clock
def test_a_batch_of_sixteen_under_all_faults_at_once() -> None:
    with api(five_hundred) as url:
        model = user_model(url)
        shapes = list(PAGES.values())
        asked = [
            (GOOD, [GOOD_PAGE]) if i % 2 else ("why is it so?", shapes[i // 2]) for i in range(16)
        ]
        started = time.monotonic()
        answers = model.batch_generate_answer(batch(*asked))
    assert answers == [ANSWER if i % 2 else IDK for i in range(16)]
    assert time.monotonic() - started < 16 * 30
