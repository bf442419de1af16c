"""What is said of a run, and that no prediction can break it."""

import io
import json

import pytest
from rich.console import Console

from evaluation.judge.protocol import Verdict
from evaluation.report import Report, as_json, as_terminal, clean
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
    assert "0 questions" in terminal(report)


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
def test_a_group_or_failure_of_any_name_is_shown_plainly(text: str) -> None:
    odd = result(
        Verdict.WRONG,
        query=text,
        prediction=text,
        slices={"domain": text},
        failures=(failed(text),),
    )
    shown = terminal(Report.of([odd]))
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def test_text_is_cleaned_of_what_steers_a_terminal() -> None:
    assert clean(" a\n\tb ") == "a b"
    assert clean("a\x1b[0m") == "a�[0m"
