"""An evaluation from Python."""

from pathlib import Path
from typing import Any

import pytest

from evaluation.finished_run import read_run
from evaluation.in_python import evaluate
from evaluation.runner import SetupFailed
from tests.evaluation.run_files import figures_of
from utils.errors import ApiUnavailable, InputError


class Echo:
    """Answers each question with its last word, two at a time."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def get_batch_size(self) -> int:
        return 2

    def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
        self.sizes.append(len(batch["query"]))
        return [query.split()[-1] for query in batch["query"]]


def test_dicts_are_answered_in_batches_and_judged() -> None:
    model = Echo()
    rows = [
        {"query": "say 3", "answer": "3", "domain": "movie"},
        {"query": "say 4", "answer": "5", "interaction_id": "four"},
        {"query": "say 5", "answer": "6", "alt_ans": ["5"]},
    ]
    report = evaluate(model, iter(rows))
    assert model.sizes == [2, 1]
    assert [result.id for result in report.results] == ["row-1", "four", "row-3"]
    assert [result.verdict for result in report.results] == ["correct", "wrong", "correct"]
    assert report.metrics.score == pytest.approx(1 / 3)
    assert report.slices["domain"]["movie"].total == 1


def test_a_row_without_a_query_is_named() -> None:
    with pytest.raises(InputError, match="row 2: no query; rename `question` to `query`"):
        evaluate(Echo(), [{"query": "say 3"}, {"question": "say 4"}])


def test_a_run_folder_is_written_on_request(tmp_path: Path) -> None:
    rows = [{"query": "say 10", "answer": "10"}, {"query": "say 11", "answer": "12"}]
    report = evaluate(Echo(), rows, out=tmp_path / "run")
    run = read_run(tmp_path / "run")
    assert [result.verdict for result in run.results.values()] == ["correct", "wrong"]
    assert run.settings["system"] == "Echo"
    assert figures_of(tmp_path / "run")["score"] == report.metrics.score
    assert (tmp_path / "run" / "report.html").is_file()
    with pytest.raises(InputError, match="holds a run already"):
        evaluate(Echo(), rows, out=tmp_path / "run")


def test_a_run_that_stopped_goes_on(tmp_path: Path) -> None:
    class Dies(Echo):
        alive = False

        def batch_generate_answer(self, batch: dict[str, Any]) -> list[str]:
            if self.sizes and not self.alive:
                raise ApiUnavailable("gone")
            return super().batch_generate_answer(batch)

    rows = [{"query": f"say {n}", "answer": str(n)} for n in range(6)]
    model = Dies()
    with pytest.raises(SetupFailed, match="last 4 questions failed: ApiUnavailable: gone"):
        evaluate(model, rows, out=tmp_path / "run")
    model.alive = True
    resumed = evaluate(model, rows, out=tmp_path / "run", resume=True)
    assert model.sizes == [2, 2, 2]
    assert resumed.metrics.accuracy == 1
