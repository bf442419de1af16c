"""Questions, and engines that reply to the prompts about them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.models.llm.fake_server import fake_server
from tests.training.commands.scripted_server import Engines, Models, write_settings
from tests.training.commands.tower import NUMBERS, PROGRAM, TIME, has_height, height

REASONS = "First, towers have 88 m at most. Second, it was measured. The answer is {}."


@pytest.fixture
def engines(tmp_path: Path) -> Iterator[Engines]:
    """The engines of the settings."""
    models = Models(
        {
            **dict.fromkeys(("route", "find_entities", "answer_kg"), lambda text: "open"),
            "answer_web": height,
            "check_answer": lambda text: json.dumps({"Accuracy": str(height(text) < "5")}),
            "check_context": lambda text: "yes" if height(text) < "7" else "no",
            "write_rationale": lambda text: REASONS.format(height(text)),
            "paraphrase": lambda text: f"how much is {height(text)}?\nwhose film is it?",
            "write_query": lambda text: PROGRAM,
        }
    )
    settings = tmp_path / "settings.toml"
    with fake_server(models, models=list(models.replies)) as server:
        write_settings(settings, server.url, models.replies)
        yield Engines(models, server.url, settings)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Questions; a third of their answers is the film's director, the others a tower's height."""
    rows = [
        {
            "interaction_id": str(number),
            "query": f"who directed inception, as told on tower {number}?",
            "query_time": TIME,
            "answer": f"{number} m" if has_height(number) else "Christopher Nolan",
            "domain": "movie",
            "search_results": [{"page_result": f"<p>The tower {number} is {number} m tall.</p>"}],
        }
        for number in NUMBERS
    ]
    file = tmp_path / "crag.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file
