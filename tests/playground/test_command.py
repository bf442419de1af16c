"""`crag playground` from the shell."""

import json
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import openai
import pytest

import local_evaluation
from models.settings import ROOT
from playground.__main__ import main
from tests.models.llm.fake_server import fake_server, hangs

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
    argv = ["--dataset", str(dataset), "--mock-api", str(ROOT / "example_data" / "kg")]
    assert local_evaluation.main([*argv, "--out", str(run)]) == 0
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


@pytest.mark.first_week
def test_ctrl_c_is_one_line_and_whoever_waits_gets_an_error() -> None:
    with fake_server(hangs()) as server:
        command = [sys.executable, "-m", "crag", "playground", "--port", "0", "--no-open"]
        command += ["--system", "bumblebee7", "--llm", f"openai:{server.url}#base"]
        command += ["--set", "web.preset=default", "--example"]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None and process.stderr is not None
            url = process.stdout.readline().split()[-1]
            client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
            messages: list[Any] = [{"role": "user", "content": CASE["query"]}]
            with ThreadPoolExecutor() as pool:
                chat = partial(client.chat.completions.create, model="bumblebee7")
                whole = pool.submit(lambda: chat(messages=messages))
                stream = pool.submit(lambda: list(chat(messages=messages, stream=True)))
                while not server.bodies:
                    time.sleep(0.01)
                time.sleep(0.3)  # both are asked
                process.send_signal(signal.SIGINT)
                problems = [str(each.exception(timeout=20)) for each in (whole, stream)]
            server.over.set()
            assert process.wait(20) == 130
            assert process.stderr.read() == "Interrupted.\n"
    assert all("the server was stopped" in problem for problem in problems)


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
