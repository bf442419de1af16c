"""That something is absent is evidence where the KG has the entity and all its rows of a kind.

`absences.jsonl` has programs over the example KG without a result, and what their text says.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from mock_api.local import LocalClient
from models.batch_input import PACIFIC
from models.kg import run
from models.llm.protocol import Prompt
from models.records import IDK, INVALID, Task
from models.runtime.case import Case
from models.subtasks.kg_text.baseline import SUBTASK, KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.subtasks.kg_text.programs import QueryPrograms
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.kg.cases import SOON
from tests.models.systems.papers import LIGHTHOUSE, PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask, question, saying

FILE = Path(__file__).with_name("absences.jsonl")
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
NOW = datetime(2024, 3, 15, 15, tzinfo=PACIFIC)
SURE = "is complete for this: there is none."
ABSENT = [case["program"] for case in CASES if case["says"]]


def db3(client: Any, program: str, **replies: Any) -> tuple[str, ScriptedLLMs]:
    """db3's answer with a model that writes this program, and the engines."""
    llms = PAPERS["db3"].llms(write_query=program, **{"answer_web": IDK, **replies})
    options = Db3Options(kg_fallback=False)
    system = Db3System(llms, client, Retriever(), None, options)
    (outcome,) = ask(system, question("a question?", Task.KG_WEB, [LIGHTHOUSE], NOW))
    return outcome.answer.text, llms


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["program"])
def test_an_absence_is_known_only_where_it_is_sure(
    case: dict[str, str], example_kg: LocalClient
) -> None:
    result = run(case["program"], example_kg, NOW, SOON)
    assert not result.informs
    text = " ".join(result.known)
    assert case["says"] in text
    assert bool(text) is (SURE in text) is bool(case["says"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["program"])
def test_db3s_kg_and_web_prompts_have_the_absence(
    case: dict[str, str], example_kg: LocalClient
) -> None:
    _, llms = db3(example_kg, case["program"], answer_kg=IDK)
    assert ("answer_kg" in llms.order) is bool(case["says"])
    for subtask in {"answer_kg", "answer_web"} & set(llms.order):
        (prompt,) = llms.asked(subtask)
        assert case["says"] in prompt
        assert (SURE in prompt) is bool(case["says"])


@pytest.mark.parametrize("subtask", ["answer_kg", "answer_web"])
def test_db3_answers_a_false_premise_that_only_the_absence_shows(
    subtask: str, example_kg: LocalClient
) -> None:
    def judge(prompt: Prompt) -> str:
        return INVALID if SURE in prompt.messages[-1].text else IDK

    replies: Mapping[str, Any] = {"answer_kg": IDK, subtask: judge}
    answer, _ = db3(example_kg, ABSENT[0], **replies)
    assert answer == INVALID


def test_the_fallbacks_facts_come_before_the_absence(example_kg: LocalClient) -> None:
    llms = PAPERS["db3"].llms(write_query=ABSENT[0], answer_kg=IDK, answer_web=IDK)
    system = Db3System(llms, example_kg, Retriever(), None, Db3Options())
    ask(system, question("who directed titanic?", Task.KG_WEB, [LIGHTHOUSE], NOW))
    (prompt,) = llms.asked("answer_kg")
    assert prompt.index("James Cameron") < prompt.index(SURE)


@pytest.mark.parametrize(
    "text",
    [
        "which oscar did inception win for best actress?",
        "what oscar did leonardo dicaprio win in 1999?",
        "when did the film inception win best picture at the oscars?",
        "who won the best director oscar for titanic in 2001?",
        "what dividend did barrick gold pay in 2001?",
    ],
)
def test_the_parsers_text_has_the_absence_that_makes_its_answer_invalid(
    text: str, example_kg: LocalClient
) -> None:
    for sure in (True, False):
        parser = ParserKgText(example_kg, sure=sure)
        one = question(text, Task.KG_WEB, (), NOW)
        texts = parser.gather([Case(one)], SOON)
        assert SURE in texts[0]


def test_every_other_source_of_kg_text_passes_the_absence_on(example_kg: LocalClient) -> None:
    one = question("a question?", Task.KG_WEB, (), NOW)
    llms = ScriptedLLMs({"write_query": saying(ABSENT[0])})
    texts = QueryPrograms(llms, example_kg).gather([Case(one)], SOON)
    assert SURE in texts[0]
    lookup = {"domain": "finance", "kind": "company", "names": ["apple"], "wanted": ["dividends"]}
    reply = json.dumps({"lookups": [{**lookup, "time": "2001"}]})
    llms = ScriptedLLMs({SUBTASK: saying(reply)})
    texts = KgBaseline(llms, example_kg).gather([Case(one)], SOON)
    assert "dividend of Apple Inc. Common Stock (2001-01-01 to 2001-12-31). It has" in texts[0]
    assert SURE in texts[0]
