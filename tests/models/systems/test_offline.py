"""The offline system: the KG first, the pages where it does not know, each task by its rules."""

from typing import Any

import pytest

from models.records import IDK, Page, Source, Task
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
    ("text", "task", "answer", "source"),
    [
        (ON_KG, Task.KG_WEB, "Aino Virta", Source.KG),
        *((ON_WEB, task, "41 m", Source.WEB) for task in Task),
        ("why is the sky blue?", Task.KG_WEB, IDK, Source.NONE),
    ],
)
def test_the_kg_comes_before_the_pages(
    client: Any, text: str, task: Task, answer: str, source: Source
) -> None:
    (outcome,) = ask(OfflineSystem(client), question(text, task, PAGES))
    assert (outcome.answer.text, outcome.answer.source) == (answer, source)


def test_a_dead_kg_is_noted_and_the_pages_answer(dead_client: Any) -> None:
    asked = [question(text, Task.KG_WEB, PAGES) for text in (ON_KG, ON_WEB)]
    first, second = ask(OfflineSystem(dead_client), *asked)
    assert ApiUnavailable in map(type, first.failures) and second.answer.text == "41 m"


def test_task_1_never_asks_the_kg(client: Any) -> None:
    (outcome,) = ask(OfflineSystem(client), question(ON_KG, Task.WEB, PAGES))
    assert outcome.answer.source is not Source.KG and client.calls == []
