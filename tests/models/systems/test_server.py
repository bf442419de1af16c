"""Every system over a real OpenAI-compatible server, from the command line."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evaluation.cli import main
from local_evaluation import PARTS
from models.settings import load_settings
from models.systems.factory import SYSTEMS
from tests.models.engines import MODEL, Server

pytestmark = [pytest.mark.engine, pytest.mark.slow]
# The papers' embedders and rerankers are not here; the default path needs none. The tiny model
# writes to its bound each time: half the contest's time does for three questions of one batch.
WEB: dict[str, Any] = {"preset": "default"}


@pytest.mark.parametrize("system", [name for name in SYSTEMS if name != "offline"])
def test_from_the_command_line(system: str, server: Server, tmp_path: Path) -> None:
    load: Callable[..., Any] = partial(load_settings, web=WEB)
    argv = ["--system", system, "--llm", f"openai:{server.url}#{MODEL}", "--limit", "3"]
    argv += ["--batch-size", "3", "--out", str(tmp_path / "run"), "--trace"]
    assert main(argv, replace(PARTS, load_settings=load)) == 0
    lines = (tmp_path / "run" / "predictions.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 3 and all(json.loads(line)["prediction"].strip() for line in lines)
    traces = (tmp_path / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    steps = [step for line in traces for step in json.loads(line)["steps"]]
    assert any(step["tokens"] for step in steps), "no LLM was asked"
