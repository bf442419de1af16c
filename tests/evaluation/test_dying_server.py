"""A run whose LLM server dies over night: it stops, is marked, and is resumed to the same end."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from evaluation.__main__ import main as runs
from local_evaluation import main
from tests.evaluation.run_files import rows_of
from tests.models.llm.fake_server import Fake, Handler, fake_server, refuses, says

pytestmark = pytest.mark.first_week

QUESTIONS = 8
BATCH = 2


def answers(handler: Handler, body: dict[str, Any]) -> None:
    """An answer that depends on the question."""
    question = body["messages"][-1]["content"]
    (number,) = [n for n in range(QUESTIONS) if f"name of lake {n}?" in question]
    says(f"Lake Number {number}")(handler, body)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    file = tmp_path / "questions.jsonl"
    page = {"page_name": "Lakes", "page_url": "http://lakes", "page_snippet": ""}
    rows = []
    for number in range(QUESTIONS):
        html = f"<p>The name of lake {number} is known to those who live at lake {number}.</p>"
        row = {
            "interaction_id": f"q{number}",
            "query": f"what is the name of lake {number}?",
            "answer": f"Lake Number {number}",
            "query_time": "03/10/2024, 23:19:21 PT",
            "search_results": [{**page, "page_result": html}],
        }
        rows.append(json.dumps(row) + "\n")
    file.write_text("".join(rows), encoding="utf-8")
    return file


def evaluate(server: Fake, dataset: Path, out: Path, *more: str) -> int:
    argv = ["--system", "db3", "--llm", f"openai:{server.url}#base", "--web", "default"]
    argv += ["--task", "1", "--dataset", str(dataset), "--out", str(out), "--no-check"]
    argv += ["--batch-size", str(BATCH), "--set", "seconds_per_question=3", *more]
    return main(argv)


def predictions(run: Path) -> dict[str, str]:
    return {row["interaction_id"]: row["prediction"] for row in rows_of(run / "predictions.jsonl")}


def test_it_stops_is_listed_and_ends_as_an_undisturbed_run_when_it_is_resumed(
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("CRAG_MOCK_API_URL", raising=False)
    undisturbed = tmp_path / "undisturbed"
    broken = tmp_path / "runs" / "broken"
    with fake_server(answers) as server:
        assert evaluate(server, dataset, undisturbed) == 0
    calls_of_a_batch = len(server.bodies) * BATCH // QUESTIONS
    replies = [answers] * calls_of_a_batch + [refuses(503)]
    with fake_server(*replies) as server:
        assert evaluate(server, dataset, broken) == 3
        message = capsys.readouterr().err
        assert "each of the last 4 questions failed: server unavailable" in message
        assert list(predictions(broken)) == ["q0", "q1"]
        assert not (broken / "results.json").exists()
        command = shlex.split(message.splitlines()[-1])
        assert "--resume" in command
        assert runs(["list", str(tmp_path / "runs")]) == 0
        listed = capsys.readouterr().out.replace("·", "").split()
        assert "stopped: each of the last 4 questions failed" in " ".join(listed)
        server.replies = [answers]  # at the same address
        assert main(command[command.index("--system") :]) == 0
    assert predictions(broken) == predictions(undisturbed)
    assert set(predictions(broken).values()) == {f"Lake Number {n}" for n in range(QUESTIONS)}
