"""The figures of a run in the terminal and in results.json; no prediction can break them."""

import io
import json

import pytest
from rich.console import Console

from evaluation.judge.protocol import Verdict
from evaluation.report import Report, as_json, as_terminal, headline
from tests.evaluation.run_files import result
from utils.terminal import clean

USAGE = {
    "llm": "large",
    "adapter": "kg",
    "calls": 2,
    "prompt": 1200,
    "cached": 7,
    "completion": 50,
    "dollars": 0.5,
}


def failed(kind: str) -> dict[str, str]:
    return {"kind": kind, "step": "web", "example": "gone"}


REPORT = Report(
    [
        result(1, slices={"domain": "astro_nomy"}, usage={"route": USAGE, "answer": USAGE}),
        result(2, Verdict.WRONG, usage={"answer": USAGE}),
        result(3, Verdict.MISSING, failures=(failed("ApiUnavailable"),)),
        result(4, Verdict.UNSCORED, judge_failed=True),
    ],
    {"system": "offline"},
    {"rows skipped": 3},
)


def terminal(report: Report, width: int = 100) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(as_terminal(report))
    return out.getvalue()


def test_json_holds_the_figures_the_slices_settings_and_notes() -> None:
    content = json.loads(json.dumps(as_json(REPORT)))
    assert content["total"] == 4
    assert content["score"] == 0.0
    assert content["judge_failures"] == 1
    usage = content["usage"]["answer"]
    assert usage["calls"] == 4
    assert usage["prompt"] == 2400
    assert usage["dollars"] == 1.0
    assert content["slices"]["domain"]["astro_nomy"]["total"] == 1
    assert content["settings"] == {"system": "offline"}
    assert content["notes"] == {"rows skipped": 3}


def test_the_terminal_shows_figures_slices_tokens_and_failures() -> None:
    text = terminal(REPORT)
    assert "4 questions" in text
    assert "25.0%" in text
    assert "rows skipped" in text
    assert "astro_nomy" in text
    assert "large kg" in text
    assert "3,600" in text
    assert "1.5000" in text
    assert "ApiUnavailable" in text
    assert "unscored" in text
    assert "0 questions" in terminal(Report([]))


def test_the_score_has_bounds_by_what_is_unscored() -> None:
    results = [result(0), result(1), result(2, Verdict.WRONG), result(3, Verdict.UNSCORED)]
    report = Report(results)
    assert report.metrics.score_bounds == (0.0, 0.5)
    assert "score if the unscored were wrong, or right" in terminal(report)
    assert "0.0% to 50.0%" in terminal(report)


def test_a_judge_that_failed_stands_above_the_score() -> None:
    text = terminal(Report([result(0), result(1, Verdict.UNSCORED, judge_failed=True)]))
    assert text.index("THE JUDGE GAVE NO VERDICT ON") < text.index("accuracy")


def test_the_verdicts_of_each_rule_are_counted() -> None:
    results = [
        result(0, rule="number"),
        result(1, Verdict.WRONG, rule="number"),
        result(2, Verdict.UNSCORED, rule="name"),
        result(3, Verdict.MISSING),
    ]
    counts = Report(results).metrics.verdicts_by_rule
    assert counts == {"number": {"correct": 1, "wrong": 1}, "name": {"unscored": 1}}
    lines = [line.split() for line in terminal(Report(results)).splitlines()]
    assert ["number", "1", "1", "0", "0"] in lines
    assert ["name", "0", "0", "0", "1"] in lines


def test_answers_on_which_judges_disagreed_are_listed() -> None:
    results = [result(0), result(1, disputed=True, reason="a: correct, b: wrong, c: wrong")]
    assert "a: correct, b: wrong, c: wrong" in terminal(Report(results), width=160)
    many = [result(number, disputed=True) for number in range(30)]
    assert "20 more in report.html" in terminal(Report(many), width=160)


def test_a_slice_that_has_no_verdict_has_no_score() -> None:
    slices = {"domain": "astro_nomy"}
    text = terminal(Report([result(1, Verdict.UNSCORED, slices=slices), result(2)]))
    (row,) = [line for line in text.splitlines() if "astro_nomy" in line]
    assert "none was scored" in row
    assert row.split()[2] == "\u2013"


def test_a_run_that_has_no_verdict_has_no_score() -> None:
    report = Report([result(1, Verdict.UNSCORED)])
    assert ("score", "\u2013", "none was scored") in headline(report.metrics)
    assert "0.0%" not in terminal(report).partition("accuracy")[0]


def test_a_narrow_terminal_breaks_no_name_of_a_step() -> None:
    name = "find_entities_of_all_kinds"
    failure = {"kind": "ApiUnavailable", "step": name, "example": "gone " * 30}
    text = terminal(Report([result(1, usage={name: USAGE}, failures=(failure,))]), width=80)
    assert text.count(name) == 2


@pytest.mark.parametrize(
    "text",
    [
        "ends in a backslash \\",
        "line\nbreak\r\nand\u2028more",
        "[bold]rich[/bold] [/]",
        "\ud800",
        "\x1b[31mred\x07 \u202eright to left",
        "x" * 5000,
    ],
)
def test_a_group_or_failure_of_any_name_is_printed_as_plain_text(text: str) -> None:
    changes = {"query": text, "prediction": text, "slices": {"domain": text}}
    output = terminal(Report([result(failures=(failed(text),), **changes)]))
    assert not {"\x1b", "\x07", "\u202e"} & set(output)
    assert clean(text)[:20] in output
