"""Every system over a real OpenAI-compatible server, from the command line."""

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.cli import main
from local_evaluation import PARTS
from models.llm.config import LLMSettings
from models.llm.errors import ServerUnavailable
from models.llm.openai import OpenAILLM
from models.llm.protocol import Constraint, ConstraintKind, FinishReason, Message, Prompt
from models.llm.server import LLMServer
from models.systems.factory import SYSTEMS, subtasks_of
from tests.faults.matrix import fault
from tests.models.engines import MODEL, Server
from utils.deadline import Deadline

OF_THE_MODEL = {"statement not understood", "empty answer", "broken"}  # it writes at random
pytestmark = [pytest.mark.engine, pytest.mark.slow]
# What each system asks of a model for every question, over the example KG, which is served where no
# other data are named. electricsheep goes on where a random model calls a question dynamic.
ASKED = {
    "db3": {"route", "write_query", "answer_web"},
    "bumblebee7": {"rewrite_query", "extract_premise", "think"},
    "dragonrangers": {"answer_alone", "name_arguments", "answer_web"},
    "electricsheep": {"predict_domain", "predict_dynamic", "write_expression", "name_arguments",
                      "extract_knowledge", "reason"},
}  # fmt: skip
OPTIONS = {"electricsheep": "refuse_dynamic", "db3": "kg_fallback"}  # switched off


@pytest.mark.parametrize("system", [name for name in SYSTEMS if subtasks_of(name)])
def test_from_the_command_line(system: str, server: Server, tmp_path: Path) -> None:
    # The papers' embedders and rerankers are not here; the default path needs none.
    argv = ["--system", system, "--llm", f"openai:{server.url}#{MODEL}", "--web", "default"]
    argv += ["--limit", "3", "--batch-size", "3", "--out", str(tmp_path / "run")]
    if system in OPTIONS:
        argv += ["--set", f"options.{OPTIONS[system]}=false"]
    assert main(argv, PARTS) == 0
    lines = (tmp_path / "run" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert len(rows) == 3 and all(row["prediction"].strip() for row in rows)
    kinds = {failure["kind"] for row in rows for failure in row["failures"]}
    assert all(kind in OF_THE_MODEL or kind.startswith(("cut at", "answer cut")) for kind in kinds)
    traces = (tmp_path / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [step for line in traces for step in json.loads(line)["steps"]]
    # Of all questions together: a random model may call a premise false, which ends its question.
    assert ASKED[system] <= {step["name"] for step in steps if step["tokens"]}


@fault("OpenAI server", "killed")
@pytest.mark.clock
def test_a_server_killed_in_the_middle_of_a_batch(server: Server) -> None:
    """Last of all that need it: a test after this one would have to wait for another."""
    endpoint = LLMServer(server.url, attempts=2, wait=0.01)
    llm = OpenAILLM(endpoint, LLMSettings(f"openai:{server.url}#tiny", workers=4))
    endless = Constraint(ConstraintKind.REGEX, "[a-z ]{9000}")
    hello = Prompt((Message("user", "hello"),), max_tokens=1, constraint=endless)
    llm.generate([hello], deadline=Deadline.after(20))
    threading.Timer(0.5, server.kill).start()
    deadline = Deadline.after(60)
    done = llm.generate([replace(hello, max_tokens=4000)] * 16, deadline=deadline)
    assert deadline.remaining() > 5
    assert {one.finish_reason for one in done} <= {FinishReason.BROKEN, FinishReason.LENGTH}
    error = llm.generate([hello], deadline=Deadline.after(20))[0].error
    assert isinstance(error, ServerUnavailable)
