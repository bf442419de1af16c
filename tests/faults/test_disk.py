"""A disk that fails, and a process that is killed: a resumed run ends like an uninterrupted one."""

import json
import random
import resource
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from evaluation.run_folder import RunFolder
from evaluation.score import QuestionResult
from tests.faults.matrix import fault
from tests.faults.world import dataset, evaluate, rows_of, start

QUESTIONS = 40  # ten times the four


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What one run in this process writes."""
    return rows_of(finish(tmp_path_factory.mktemp("uninterrupted")))


def finish(folder: Path) -> Path:
    """The run in `folder` from where it is to its end."""
    run = folder / "run"
    data = dataset(folder, QUESTIONS // 4)
    argv = ["--dataset", str(data), "--batch-size", "1", "--out", str(run), "--resume"]
    assert local_evaluation.main(argv) == 0
    assert json.loads((run / "results.json").read_text())["total"] == QUESTIONS
    return run


@fault("LLM engine", "killed")
@fault("judge", "killed")
@fault("disk", "killed")
@pytest.mark.clock
def test_a_run_that_was_killed_goes_on(tmp_path: Path, uninterrupted: list[Any]) -> None:
    """Engine, judge and writing of results are in one process; kill -9 takes them all."""
    dataset(tmp_path, QUESTIONS // 4)
    run, end = tmp_path / "run", time.monotonic() + 60
    process = start(tmp_path, run)
    predictions = run / "predictions.jsonl"
    while not (predictions.exists() and predictions.read_bytes().count(b"\n") > 4):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = rows_of(run)
    assert 4 < len(before) < QUESTIONS
    assert rows_of(finish(tmp_path)) == uninterrupted
    assert rows_of(run)[: len(before)] == before


@fault("disk", "disk full")
@pytest.mark.clock
def test_a_run_whose_disk_was_full_goes_on(tmp_path: Path, uninterrupted: list[Any]) -> None:
    """A file that may not grow beyond 4 kB fails as a full disk does, in the middle of a line."""
    dataset(tmp_path, QUESTIONS // 4)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4096, 4096))
    process = start(tmp_path, tmp_path / "run", "--no-trace", preexec_fn=limit)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot be written" in said and "Traceback" not in said
    torn = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    assert len(torn) == 4096 and not torn.endswith(b"\n")
    assert rows_of(finish(tmp_path)) == uninterrupted


@fault("disk", "duplicate")
@fault("disk", "out of order")
def test_lines_that_stand_twice_or_in_another_order_count_once(tmp_path: Path) -> None:
    run = finish(tmp_path)
    before = json.loads((run / "results.json").read_text())
    lines = (run / "predictions.jsonl").read_text().splitlines(keepends=True)
    shuffled = random.Random(0).sample(lines * 2, 2 * len(lines))
    (run / "predictions.jsonl").write_text("".join(shuffled))
    finish(tmp_path)
    after = json.loads((run / "results.json").read_text())
    for figure in ("score", "accuracy", "total", "slices", "failures"):
        assert before[figure] == after[figure], figure


@fault("disk", "slow")
def test_slow_writes_cost_no_answer_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    append = RunFolder.append

    def slow(self: RunFolder, results: Sequence[QuestionResult]) -> None:
        time.sleep(2)
        append(self, results)

    monkeypatch.setattr(RunFolder, "append", slow)
    assert all(row["seconds"] < 0.5 for row in evaluate(tmp_path))
