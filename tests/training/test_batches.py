"""The commands that ask engines, on Ray: the rows of one process, and no batch is lost."""

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from models.llm.config import LLMSettings
from models.llm.protocol import Prompt
from models.settings import Settings
from tests.models.systems.scripted import ScriptedLLMs
from training.__main__ import main
from training.records import Pair, write_rows

pytest.importorskip("ray", reason="Ray is not installed: pip install '.[ray]'")
from ray.cluster_utils import Cluster as Nodes

pytestmark = pytest.mark.engine

TIME = "03/13/2024, 09:19:21 PT"
PROGRAM = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'
MAKERS = {
    "labels": "training.labels.make_labeller",
    "rationales": "training.__main__.make_rationales",
    "real": "training.__main__.make_real_pairs",
    "paraphrase": "training.__main__.make_paraphraser",
}


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 2})
    yield nodes.address
    nodes.shutdown()


def height(prompt: Prompt) -> str:
    """What a prompt says of the tower that it asks about."""
    (number,) = re.findall(r"tower (\d+)", prompt.messages[-1].text)[-1:]
    return f"{number} m"


def scripted() -> ScriptedLLMs:
    reasons = "First, it is a tower. Second, it was measured. The answer is {}."
    return ScriptedLLMs(
        {
            **dict.fromkeys(("route", "find_entities", "answer_kg"), lambda prompt: "open"),
            "answer_web": height,
            "check_answer": lambda prompt: json.dumps({"Accuracy": str(height(prompt) < "5")}),
            "check_context": lambda prompt: "yes" if height(prompt) < "7" else "no",
            "write_rationale": lambda prompt: reasons.format(height(prompt)),
            "paraphrase": lambda prompt: f"how much is {height(prompt)}?\nwhose film is it?",
            "write_query": lambda prompt: PROGRAM,
        }
    )


class DiesOnce:
    """Makes what `make` makes, with scripted engines; the first worker ends at its first batch."""

    def __init__(self, make: Callable[..., Callable[[Any], Any]], mark: Path) -> None:
        self._make, self._mark = make, mark

    def __call__(self, *given: Any, **options: Any) -> Callable[[Any], Any]:
        with patch("training.engines.LLMs", lambda *_, **__: scripted()):
            function = self._make(*given, **options)

        def run(batch: Any) -> Any:
            if not self._mark.exists():
                self._mark.touch()
                os._exit(1)
            return function(batch)

        return run


@pytest.mark.parametrize("command", MAKERS)
def test_a_command_writes_on_ray_what_it_writes_in_one_process(
    command: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """A worker ends on the way; and the replies of its workers are kept where the command runs."""
    plain = {"preset": "db3", "embedder": None, "reranker": None}
    settings = Settings(llms={"default": LLMSettings("hf:none")}, web=plain)
    monkeypatch.setattr("training.__main__.load_settings", lambda: settings)
    monkeypatch.setattr("training.__main__.BATCH", 1)
    module, _, name = MAKERS[command].rpartition(".")
    mark = tmp_path / "died"
    monkeypatch.setattr(MAKERS[command], DiesOnce(getattr(import_module(module), name), mark))
    run = partial(run_command, command, tmp_path)

    mark.touch()
    alone = run("alone")
    mark.unlink()
    capsys.readouterr()
    assert run("ray", "--ray", address) == alone
    assert "workers lost: 1" in capsys.readouterr().err
    assert run("ray", "--ray", address, "--workers", "1") == alone
    said = capsys.readouterr().err
    assert "prompts remembered" in said and "asked" not in said


def run_command(command: str, folder: Path, name: str, *more: str) -> dict[str, str]:
    """The texts of the files that a command writes."""
    data, out = folder / "data.jsonl", folder / name / "out.jsonl"
    if command == "paraphrase":
        write_rows(data, map(pair, range(9)))
        options = []
    else:
        data.write_text("".join(json.dumps(question(number)) + "\n" for number in range(9)))
        options = ["--part", "all"]
    assert main([command, "--data", str(data), "--out", str(out), *options, *more]) == 0
    files = [out] if out.is_file() else sorted(out.glob("*.json*"))
    made = {file.name: file.read_text() for file in files}
    assert made and all(made.values())
    return made


def question(number: int) -> dict[str, Any]:
    return {
        "interaction_id": str(number),
        "query": f"who directed inception, as told on tower {number}?",
        "query_time": TIME,
        "answer": "Christopher Nolan" if number % 3 == 0 else f"{number} m",
        "domain": "movie",
        "search_results": [{"page_result": f"<p>The tower {number} is {number} m tall.</p>"}],
    }


def pair(number: int) -> Pair:
    asked = f"who made inception, as told on tower {number}?"
    return Pair(str(number), "movie", asked, TIME, PROGRAM, "template", "i", "w")
