"""Each system over the example questions, a task at a time: every question gets its own answer.

The model is scripted by what its prompts show, so that whatever is mixed up on the way, a page, a
program, a fact or a completion, becomes an answer to another question.
"""

import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from evaluation.dataset import read_examples, to_batch
from mock_api.local import LocalClient
from models.batch import read_batch
from models.kg.language.printer import to_text
from models.kg.route import route
from models.kg.semparse.parser import SemanticParser
from models.llm.protocol import Prompt
from models.records import IDK, INVALID, Question, Task
from models.runtime.ledger import Ledger, QuestionOutcome
from models.web.factory import make_retriever
from models.web.settings import web_settings
from tests.models.systems.papers import KGS, PAPERS
from tests.models.systems.scripted import OneEngine, ScriptedLLMs, form, paths, sure
from utils.deadline import Deadline

EXAMPLE_DATA = Path(__file__).parents[3] / "example_data"
LONG = 6000.0  # seconds: nothing is late, however busy the machine


@cache
def questions_of(task: Task) -> tuple[Question, ...]:
    """Eight questions, films first; in task 3 half of them with up to fifty pages."""
    rows = list(read_examples(EXAMPLE_DATA / "questions.jsonl"))
    several = [*rows[1:9:2], *rows[30::28]]
    if task is Task.END_TO_END:
        several[4:] = read_examples(EXAMPLE_DATA / "task3.jsonl", limit=4)
    read = read_batch(to_batch(several), lambda pages: task)
    return tuple(question for question in read if isinstance(question, Question))


def asked(prompt: Prompt) -> str:
    """The question of a prompt: the last, since examples come before it."""
    return re.findall(r"^Question: (.+)$", prompt.messages[-1].text, re.M)[-1]


def kind(text: str) -> int:
    """0, 1 or 2: which way the scripted model takes a question."""
    return zlib.crc32(text.encode()) % 3


@dataclass
class Kg:
    """What the scripted model knows of the example KG: the semantic parser's programs."""

    client: LocalClient
    questions: tuple[Question, ...]

    def program(self, prompt: Prompt) -> str:
        (question,) = (one for one in self.questions if one.text == asked(prompt))
        parser = SemanticParser(self.client)
        chosen = parser.parse(question.text, question.asked_at, Deadline.after(60)).chosen
        return to_text(chosen.candidate.program) if chosen else "None"

    def lookups(self, prompt: Prompt) -> str:
        """The baseline's JSON, for the film that is named first."""
        names = re.findall(r'get_movie\w*\("([^"]+)"', self.program(prompt))
        film = {"domain": "movie", "kind": "movie", "names": names[:1], "wanted": [], "time": ""}
        return json.dumps({"lookups": [film] if names else []})

    @property
    def replies(self) -> dict[str, Any]:
        return {"write_query": self.program, "name_arguments": self.lookups}


def says(what: str) -> Callable[[Prompt], str]:
    return lambda prompt: f"{what} {asked(prompt)}"


def by_kind(*replies: Any) -> Callable[[Prompt], Any]:
    """One of three replies, by the question."""
    return lambda prompt: (
        reply(prompt) if callable(reply := replies[kind(asked(prompt))]) else reply
    )


@dataclass(frozen=True)
class Case:
    """What the model of a system says, the answers that a question may get, the KG's first, and the
    subtasks whose prompts show pages."""

    replies: dict[str, Any]
    answers: Callable[[str], tuple[str, ...]]
    reading: tuple[str, ...]


