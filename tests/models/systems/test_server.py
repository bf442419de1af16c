"""Every system over a real OpenAI-compatible server, from the command line."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from local_evaluation import PARTS
from models.llm.config import LLMSettings
from models.llm.errors import ServerUnavailable
from models.llm.openai import OpenAILLM
from models.llm.protocol import Constraint, ConstraintKind, FinishReason, Message, Prompt
from models.llm.server import LLMServer
from models.records import IDK
from tests.faults.matrix import fault
from tests.models.engines import MODEL, Server
from utils.deadline import Deadline

# A random model causes these.
EXPECTED_FAILURES = {"statement not understood", "empty answer", "broken"}
pytestmark = [pytest.mark.engine, pytest.mark.slow]
# The steps of each system that use a model, over the example KG, which the command serves by
# default. electricsheep continues if a random model calls a question dynamic.
MODEL_STEPS = {
    "db3": {"route", "write_query", "answer_web"},
    "bumblebee7": {"rewrite_query", "extract_premise", "think"},
    "dragonrangers": {"answer_alone", "name_arguments", "answer_web"},
    "electricsheep": {
        "predict_domain",
        "predict_dynamic",
        "write_expression",
        "name_arguments",
        "extract_knowledge",
        "reason",
    },
}
SWITCHED_OFF = {"electricsheep": "refuse_dynamic", "db3": "kg_fallback"}  # options


@pytest.mark.parametrize("system", MODEL_STEPS)
def test_a_system_answers_over_a_server(system: str, server: Server, tmp_path: Path) -> None:
    # The papers' embedders and rerankers are not here; the default path needs none.
    argv = ["--system", system, "--llm", f"openai:{server.url}#{MODEL}", "--web", "default"]
    argv += ["--limit", "3", "--batch-size", "3", "--out", str(tmp_path / "run")]
    if system in SWITCHED_OFF:
        argv += ["--set", f"options.{SWITCHED_OFF[system]}=false"]
    status = main(argv, PARTS)
    rows = read_rows(tmp_path / "run" / "predictions.jsonl")
    # A random model may end none of its answers; the kinds of its failures are checked below.
    nothing = all(row["prediction"] == IDK and row["failures"] for row in rows)
    assert status == (3 if nothing else 0)
    assert len(rows) == 3
    assert all(row["prediction"].strip() for row in rows)
    for row in rows:
        for failure in row["failures"]:
            kind = failure["kind"]
            assert kind in EXPECTED_FAILURES or kind.startswith(("cut at", "answer cut"))
    # Of all questions together: a random model may call a premise false, which ends its question.
    names: set[str] = set()
    for trace in read_rows(tmp_path / "run" / "traces.jsonl"):
        names |= {step["name"] for step in trace["steps"] if step["tokens"]}
    assert MODEL_STEPS[system] <= names


def read_rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@fault("OpenAI server", "killed")
@pytest.mark.clock
def test_a_server_killed_during_a_batch_breaks_its_completions(server: Server) -> None:
    """The last test that uses the server: a test after this one would have to start another."""
    endpoint = LLMServer(server.url, attempts=2, wait=0.01)
    llm = OpenAILLM(endpoint, LLMSettings(f"openai:{server.url}#tiny", workers=4))
    endless = Constraint(ConstraintKind.REGEX, "[a-z ]{9000}")
    hello = Prompt((Message("user", "hello"),), max_tokens=1, constraint=endless)
    llm.generate([hello], deadline=Deadline.after(20))
    threading.Timer(0.5, server.kill).start()
    deadline = Deadline.after(60)
    long_prompts = [replace(hello, max_tokens=4000)] * 16
    completions = llm.generate(long_prompts, deadline=deadline)
    assert deadline.remaining() > 5
    reasons = {completion.finish_reason for completion in completions}
    assert reasons <= {FinishReason.BROKEN, FinishReason.LENGTH}
    error = llm.generate([hello], deadline=Deadline.after(20))[0].error
    assert isinstance(error, ServerUnavailable)
