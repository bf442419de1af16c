"""`crag playground` from the shell."""

import json
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

import local_evaluation
from models.settings import ROOT
from playground.__main__ import main

CASE = {
    "interaction_id": "hotel",
    "query": "when did the grand budapest hotel come out?",
    "answer": "2014-02-26",
    "query_time": "03/10/2024, 23:19:21 PT",
}


def test_the_questions_of_a_run_can_be_asked_again_from_any_folder(tmp_path: Path) -> None:
    dataset = tmp_path / "data" / "cases.jsonl"
    dataset.parent.mkdir()
    dataset.write_text(json.dumps(CASE) + "\n")
    run = tmp_path / "run"
    assert local_evaluation.main(["--dataset", str(dataset), "--out", str(run)]) == 0
    command = [sys.executable, "-m", "crag", "playground", str(run), "--port", "0", "--no-open"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("playground on http://127.0.0.1:")
            url = line.split()[-1]
            with urlopen(f"{url}/api/rows/hotel") as reply:
                assert json.load(reply)["query"] == CASE["query"]
        finally:
            process.terminate()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dataset", "nowhere.jsonl"], "nowhere.jsonl"),
        (["nowhere"], "nowhere"),
        (["--example", "--api", "http://127.0.0.1:1"], "exclude each other"),
        (["--api", "http://[bad"], "is not the address of a server"),
        (["--settings", "nowhere.toml"], "there is no file nowhere.toml"),
    ],
)
def test_what_cannot_be_used_is_an_error_before_the_server_starts(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--no-open", "--port", "0"]) == 2
    assert message in capsys.readouterr().err
