"""The pages of an evaluation in a real browser: headless Chromium, driven by selenium."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.compare import compare, write_compare_page
from evaluation.judge.protocol import Verdict
from evaluation.labels import Label, write_label
from evaluation.page.report import write_report_page
from models.runtime.trace import Step
from models.settings import ROOT
from tests.chromium import NEEDS_CHROMIUM, click, texts
from tests.evaluation.run_files import result, write_run
from tests.evaluation.test_page import HOSTILE, hostile_run

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def example_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of sixty questions, every third of which has no answer."""
    verdicts = (Verdict.CORRECT, Verdict.WRONG, Verdict.MISSING)
    reason = "the answer says that it does not know"
    results = [
        result(number, verdicts[number % 3], query=f"who is {number:02}?", reason=reason)
        for number in range(60)
    ]
    return write_report_page(write_run(tmp_path_factory.mktemp("runs") / "examples", results))


@pytest.fixture
def driver(browser: Any) -> Iterator[Any]:
    """Afterwards: the console is silent, and nothing was asked of the network."""
    noise(browser)
    yield browser
    assert noise(browser) == []


def noise(driver: Any) -> list[str]:
    """The messages of the console and the addresses requested since the last call."""
    messages = [entry["message"] for entry in driver.get_log("browser")]
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    requests = [event for event in events if event["method"] == "Network.requestWillBeSent"]
    urls = [request["params"]["request"]["url"] for request in requests]
    local = ("file:", "about:", "data:", "chrome:", "chrome-untrusted:")
    return messages + [url for url in urls if not url.startswith(local)]


def open_page(driver: Any, page: Path, state: str = "") -> None:
    """Open a page at a state (`#…`) and wait until its script has built it."""
    driver.get("about:blank")  # or only the part after "#" would change
    driver.get(page.resolve().as_uri() + state)
    driver.find_element("css selector", "html[data-ready]")


def test_questions_are_filtered_sorted_opened_and_linked(driver: Any, example_page: Path) -> None:
    open_page(driver, example_page)
    for width in (390, 1280):  # nothing is wider than the window
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        assert driver.execute_script("return document.documentElement.scrollWidth") == width
    assert texts(driver, "#found")[0].startswith("60 of 60 questions, score ")
    assert len(texts(driver, "#table tbody tr")) == 50  # the first page of the table
    driver.find_element("css selector", "#filters [name=verdict]").send_keys("missing")
    verdicts = texts(driver, "#table tbody .verdict")
    assert set(verdicts) == {"missing"} and len(verdicts) < 60
    click(driver, "#table th.query button")
    questions = texts(driver, "#table tbody .query")
    assert questions == sorted(questions) and "sort=query" in driver.current_url
    click(driver, "#table th.query button")
    assert texts(driver, "#table tbody .query") == questions[::-1]
    click(driver, "#table tbody tr .query a")
    assert texts(driver, "#detail h2") == [questions[-1]]
    assert "says that it does not know" in texts(driver, "#detail .outcome .note")[0]
    link = driver.current_url
    open_page(driver, example_page, link[link.index("#") :])  # the link, opened again
    assert texts(driver, "#detail h2") == [questions[-1]]
    assert texts(driver, "#table tbody .query") == questions[::-1]
    click(driver, "#detail button[aria-label=Close]")
    assert "q=" not in driver.current_url and "verdict=missing" in driver.current_url


def test_a_trace_shows_its_steps_with_the_gold_marked(driver: Any, tmp_path: Path) -> None:
    step = Step(
        name="parse",
        inputs={"program": 'get("Ann")', "result": "It is Ann, not Annabel."},
        output="Ann",
        seconds=0.5,
        adapter="kg",
        tokens=7,
        confidence={"likely": 0.9},
        llm="small",
        prompt="db3/route",
    )
    run = write_run(tmp_path, [result(1)], [[step]])
    open_page(driver, write_report_page(run), "#q=q1")
    heading = texts(driver, "#detail h3")[0]
    assert heading.startswith("parse") and "7 written" in heading and "adapter kg" in heading
    assert texts(driver, "#detail pre")[:2] == ['get("Ann")', "It is Ann, not Annabel."]
    assert texts(driver, "#detail mark") == ["Ann"] * 3
    assert texts(driver, "#detail summary") == ["Prompt db3/route"]


