"""The skeleton of a system in docs/systems.md does what it says."""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from models.llm.errors import ServerUnavailable
from models.records import IDK, Task
from models.web.retriever import Retriever
from tests.models.systems.papers import ON_KG, PAGE
from tests.models.systems.scripted import ScriptedLLMs, ask, question

PAGE_OF_DOCS = Path(__file__).parents[3] / "docs" / "systems.md"


@pytest.fixture
def skeleton(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    [code] = re.findall(r"```python\n(.*?)```", PAGE_OF_DOCS.read_text(encoding="utf-8"), re.S)
    (tmp_path / "two_steps.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    return import_module("two_steps")


def test_it_rewrites_and_answers(skeleton: ModuleType) -> None:
    llms = ScriptedLLMs({"rewrite_query": lambda p: ON_KG, "answer_web": lambda p: "Bo Third"})
    system = skeleton.TwoStepSystem(llms, Retriever())
    [outcome] = ask(system, question(ON_KG, Task.WEB, [PAGE]))
    assert outcome.answer.text == "Bo Third" and llms.order == list(skeleton.SUBTASKS)
    assert "a film by Bo Third" in llms.asked("answer_web")[0]


def test_a_step_that_fails_costs_no_more_than_it_must(skeleton: ModuleType) -> None:
    def down(_: object) -> Exception:
        return ServerUnavailable("down")

    llms = ScriptedLLMs({"rewrite_query": down, "answer_web": lambda prompt: "Bo Third"})
    [outcome] = ask(skeleton.TwoStepSystem(llms, Retriever()), question(ON_KG, Task.WEB, [PAGE]))
    assert outcome.answer.text == "Bo Third" and outcome.failures
    llms = ScriptedLLMs({"rewrite_query": lambda prompt: ON_KG, "answer_web": down})
    [outcome] = ask(skeleton.TwoStepSystem(llms, Retriever()), question(ON_KG, Task.WEB, [PAGE]))
    assert outcome.answer.text == IDK and outcome.failures
