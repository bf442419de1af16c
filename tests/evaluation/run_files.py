"""Results, run folders and files of rows for tests."""

import io
import json
import tarfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.judge.protocol import Verdict
from evaluation.run_folder import RunFolder
from evaluation.runner import trace_of
from evaluation.score import QuestionResult
from models.runtime.trace import Step

Command = Callable[..., str]  # runs `crag runs` and returns what it prints (conftest.py)


def result(number: int = 0, verdict: Verdict = Verdict.CORRECT, **changes: Any) -> QuestionResult:
    """The result of question `q<number>`, with some fields changed."""
    default = QuestionResult(
        id=f"q{number}",
        query=f"who is {number}?",
        prediction="Ann",
        verdict=verdict,
        seconds=2.0,
        golds=("Ann",),
        slices={"domain": "movie", "question_type": "simple"},
    )
    return replace(default, **changes)


def write_run(
    folder: Path, results: Sequence[QuestionResult], steps: Sequence[Sequence[Step]] | None = None
) -> Path:
    """The folder of a run with these results, and traces where there are `steps`."""
    folder.mkdir(exist_ok=True)
    out = RunFolder(folder)
    out.start({"system": "offline", "dataset": "some.jsonl"})
    out.append(results)
    if steps is not None:
        out.append_traces(list(map(trace_of, results, steps)))
    out.discard_if_unused()
    return folder


def rows_of(file: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def write_rows(file: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def without_times(file: Path) -> list[dict[str, Any]]:
    """The rows of a run's file without what differs from run to run."""
    rows = rows_of(file)
    for row in rows:
        row.pop("seconds", None)
        row.pop("answered_after", None)
        for step in row.get("steps", ()):
            step.pop("seconds")
    return rows


def figures_of(run: Path) -> dict[str, Any]:
    """The content of a run's results.json."""
    return dict(json.loads((run / "results.json").read_text()))


def tar_of(members: dict[str, bytes]) -> bytes:
    """A tar archive of files by name."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()
