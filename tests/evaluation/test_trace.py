"""A traced run, and one question of it shown."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation import trace
from evaluation.__main__ import main
from evaluation.dataset import Example
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import PREDICTIONS, TRACES, RunFolder
from evaluation.runner import Answerer, Run
from models.runtime.trace import Step
from utils.errors import InputError

STEPS = [
    Step("route", {"question": "who?"}, "movie", 0.25, None, 1),
    Step("answer_kg", {"passages": "The [bold]director[/bold] is " + "x" * 2000}, "Ann"),
]


class Traced:
    last_traces = [STEPS, []]

    def get_batch_size(self) -> int:
        return 2

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        return ["Ann", "i don't know"]


class Untraced(Traced):
    last_traces = []  # type: ignore[assignment]


def run(folder: Path, model: Any) -> None:
    """Once; again, as a run that was interrupted between its traces and its predictions."""
    examples = [
        Example(id=f"id-{n}", query=f"who is {n}?", query_time="", golds=("Ann",)) for n in range(2)
    ]
    runs = RunFolder(folder)
    runs.start({})
    answer_all = partial(map, Answerer(model, str))
    run = Run(answer_all, RulesJudge(), runs, batch_size=2, traced=True)
    run.go(examples, {}, lambda tally: None)


Shown = Callable[..., tuple[int, str]]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    monkeypatch.setenv("COLUMNS", "100")

    def show(*argv: str) -> tuple[int, str]:
        status = main(["trace", *argv])
        said = capsys.readouterr()
        return status, said.out + said.err

    return show


def test_every_question_has_a_line_of_steps(tmp_path: Path) -> None:
    run(tmp_path, Traced())
    rows = [json.loads(line) for line in (tmp_path / TRACES).read_text().splitlines()]
    assert [row["id"] for row in rows] == ["id-0", "id-1"]
    assert [step["name"] for step in rows[0]["steps"]] == ["route", "answer_kg"]
    assert rows[0]["steps"][0] == {
        "name": "route", "inputs": {"question": "who?"}, "output": "movie", "seconds": 0.25,
        "adapter": None, "tokens": 1, "confidence": {}, "llm": "", "prompt": "", "prompt_tokens": 0,
        "cached_tokens": 0, "cost": 0.0,
    }  # fmt: skip
    assert rows[1]["steps"] == []


def test_a_model_without_traces_has_empty_ones(tmp_path: Path) -> None:
    run(tmp_path, Untraced())
    assert trace.find("id-1", tmp_path)["steps"] == []


def test_a_question_is_shown_with_its_values_cut_and_markup_as_text(
    tmp_path: Path, shown: Shown
) -> None:
    run(tmp_path, Traced())
    status, text = shown("id-0", "--run", str(tmp_path))
    assert status == 0
    for part in (
        "who is 0?",
        "correct: Ann",
        "right answers: Ann",
        "route · 0.250 s · 0 + 1 tokens",
        "movie",
        "[bold]director[/bold]",
        "Ann",
    ):
        assert part in text
    assert "characters)" in text
    assert "characters)" not in shown("id-0", "--run", str(tmp_path), "--full")[1]


@pytest.mark.parametrize("question", ["id-7", "id"])
def test_an_id_that_is_not_there_or_not_one(tmp_path: Path, question: str, shown: Shown) -> None:
    run(tmp_path, Traced())
    status, text = shown(question, "--run", str(tmp_path))
    assert status == 2 and "id-0" in text


def test_a_run_that_was_interrupted_while_it_wrote_traces_is_gone_on_with(tmp_path: Path) -> None:
    run(tmp_path, Untraced())
    (tmp_path / PREDICTIONS).unlink()
    with (tmp_path / TRACES).open("a") as file:
        file.write('{"id": "id-1", "que')
    run(tmp_path, Traced())
    assert [step["name"] for step in trace.find("id-0", tmp_path)["steps"]] == [
        "route", "answer_kg",
    ]  # fmt: skip


def test_without_traces_it_says_how_to_get_them(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--no-trace"):
        trace.find("id-0", tmp_path)


def test_the_latest_run_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    monkeypatch.setattr("evaluation.__main__.RUNS", tmp_path / "runs")
    assert shown("id-0")[0] == 2
    folder = tmp_path / "runs" / "one"
    folder.mkdir(parents=True)
    run(folder, Traced())
    assert shown("id-0")[0] == 0
