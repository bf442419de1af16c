"""A disk that fails, a process that is killed: a resumed run equals an uninterrupted one."""

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

TIMES = 10  # how often the four questions are repeated
QUESTIONS = 4 * TIMES


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The rows of one run in this process."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    return rows_of(finish(folder))


def finish(folder: Path) -> Path:
    """The folder of the run in `folder`, after it was resumed and has ended."""
    run = folder / "run"
    data = dataset(folder, TIMES)
    argv = ["--dataset", str(data), "--batch-size", "1", "--out", str(run), "--resume"]
    assert local_evaluation.main(argv) == 0
    assert json.loads((run / "results.json").read_text())["total"] == QUESTIONS
    return run


@fault("LLM engine", "killed")
@fault("judge", "killed")
@fault("disk", "killed")
@pytest.mark.clock
def test_a_killed_run_is_resumed(tmp_path: Path, uninterrupted: list[Any]) -> None:
    """Engine, judge and writing of results are in one process; kill -9 takes them all."""
    dataset(tmp_path, TIMES)
    run = tmp_path / "run"
    end = time.monotonic() + 60
    process = start(tmp_path, run)
    while line_count(run / "predictions.jsonl") <= 4:
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.005)
    process.kill()
    process.wait()
    before = rows_of(run)
    assert 4 < len(before) < QUESTIONS
    assert rows_of(finish(tmp_path)) == uninterrupted
    assert rows_of(run)[: len(before)] == before


def line_count(file: Path) -> int:
    """The number of lines; 0 if there is no such file."""
    if not file.exists():
        return 0
    return file.read_bytes().count(b"\n")


@fault("disk", "disk full")
@pytest.mark.clock
def test_a_run_is_resumed_after_a_full_disk(tmp_path: Path, uninterrupted: list[Any]) -> None:
    """A file that may not grow beyond 4 kB fails as a full disk does, in the middle of a line."""
    dataset(tmp_path, TIMES)
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (4096, 4096))
    process = start(tmp_path, tmp_path / "run", "--no-trace", preexec_fn=limit)
    _, message = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "cannot be written" in message
    assert "Traceback" not in message
    written = (tmp_path / "run" / "predictions.jsonl").read_bytes()
    assert len(written) == 4096
    assert not written.endswith(b"\n")
    assert rows_of(finish(tmp_path)) == uninterrupted


@fault("disk", "duplicate")
@fault("disk", "out of order")
def test_duplicated_and_shuffled_lines_count_once(tmp_path: Path) -> None:
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
def test_slow_writes_do_not_count_as_answer_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RunFolder.append

    def append_slowly(self: RunFolder, results: Sequence[QuestionResult]) -> None:
        time.sleep(2)
        append(self, results)

    monkeypatch.setattr(RunFolder, "append", append_slowly)
    for row in evaluate(tmp_path):
        assert row["seconds"] < 0.5
