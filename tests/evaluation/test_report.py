"""The figures of a run in the terminal and in results.json; no prediction can break them."""

import io
import json

import pytest
from rich.console import Console

from evaluation.judge.protocol import Verdict
from evaluation.report import Report, as_json, as_terminal, clean
from tests.evaluation.made import result

USAGE = {"llm": "large", "adapter": "kg", "calls": 2, "prompt": 1200, "cached": 7,
         "completion": 50, "dollars": 0.5}  # fmt: skip


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


def terminal(report: Report) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(as_terminal(report))
    return out.getvalue()


def test_json_holds_the_figures_the_slices_settings_and_notes() -> None:
    content = json.loads(json.dumps(as_json(REPORT)))
    assert (content["total"], content["score"], content["judge_failures"]) == (4, 0.0, 1)
    usage = content["usage"]["answer"]
    assert (usage["calls"], usage["prompt"], usage["dollars"]) == (4, 2400, 1.0)
    assert content["slices"]["domain"]["astro_nomy"]["total"] == 1
    assert content["settings"] == {"system": "offline"}
    assert content["notes"] == {"rows skipped": 3}


def test_the_terminal_shows_figures_slices_tokens_and_failures() -> None:
    text = terminal(REPORT)
    for said in ("4 questions", "25.0%", "rows skipped", "astro_nomy", "large kg", "3,600",
                 "1.5000", "ApiUnavailable", "unscored"):  # fmt: skip
        assert said in text
    assert "0 questions" in terminal(Report([]))


@pytest.mark.parametrize(
    "text",
    ["ends in a backslash \\", "line\nbreak\r\nand\u2028more", "[bold]rich[/bold] [/]", "\ud800",
     "\x1b[31mred\x07 \u202eright to left", "x" * 5000],
)  # fmt: skip
def test_a_group_or_failure_of_any_name_is_shown_plainly(text: str) -> None:
    given = {"query": text, "prediction": text, "slices": {"domain": text}}
    shown = terminal(Report([result(failures=(failed(text),), **given)]))
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert clean(text)[:20] in shown
