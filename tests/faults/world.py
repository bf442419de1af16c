"""Shared by the fault tests: four questions, runs of the evaluator, and checks of every run."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import local_evaluation
from models.records import IDK, Task
from models.settings import Settings
from models.user_model import UserModel

ROOT = Path(__file__).resolve().parents[2]
PLACES = ("northport", "southport", "eastport", "westport")
FAULTY = 1  # the index of the question that a fault affects: the one on southport
ANSWER = "41 metres"
IDS = [f"q{number}" for number in range(len(PLACES))]


def page(place: str) -> dict[str, Any]:
    """A page with the answer to the question on that place."""
    html = f"<title>Lighthouse</title><p>The {place} lighthouse is {ANSWER} tall.</p>"
    return {"page_name": "Lighthouse", "page_url": "https://example.org", "page_result": html}


def batch(*questions: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """A batch of questions with their pages, as the contest's evaluator gives it."""
    return {
        "interaction_id": [str(index) for index in range(len(questions))],
        "query": [query for query, _ in questions],
        "query_time": ["03/10/2024, 23:19:21 PT"] * len(questions),
        "search_results": [pages for _, pages in questions],
    }


def user_model(url: str | None = None, seconds: float = 30.0, **settings: Any) -> UserModel:
    """The offline system for a KG API, or for pages alone."""
    task = Task.KG_WEB if url else Task.WEB
    limits = {"seconds_per_question": seconds, "margin_s": min(2.0, seconds / 10)}
    return UserModel(Settings(task=task, api_url=url, **limits, **settings))


def dataset(folder: Path, times: int = 1) -> Path:
    """The four questions, repeated `times` times, as a file; each page has the answer."""
    rows = [
        {
            "interaction_id": f"q{number}",
            "query": f"how tall is the {place} lighthouse?",
            "query_time": "03/10/2024, 23:19:21 PT",
            "answer": ANSWER,
            "search_results": [page(place)],
        }
        for number, place in enumerate(PLACES * times)
    ]
    file = folder / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def rows_of(run: Path) -> list[dict[str, Any]]:
    """A run's rows, without the seconds, in which two runs may differ."""
    return [{**row, "seconds": 0, "answered_after": 0} for row in _rows_with_times(run)]


def _rows_with_times(run: Path) -> list[dict[str, Any]]:
    lines = (run / "predictions.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def evaluate(folder: Path, *argv: str, seconds: float = 5.0) -> list[dict[str, Any]]:
    """The rows of the four questions in one batch, after the checks that hold in every run.

    There is one string per question, in the order of the dataset and in time. Where there is no
    answer, or no verdict, the row and the report count the reason under its kind.
    """
    run = folder / "run"
    files = ["--dataset", str(dataset(folder)), "--batch-size", "4", "--out", str(run)]
    limits = ["--set", f"seconds_per_question={seconds}", "--set", f"margin_s={seconds / 10}"]
    assert local_evaluation.main([*files, *limits, "--no-check", *argv]) == 0
    rows = _rows_with_times(run)
    assert [row["interaction_id"] for row in rows] == IDS
    figures = json.loads((run / "results.json").read_text())
    kinds: Counter[str] = Counter()
    for row in rows:
        assert isinstance(row["prediction"], str)
        assert row["prediction"]
        assert row["seconds"] <= seconds + 0.5
        assert row["prediction"] != IDK or row["failures"] or sum(figures["notes"].values())
        assert row["verdict"] != "unscored" or row["judge_failed"] or row["reason"]
        kinds.update(failure["kind"] for failure in row["failures"])
    report = Counter({failure["kind"]: failure["times"] for failure in figures["failures"]})
    assert not kinds - report
    return rows


def answers(rows: Sequence[dict[str, Any]]) -> list[str]:
    """The answers in a run's rows."""
    return [row["prediction"] for row in rows]


def start(folder: Path, run: Path, *argv: str, **how: Any) -> subprocess.Popen[str]:
    """The evaluator in its own process, one question per batch, on the questions in `folder`."""
    data = folder / "questions.jsonl"
    files = ["--dataset", str(data), "--batch-size", "1", "--out", str(run)]
    return subprocess.Popen(
        [sys.executable, str(ROOT / "local_evaluation.py"), *files, *argv],
        cwd=ROOT,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **how,
    )