def test_verdicts_by_hand_are_shown_and_filtered(driver: Any, tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", [result(0), result(1)])
    write_label(run, Label("q1", "Ann", Verdict.WRONG, "another Ann"))
    open_page(driver, write_report_page(run))
    driver.find_element("css selector", "#filters [name=label]").send_keys("wrong")
    assert texts(driver, "#table tbody .query") == ["who is 1?"]
    click(driver, "#table tbody .query a")
    assert "By hand wrong another Ann" in texts(driver, "#detail .outcome .note")


def test_hostile_texts_are_shown_as_texts(driver: Any, tmp_path: Path) -> None:
    open_page(driver, write_report_page(hostile_run(tmp_path)), "#q=q1")
    assert texts(driver, "#detail .bar")
    heading = "return JSON.stringify(document.querySelector('#detail h2').textContent)"
    assert json.loads(driver.execute_script(heading)) == HOSTILE
    page = write_compare_page(compare([tmp_path, tmp_path]), tmp_path / "compare.html")
    open_page(driver, page, "#q=q1")
    assert texts(driver, "#detail .bar")
    assert driver.execute_script("return document.querySelector('img, script[src]')") is None


def test_the_judge_shows_its_rules_and_what_is_disputed(driver: Any, tmp_path: Path) -> None:
    results = [
        result(0, rule="number"),
        result(1, Verdict.UNSCORED, rule="name"),
        result(2, disputed=True, reason="a: correct, b: wrong, c: correct", rule="c"),
    ]
    open_page(driver, write_report_page(write_run(tmp_path / "run", results)))
    cards = [text for text in texts(driver, "article.card") if text.startswith("Judge")]
    [card] = cards
    assert "33.3% to 100.0% if all 1 unscored" in card
    assert "number 1 0 0 0" in card
    assert "a: correct, b: wrong, c: correct" in card


def test_a_comparison_shows_newly_wrong_questions_first(driver: Any, tmp_path: Path) -> None:
    verdicts = [Verdict.CORRECT, Verdict.MISSING, Verdict.WRONG]
    one = write_run(tmp_path / "a", [result(n) for n in range(3)])
    two = write_run(tmp_path / "b", [result(n, verdict) for n, verdict in enumerate(verdicts)])
    page = write_compare_page(compare([one, two]), tmp_path / "compare.html")
    open_page(driver, page)
    changes = texts(driver, "#table tbody .change")
    assert changes == ["newly wrong", "newly missing", "same verdict"]
    click(driver, ".legend a[href*=newly][href*=missing]")
    assert texts(driver, "#table tbody .query") == ["who is 1?"]
    click(driver, "#table tbody tr")
    assert texts(driver, "#detail .outcome .answer") == ["A\ncorrect\nAnn", "B\nmissing\nAnn"]


def test_the_page_rounds_as_the_terminal_does(driver: Any, tmp_path: Path) -> None:
    slices = {"question_type": "simple_w_condition"}
    open_page(driver, write_report_page(write_run(tmp_path, [result(1, slices=slices)])))
    shares = [n / 2000 for n in range(-400, 2001)]
    shares += [n / 16 for n in range(17)] + [n / 7 for n in range(8)]
    source = (ROOT / "evaluation" / "page" / "page.js").read_text()
    percent = source[source.index("function percent(") : source.index("const points")]
    for digits in (0, 1):
        shown = driver.execute_script(
            f"{percent}; return arguments[0].map((x) => percent(x, arguments[1]))",
            shares,
            digits,
        )
        expected = [f"{share:.{digits}%}".replace("-0.0%", "0.0%") for share in shares]
        expected = [text.replace("-0%", "0%").replace("-", "\N{MINUS SIGN}") for text in expected]
        assert shown == expected
    page = driver.find_element("css selector", "main").text
    assert "simple with condition" in page and "simple_w_condition" not in page
    assert "95th percentile: " in page and "of 1 question" in page


def test_a_wide_table_says_that_it_scrolls(driver: Any, example_page: Path) -> None:
    open_page(driver, example_page)
    shown = []
    for width in (390, 1280):
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        shown.append(driver.find_element("css selector", ".wider").is_displayed())
    assert shown == [True, False]


def test_a_comparison_has_a_heading_per_slice(driver: Any, tmp_path: Path) -> None:
    slices = [{"domain": "movie"}, {"domain": "open"}]
    one = write_run(tmp_path / "a", [result(n, slices=slices[n % 2]) for n in range(4)])
    page = write_compare_page(compare([one, one]), tmp_path / "compare.html")
    open_page(driver, page)
    rows = texts(driver, "article table tbody tr td:first-child")
    assert rows.index("domain") + 1 in (rows.index("movie"), rows.index("open"))
