"""The pages of an evaluation in a real browser: headless Chromium, driven by selenium."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.compare import compare, write_compare_page
from evaluation.judge.protocol import Verdict
from evaluation.page.report import write_report_page
from models.runtime.trace import Step
from tests.evaluation.chromium import chromium, open_page, why_not
from tests.evaluation.made import result, write_run
from tests.evaluation.test_page import HOSTILE, hostile_run

pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is a browser"),
    pytest.mark.slow,
]
BACKGROUND = "return getComputedStyle(document.documentElement).backgroundColor"


class Page:
    """A page in a browser, as its reader uses it."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def texts(self, selector: str) -> list[str]:
        return [found.text for found in self.driver.find_elements("css selector", selector)]

    def click(self, selector: str) -> None:
        """Click the element, and wait until the page is drawn: `hashchange` comes later."""
        self.driver.find_element("css selector", selector).click()
        drawn = "const [done] = arguments; requestAnimationFrame(() => requestAnimationFrame(done))"
        self.driver.execute_async_script(drawn)

    def state(self) -> str:
        return str(self.driver.execute_script("return location.hash"))

    def wait(self, selector: str) -> str:
        """The text of the element, once it is there."""
        return str(self.driver.find_element("css selector", selector).text)


def complaints(driver: Any) -> list[str]:
    """What the console has said since the last call."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: Any) -> list[str]:
    """The addresses that were requested since the last call, but for files and built-in pages."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    return [url for url in urls if not url.startswith(("file:", "about:", "data:", "chrome:"))]


@pytest.fixture(scope="module")
def example_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the first example questions."""
    folder = tmp_path_factory.mktemp("runs") / "examples"
    assert local_evaluation.main(["--limit", "60", "--out", str(folder)]) == 0
    return write_report_page(folder)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as started:
        started.implicitly_wait(20)
        yield started


@pytest.fixture
def page(driver: Any) -> Iterator[Page]:
    """Afterwards: the console is silent, and nothing was asked of the network."""
    complaints(driver), requests(driver)
    yield Page(driver)
    assert complaints(driver) == [] and requests(driver) == []


def test_questions_are_filtered_sorted_opened_and_linked(page: Page, example_page: Path) -> None:
    open_page(page.driver, example_page)
    assert page.texts("#found")[0].startswith("60 of 60 questions, score ")
    assert len(page.texts("#table tbody tr")) == 50  # the first page of the table
    page.driver.find_element("css selector", "#filters [name=verdict]").send_keys("missing")
    verdicts = page.texts("#table tbody .verdict")
    assert set(verdicts) == {"missing"} and len(verdicts) < 60
    page.click("#table th.query button")
    questions = page.texts("#table tbody .query")
    assert questions == sorted(questions) and "sort=query" in page.state()
    page.click("#table th.query button")
    assert page.texts("#table tbody .query") == questions[::-1]
    page.click("#table tbody tr .query a")
    assert page.wait("#detail h2") == questions[-1]
    assert "says that it does not know" in page.texts("#detail .outcome .note")[0]
    link = page.state()
    open_page(page.driver, example_page, link)  # the link, opened again
    assert page.wait("#detail h2") == questions[-1]
    assert page.texts("#table tbody .query") == questions[::-1]
    page.click("#detail button[aria-label=Close]")
    assert "q=" not in page.state() and "verdict=missing" in page.state()


def test_a_trace_shows_its_steps_with_the_gold_marked(page: Page, tmp_path: Path) -> None:
    steps = [Step("parse", {"program": 'get("Ann")', "result": "It is Ann, not Annabel."}, "Ann",
                  0.5, "kg", 7, {"likely": 0.9}, "small", "db3/route")]  # fmt: skip
    open_page(page.driver, write_report_page(write_run(tmp_path, [result(1)], [steps])), "#q=q1")
    heading = page.wait("#detail h3")
    assert heading.startswith("parse") and "7 written" in heading and "adapter kg" in heading
    assert page.texts("#detail pre")[:2] == ['get("Ann")', "It is Ann, not Annabel."]
    assert page.texts("#detail mark") == ["Ann"] * 3
    assert page.texts("#detail summary") == ["Prompt db3/route"]


def test_the_theme_follows_the_system_and_the_switch(page: Page, example_page: Path) -> None:
    open_page(page.driver, example_page)
    light = page.driver.execute_script(BACKGROUND)
    page.click("#theme")
    dark = page.driver.execute_script(BACKGROUND)
    assert dark != light
    open_page(page.driver, example_page)  # the choice lasts
    assert page.driver.execute_script(BACKGROUND) == dark
    page.click("#theme")
    assert page.driver.execute_script(BACKGROUND) == light


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_window(width: int, example_page: Path) -> None:
    with chromium(width, dark=True) as driver:
        open_page(driver, example_page)
        assert driver.execute_script("return document.documentElement.scrollWidth") == width


def test_hostile_texts_are_shown_as_texts(page: Page, tmp_path: Path) -> None:
    open_page(page.driver, write_report_page(hostile_run(tmp_path)), "#q=q1")
    page.wait("#detail .bar")
    heading = "return JSON.stringify(document.querySelector('#detail h2').textContent)"
    assert json.loads(page.driver.execute_script(heading)) == HOSTILE
    comparison = compare([tmp_path, tmp_path])
    open_page(page.driver, write_compare_page(comparison, tmp_path / "compare.html"), "#q=q1")
    page.wait("#detail .bar")
    assert page.driver.execute_script("return document.querySelector('img, script[src]')") is None


def test_a_comparison_shows_newly_wrong_questions_first(page: Page, tmp_path: Path) -> None:
    verdicts = [Verdict.CORRECT, Verdict.MISSING, Verdict.WRONG]
    one = write_run(tmp_path / "a", [result(n) for n in range(3)])
    two = write_run(tmp_path / "b", [result(n, verdict) for n, verdict in enumerate(verdicts)])
    open_page(page.driver, write_compare_page(compare([one, two]), tmp_path / "compare.html"))
    assert page.texts("#table tbody .change") == ["newly wrong", "newly missing", "same verdict"]
    page.click(".legend a[href*=newly][href*=missing]")
    assert page.texts("#table tbody .query") == ["who is 1?"]
    page.click("#table tbody tr")
    page.wait("#detail h2")
    assert page.texts("#detail .outcome .answer") == ["A\ncorrect\nAnn", "B\nmissing\nAnn"]
