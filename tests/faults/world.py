"""What the fault tests share: four questions, runs of the evaluator, and what every run holds."""

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
FAULTY = 1  # the question on southport is the one that a fault is for
ANSWER = "41 metres"
IDS = [f"q{number}" for number in range(len(PLACES))]


def page(place: str) -> dict[str, Any]:
    html = f"<title>Lighthouse</title><p>The {place} lighthouse is {ANSWER} tall.</p>"
    return {"page_name": "Lighthouse", "page_url": "https://example.org", "page_result": html}


def batch(*asked: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """A batch of questions with their pages, as the contest's evaluator gives it."""
    return {
        "interaction_id": [str(index) for index in range(len(asked))],
        "query": [query for query, _ in asked],
        "query_time": ["03/10/2024, 23:19:21 PT"] * len(asked),
        "search_results": [pages for _, pages in asked],
    }


def user_model(url: str | None = None, seconds: float = 30.0, **settings: Any) -> UserModel:
    """The offline system for a KG API, or for pages alone."""
    task = Task.KG_WEB if url else Task.WEB
    limits = {"seconds_per_question": seconds, "margin_s": min(2.0, seconds / 10)}
    return UserModel(Settings(task=task, api_url=url, **limits, **settings))


def dataset(folder: Path, times: int = 1) -> Path:
    """The four questions, or several times as many, as a file; each page holds the answer."""
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
    """What a run wrote for each question, without what two runs may differ in: the time."""
    lines = (run / "predictions.jsonl").read_text().splitlines()
    return [{**json.loads(line), "seconds": 0} for line in lines]


def evaluate(folder: Path, *argv: str, seconds: float = 5.0) -> list[dict[str, Any]]:
    """Run the evaluator on the four questions in one batch, and check what must always hold.

    One string per question, in the order of the dataset and in time; where there is no answer, or
    no verdict, the reason is counted under its kind, in the row and in the report.
    """
    run = folder / "run"
    asked = ["--dataset", str(dataset(folder)), "--batch-size", "4", "--out", str(run)]
    limits = ["--set", f"seconds_per_question={seconds}", "--set", f"margin_s={seconds / 10}"]
    assert local_evaluation.main([*asked, *limits, "--no-check", *argv]) == 0
    rows = [json.loads(line) for line in (run / "predictions.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == IDS
    figures = json.loads((run / "results.json").read_text())
    kinds: Counter[str] = Counter()
    for row in rows:
        assert isinstance(row["prediction"], str)
        assert row["prediction"]
        assert row["seconds"] <= seconds + 0.5
        assert row["prediction"] != IDK or row["failures"] or sum(figures["notes"].values())
        assert row["verdict"] != "unscored" or row["judge_failed"] or row["reason"]
        kinds.update(failure["kind"] for failure in row["failures"])
    assert not kinds - Counter({each["kind"]: each["times"] for each in figures["failures"]})
    return rows


def answers(rows: Sequence[dict[str, Any]]) -> list[str]:
    return [row["prediction"] for row in rows]


def start(folder: Path, run: Path, *argv: str, **how: Any) -> subprocess.Popen[str]:
    """The evaluator in its own process, one question a batch, on forty questions."""
    data = folder / "questions.jsonl"
    asked = ["--dataset", str(data), "--batch-size", "1", "--out", str(run)]
    command = [sys.executable, str(ROOT / "local_evaluation.py"), *asked, *argv]
    return subprocess.Popen(
        command, cwd=ROOT, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **how
    )
