"""The first week of a participant, from the shell: an own server with adapters, which dies, is
restarted, and then has answered as the engine in this process does.

The rest of that week is in the other tests with the mark `first_week`.
"""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from models.settings import ROOT
from tests.evaluation.run_files import rows_of, write_rows
from tests.models.llm.test_llamacpp_server import Served

pytestmark = pytest.mark.first_week

ADAPTERS = ROOT / "adapters" / "smollm2"
NAMES = ("route", "write_query", "answer_kg")
SECONDS = 120
# One greedy program a question: then answers can be compared.
GREEDY = ["--set", "options.query_samples=1", "--set", "seconds_per_question=60"]


def crag(*arguments: object, status: int = 0) -> str:
    """What a command prints on both streams; its status is as expected."""
    command = [sys.executable, "-m", "crag", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def serve(port: str) -> Served:
    options = ["--port", port, "--context", "1024"]
    for name in NAMES:
        options += ["--adapter", f"{name}={ADAPTERS / name}"]
    return Served.start(*options)


def own_settings(folder: Path, url: str) -> Path:
    """Those of the repository's adapters, with their numbers on a server, as docs/engines.md has
    it."""
    text = (ADAPTERS / "settings.toml").read_text(encoding="utf-8")
    text = text.replace("llamacpp:smollm2", f"openai:{url}#smollm2").replace("context = 1024\n", "")
    for number, name in enumerate(NAMES):
        text = text.replace(f'{name} = "{name}"', f'{name} = "lora:{number}"')
    file = folder / "own.toml"
    file.write_text(text, encoding="utf-8")
    return file


def answers(run: Path) -> dict[str, str]:
    if not (run / "predictions.jsonl").is_file():
        return {}
    return {row["interaction_id"]: row["prediction"] for row in rows_of(run / "predictions.jsonl")}


def evaluation(questions: Path, out: Path, settings: Path) -> Sequence[object]:
    data = ["--dataset", questions, "--mock-api", ROOT / "example_data" / "kg", "--task", 2]
    return ["eval", *data, "--out", out, "--settings", settings, "--batch-size", 1, *GREEDY]


def test_an_own_server_with_adapters_is_checked_dies_and_is_resumed(
    smollm2: Path, tmp_path: Path
) -> None:
    rows = rows_of(ROOT / "example_data" / "questions.jsonl")[4:7]
    without_pages = [{**row, "search_results": []} for row in rows]
    questions = write_rows(tmp_path / "questions.jsonl", without_pages)
    run = tmp_path / "runs" / "own"
    with serve("0") as server:
        port = server.url.removesuffix("/v1").rpartition(":")[2]
        settings = own_settings(tmp_path, server.url)
        check = crag("llm", "check", "--settings", settings)
        assert all(f"lora:{number}, " in check for number in range(3))
        assert "1,024 tokens" in check and "kept: choice, regex, grammar, json" in check
        unlisted = f"openai:{server.url}#another"
        missing = crag("llm", "check", "--settings", settings, "--llm", unlisted, status=2)
        assert "the server has no 'another'" in missing
        crag("llm", "check", "--settings", tmp_path / "no.toml", status=2)
        command = [sys.executable, "-m", "crag", *map(str, evaluation(questions, run, settings))]
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
            while not answers(run):
                assert process.poll() is None, process.communicate()
                time.sleep(0.1)
            server.kill()
            _, message = process.communicate(timeout=SECONDS)
    assert process.returncode == 3
    assert "server unavailable" in message and "--resume" in message
    with serve(port):
        crag(*evaluation(questions, run, settings), "--resume")
    in_process = tmp_path / "in_process"
    local = ADAPTERS / "settings.toml"
    crag(*evaluation(questions, in_process, local), "--set", "llms.default.threads=1")
    assert answers(run) == answers(in_process)
    assert sum(answer != "i don't know" for answer in answers(run).values()) >= 2
