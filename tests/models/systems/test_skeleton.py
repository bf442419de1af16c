"""The skeleton of a system in docs/systems.md does what it says."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from models.llm.errors import ServerUnavailable
from models.records import IDK, Task
from models.web.retriever import Retriever
from tests.models.systems.papers import ON_KG, PAGE
from tests.models.systems.scripted import ScriptedLLMs, ask, question, saying

PAGE_OF_DOCS = Path(__file__).parents[3] / "docs" / "systems.md"


@pytest.fixture
def skeleton(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    [code] = re.findall(r"```python\n(.*?)```", PAGE_OF_DOCS.read_text(encoding="utf-8"), re.S)
    (tmp_path / "two_steps.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return import_module("two_steps")


def down(_: object) -> Exception:
    return ServerUnavailable("down")


@pytest.mark.parametrize(
    ("rewrite", "answer", "text"),
    [(ON_KG, "Bo Third", "Bo Third"), (down, "Bo Third", "Bo Third"), (ON_KG, down, IDK)],
)
def test_it_rewrites_and_answers_and_a_failed_step_costs_no_more_than_it_must(
    skeleton: ModuleType, rewrite: Any, answer: Any, text: str
) -> None:
    llms = ScriptedLLMs({"rewrite_query": saying(rewrite), "answer_web": saying(answer)})
    system = skeleton.TwoStepSystem(llms, Retriever())
    [outcome] = ask(system, question(ON_KG, Task.WEB, [PAGE]))
    assert outcome.answer.text == text and bool(outcome.failures) is (down in (rewrite, answer))
    assert llms.order == list(skeleton.SUBTASKS)
    assert "a film by Bo Third" in llms.asked("answer_web")[0]
