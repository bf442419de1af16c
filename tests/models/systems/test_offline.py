"""The offline system: the KG first, then the pages; task 1 has no KG."""

from pathlib import Path
from typing import Any

import pytest

from models.ranking import span_encoder
from models.records import Answer, Page, Source, Task
from models.systems.offline import OfflineSystem
from tests.models.systems.papers import LIGHTHOUSE, ON_KG
from tests.models.systems.scripted import ask, question
from utils.errors import ApiUnavailable

PAGES = (
    Page("", "", "", "<title>The Glass Harbour</title><p>Directed by: Bo Third</p>"),
    LIGHTHOUSE,
)
ON_WEB = "how tall is the lighthouse?"


@pytest.mark.parametrize(
    ("text", "task", "answer"),
    [
        (ON_KG, Task.KG_WEB, Answer("Aino Virta", Source.KG)),
        (ON_KG, Task.WEB, Answer("Bo Third", Source.WEB)),
        *((ON_WEB, task, Answer("41 m", Source.WEB)) for task in Task),
        ("why is the sky blue?", Task.KG_WEB, Answer()),
    ],
)
def test_the_kg_answers_before_the_pages_except_in_task_1(
    client: Any, text: str, task: Task, answer: Answer
) -> None:
    (outcome,) = ask(OfflineSystem(client), question(text, task, PAGES))
    assert outcome.answer == answer
    assert task.has_kg or not client.calls


def test_the_pages_answer_if_the_kg_is_dead(dead_client: Any) -> None:
    questions = [question(text, Task.KG_WEB, PAGES) for text in (ON_KG, ON_WEB)]
    first, second = ask(OfflineSystem(dead_client), *questions)
    assert ApiUnavailable in map(type, first.failures)
    assert second.answer.text == "41 m"


def test_without_its_encoder_the_kg_answers_alone(
    client: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(span_encoder, "ENCODER", tmp_path)
    span_encoder.shipped_encoder.cache_clear()
    questions = [question(text, Task.KG_WEB, PAGES) for text in (ON_KG, ON_WEB)]
    try:
        on_kg, on_web = ask(OfflineSystem(client), *questions)
    finally:
        span_encoder.shipped_encoder.cache_clear()
    assert on_kg.answer == Answer("Aino Virta", Source.KG)
    assert not on_kg.failures
    assert not on_web.answer.known
    (failure,) = on_web.failures
    assert "reader.onnx" in str(failure)