CASES = {
    "db3": Case(
        {
            "route": lambda prompt: str(route(asked(prompt)) or "other"),
            "answer_kg": says("kg"),
            "answer_web": by_kind(says("web"), says("web"), IDK),
        },
        lambda text: (f"kg {text}", IDK if kind(text) == 2 else f"web {text}"),
        ("answer_web",),
    ),
    "bumblebee7": Case(
        {
            "rewrite_query": asked,
            "extract_premise": by_kind("none", says("premise of"), says("premise of")),
            "judge_premise": by_kind("true", "unknown", "false"),
            "think": lambda prompt: f"Thoughts: on {asked(prompt)}\nAnswer: {asked(prompt)} [1].",
            "answer": says("final"),
        },
        lambda text: (INVALID if kind(text) == 2 else f"final {text}",),
        ("think",),
    ),
    "dragonrangers": Case(
        {
            "answer_alone": lambda prompt: paths(
                *[f"alone {asked(prompt)}"] * (3 if kind(asked(prompt)) == 0 else 2), "else"
            )(prompt),
            "answer_kg": lambda p: sure(f"kg {asked(p)}", 0.9 if kind(asked(p)) == 1 else 0.4)(p),
            "answer_web": lambda p: sure(f"web {asked(p)}", 0.8 if kind(asked(p)) == 1 else 0.3)(p),
            "choose": sure("A", 0.9, 1),
        },
        lambda text: (f"kg {text}", f"web {text}") if kind(text) == 1 else (f"alone {text}",),
        ("answer_web",),
    ),
    "electricsheep": Case(
        {
            "predict_domain": lambda prompt: ["open"] * 5,
            "predict_dynamic": by_kind(["static"] * 5, ["static"] * 5, ["dynamic"] * 5),
            "write_expression": lambda prompt: ["1 + 1"] * 5,
            "extract_knowledge": lambda prompt: form(f"knows {asked(prompt)}", None),
            "reason": by_kind(lambda p: form(f"reason {asked(p)}"), says("without a form")),
            "summarise": says("summary"),
        },
        lambda text: ((f"reason {text}", f"summary {text}", IDK)[kind(text)],),
        ("write_expression", "reason"),
    ),
}


def answer(
    name: str, llms: ScriptedLLMs, kg: Any, questions: tuple[Question, ...]
) -> list[QuestionOutcome]:
    """What becomes of the questions over a paper's web path, without the models of that."""
    web = {"preset": name, "embedder": None, "reranker": None, "lexical_weight": 1.0}
    ledger = Ledger(len(questions))
    system = PAPERS[name].make(llms, kg, make_retriever(web_settings(web)))
    system.answer(questions, Deadline.after(LONG), ledger)
    outcomes = ledger.close()
    for question, outcome in zip(questions, outcomes, strict=True):
        assert outcome.answer.text in CASES[name].answers(question.text), question.text
        assert not outcome.failures
    return outcomes


@pytest.mark.parametrize("task", Task)
@pytest.mark.parametrize("name", CASES)
def test_every_question_gets_its_own_answer(name: str, task: Task, example_kg: LocalClient) -> None:
    case, questions = CASES[name], questions_of(task)
    replies = {**Kg(example_kg, questions).replies, **case.replies}
    llms = ScriptedLLMs(replies, {subtask: f"{subtask}-tuned" for subtask in replies})
    kg = KGS[PAPERS[name].kg](llms, example_kg) if task.has_kg else None
    outcomes = answer(name, llms, kg, questions)
    if "answer_kg" in case.replies:
        assert any(o.answer.text.startswith("kg ") for o in outcomes) is task.has_kg
    for subtask, prompts in llms.rounds:
        assert {prompt.adapter for prompt in prompts} == {f"{subtask}-tuned"}
        for prompt in prompts if subtask in case.reading else ():
            (question,) = (one for one in questions if one.text == asked(prompt))
            assert of_own_pages(prompt, question)


@pytest.mark.parametrize(
    ("name", "kg", "most"),
    [
        ("db3", "language", 4),
        ("bumblebee7", "parser", 5),
        ("bumblebee7", "baseline", 6),
        ("dragonrangers", "parser", 3),
        ("dragonrangers", "baseline", 4),
        ("electricsheep", "baseline", 6),
        ("electricsheep", "programs", 6),
    ],
)
def test_sixteen_questions_cost_so_many_rounds_by_whatever_the_kg_is_read(
    name: str, kg: str, most: int, example_kg: LocalClient
) -> None:
    questions = questions_of(Task.KG_WEB)
    llms = OneEngine({**Kg(example_kg, questions).replies, **CASES[name].replies})
    outcomes = answer(name, llms, KGS[kg](llms, example_kg), questions * 2)
    assert len(llms.rounds) == most
    told = [step for o in outcomes for step in o.steps if step.name in ("kg", "kg_text")]
    assert any("social network" in step.output.lower() for step in told), told


def of_own_pages(prompt: Prompt, question: Question) -> bool:
    """Whether a page of the question stands in its prompt."""
    text = "".join(message.text for message in prompt.messages)
    titles = chain.from_iterable(re.findall(r"(?i)<title>([^<&]+)", p.html) for p in question.pages)
    return any(title.strip() in text for title in titles)
