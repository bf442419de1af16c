"""What is said of a run, and that no prediction can break it."""

import io
import json
import re

import pytest
from rich.console import Console

from evaluation.judge.protocol import Verdict
from evaluation.report import (
    SHOWN_UNSCORED,
    SHOWN_WRONG,
    Report,
    as_json,
    as_markdown,
    as_terminal,
    cell,
    clean,
)
from evaluation.score import Result


def failed(kind: str) -> dict[str, str]:
    return {"kind": kind, "step": "web", "example": "gone"}


def result(verdict: Verdict, number: int = 0, **given: object) -> Result:
    fields: dict[str, object] = {
        "query": "how many moons has zork?",
        "prediction": "seven",
        "seconds": 2.0,
        "golds": ("two", "2"),
        "slices": {"domain": "astro_nomy", "question_type": "simple"},
    } | given
    return Result(id=f"q{number}", verdict=verdict, **fields)  # type: ignore[arg-type]


RESULTS = [
    result(Verdict.CORRECT, 1),
    result(Verdict.WRONG, 2, reason="not among them"),
    result(Verdict.MISSING, 3, failures=(failed("ApiUnavailable"),), seconds=31.0),
    result(Verdict.UNSCORED, 4, judge_failed=True, reason="judge unreachable"),
]


def terminal(report: Report) -> str:
    console = Console(file=io.StringIO(), width=100)
    console.print(as_terminal(report))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_json_holds_the_figures_the_slices_and_what_was_used() -> None:
    content = json.loads(as_json(Report.of(RESULTS, {"system": "offline"}, {"rows skipped": 1})))
    expected = {"total": 4, "correct": 1, "missing": 1, "wrong": 1, "unscored": 1, "score": 0.0}
    assert {name: content[name] for name in expected} == expected
    assert {"accuracy", "hallucination", "missing_rate", "score_ci95"} <= content.keys()
    assert {"seconds_p50", "seconds_p95", "seconds_max"} <= content.keys()
    assert (content["over_time"], content["judge_failures"]) == (1, 1)
    assert content["failures"] == [
        {"kind": "ApiUnavailable", "step": "web", "times": 1, "questions": 1, "example": "gone"}
    ]
    assert content["slices"]["domain"]["astro_nomy"]["total"] == 4
    assert content["settings"] == {"system": "offline"}
    assert content["notes"] == {"rows skipped": 1}
    assert len(content["score_ci95"]) == 2


def test_markdown_says_all_there_is() -> None:
    text = as_markdown(Report.of(RESULTS, {"system": "offline"}, {"rows skipped": 1}))
    for said in (
        "| system | offline |",
        "4 questions: 1 correct, 1 missing, 1 wrong, 1 unscored.",
        "| score | 0.0% |",
        "## By question type",
        r"| astro\_nomy | 4 |",
        "| questions over 30 s | 1 |",
        "| ApiUnavailable | web | 1 | 1 | gone |",
        "| judge gave no verdict | 1 |",
        "| rows skipped | 1 |",
        "| q2 | how many moons has zork? | two / 2 | seven | not among them |",
        "| q4 | how many moons has zork? | two / 2 | seven | judge unreachable |",
    ):
        assert said in text


def test_the_terminal_shows_figures_slices_and_failures() -> None:
    text = terminal(Report.of(RESULTS))
    for said in (
        "4 questions",
        "score",
        "25.0%",
        "astro_nomy",
        "ApiUnavailable",
        "unscored",
    ):
        assert said in text


def test_of_nothing_there_is_a_report_too() -> None:
    report = Report.of([])
    assert json.loads(as_json(report))["total"] == 0
    assert "0 questions" in as_markdown(report)
    assert "0 questions" in terminal(report)


def test_long_lists_are_capped_and_say_so() -> None:
    wrong = [result(Verdict.WRONG, number) for number in range(SHOWN_WRONG + 3)]
    unscored = [result(Verdict.UNSCORED, 1000 + number) for number in range(SHOWN_UNSCORED)]
    text = as_markdown(Report.of(wrong + unscored))
    assert len(re.findall(r"^\| q\d{1,3} \|", text, re.M)) == SHOWN_WRONG
    assert len(re.findall(r"^\| q1\d{3} \|", text, re.M)) == SHOWN_UNSCORED
    assert text.count("and 3 more") == 1


HOSTILE = [
    "a | b",
    "a \\| b",
    "ends in a backslash \\",
    "line\nbreak\r\nand\u2028more",
    "```\n# heading",
    "<script>alert(1)</script>",
    "<!-- ",
    "![x](http://example.org/x.png) [y](javascript:z)",
    "&lt;b&gt; **bold** _it_ ~~no~~ $x$",
    "https://example.org/x www.example.org",
    "\x1b[31mred\x07 \u202eright to left",
    "[bold]rich[/bold] [/]",
    "\ud800",
    "x" * 5000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_prediction_breaks_the_table(text: str) -> None:
    hostile = result(Verdict.WRONG, query=text, prediction=text, golds=(text,), reason=text)
    markdown = as_markdown(Report.of([hostile, RESULTS[1]]))
    lines = [line for line in markdown.splitlines() if re.match(r"\| q\d", line)]
    assert len(lines) == 2
    for line in lines:
        bars = re.findall(r"(?<!\\)(?:\\\\)*\|", line)
        assert len(bars) == 6
        assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]~$:]", line)
        assert "www." not in line
        assert "<" not in line
        assert ">" not in line
        assert len(line) < 4000
    markdown.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_group_or_failure_of_any_name_is_shown_plainly(text: str) -> None:
    odd = result(Verdict.WRONG, slices={"domain": text}, failures=(failed(text),))
    shown = terminal(Report.of([odd]))
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def test_a_cell_reads_as_its_text() -> None:
    assert cell("two moons, 1.5 km (about)") == r"two moons, 1.5 km \(about\)"
    assert clean(" a\n\tb ") == "a b"
    assert clean("a\x1b[0m") == "a�[0m"
