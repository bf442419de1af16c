"""A traced run, and one question of it shown."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main
from evaluation.dataset import Example
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import PREDICTIONS, TRACES, RunFolder, read_traces
from evaluation.runner import Answerer, Run
from models.runtime.ledger import Failure
from models.runtime.trace import Step
from utils.errors import ApiUnavailable

STEPS = [
    Step("route", {"question": "who?"}, "movie", 0.25, None, 1, {"domain": 0.5}, "small",
         "db3/route", cost=0.1),
    Step("answer_kg", {"passages": "The [bold]director[/bold] is " + "x" * 2000}, "Ann"),
]  # fmt: skip


class Model:
    def __init__(self, *traces: list[Step]) -> None:
        self.last_traces = traces
        self.last_failures = [[], [Failure(ApiUnavailable("gone"), "ask")]]

    def get_batch_size(self) -> int:
        return 2

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        return ["Ann", "i don't know"]


def run(folder: Path, *traces: list[Step]) -> None:
    """Two questions, or again, as a run that was interrupted before its predictions."""
    examples = [Example(f"id-{n}", f"who is {n}?", "", golds=("Ann",)) for n in range(2)]
    runs = RunFolder(folder)
    runs.start({})
    answer_all = partial(map, Answerer(Model(*traces), str))
    Run(answer_all, RulesJudge(), runs, batch_size=2, traced=True).go(examples, {}, lambda _: None)


Shown = Callable[..., tuple[int, str]]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shown:
    monkeypatch.setenv("COLUMNS", "100")

    def show(*argv: str | Path) -> tuple[int, str]:
        status = main(["trace", *map(str, argv)])
        said = capsys.readouterr()
        return status, said.out + said.err

    return show


def test_a_question_is_shown_with_its_values_cut_and_markup_as_text(
    tmp_path: Path, shown: Shown
) -> None:
    run(tmp_path, STEPS, [])
    status, text = shown("id-0", "--run", tmp_path)
    assert status == 0
    for part in ("who is 0?", "correct: Ann", "right answers: Ann", "LLM: small, adapter: none",
                 "route · 0.250 s · 0 + 1 tokens", "movie", "domain 0.5", "[bold]director[/bold]",
                 "characters)"):  # fmt: skip
        assert part in text
    assert "characters)" not in shown("id-0", "--run", tmp_path, "--full")[1]
    assert "ApiUnavailable in ask: gone" in shown("id-1", "--run", tmp_path)[1]
    assert "system:" in shown("id-0", "--run", tmp_path, "--prompt")[1]


@pytest.mark.parametrize("question", ["id-7", "id"])
def test_an_id_that_is_not_there_or_not_one(tmp_path: Path, question: str, shown: Shown) -> None:
    run(tmp_path, STEPS, [])
    status, text = shown(question, "--run", tmp_path)
    assert status == 2 and "id-0" in text


def test_a_run_that_was_interrupted_while_it_wrote_traces_is_gone_on_with(tmp_path: Path) -> None:
    run(tmp_path)
    (tmp_path / PREDICTIONS).unlink()
    with (tmp_path / TRACES).open("a") as file:
        file.write('{"id": "id-1", "que')
    run(tmp_path, STEPS, [])
    assert read_traces(tmp_path) == {"id-0": STEPS, "id-1": []}


def test_the_latest_run_is_taken_and_without_traces_it_says_how_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: Shown
) -> None:
    monkeypatch.setattr("evaluation.__main__.RUNS", tmp_path)
    assert shown("id-0")[0] == 2
    folder = tmp_path / "one"
    folder.mkdir()
    run(folder, STEPS, [])
    assert shown("id-0")[0] == 0
    (folder / TRACES).unlink()
    status, text = shown("id-0", "--run", folder)
    assert status == 2 and "--no-trace" in text
