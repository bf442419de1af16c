"""What holds of every paper's system: the order of its rounds, failures, time and settings."""

import math
import re
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from models.llm.errors import LLMError
from models.llm.protocol import Completion, FinishReason, Prompt
from models.records import IDK, INVALID, Answer, Question, Task
from models.settings import Settings
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.dragonrangers.system import build
from models.systems.factory import SYSTEMS, make_system, subtasks_of
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from tests.models.conftest import FakeClient
from tests.models.systems.clocks import Clock
from tests.models.systems.papers import KGS, ON_KG, PAGE, PAPERS, director, question
from tests.models.systems.scripted import OneEngine, ScriptedLLMs, ask, form, never, paths, saying
from utils.deadline import Deadline
from utils.errors import ApiUnavailable, CragError, SettingsError

# Those that are asked for `question()`: db3 asks the pages only where the KG does not know.
EACH_SUBTASK = [
    (name, subtask)
    for name, paper in PAPERS.items()
    for subtask in paper.says
    if (name, subtask) != ("db3", "answer_web")
]
every_system = pytest.mark.parametrize("name", PAPERS)
of_each_subtask = pytest.mark.parametrize(("name", "subtask"), EACH_SUBTASK)


def test_every_system_is_here() -> None:
    assert PAPERS.keys() == {system for system in SYSTEMS if subtasks_of(system)}


FILMS = {
    "salt road": "Aho", "night ferry": "Berg", "iron orchard": "Dahl", "paper moons": "Ek",
    "the long quay": "Falk", "two harbours": "Gran", "white sails": "Hult", "old snow": "Ip",
}  # fmt: skip


def on_film(asked: Question, film: str) -> Question:
    """The question on another film, whose page names its own director."""
    html = PAGE.html.replace("Bo Third", f"Bo {FILMS[film]}")
    page = replace(PAGE, html=html.replace("Glass Harbour", film.title()))
    return replace(asked, text=ON_KG.replace("the glass harbour", film), pages=(page,))


# What settles the question on one film before the others: a reply, and the answer.
SETTLED: dict[str, tuple[str, Any, str]] = {
    "bumblebee7": ("judge_premise", "false", INVALID),
    "dragonrangers": ("answer_alone", paths("Cy", "Cy", "Cy"), "Cy"),
    "electricsheep": ("predict_dynamic", ["dynamic"] * 5, IDK),
}


@pytest.fixture
def films() -> FakeClient:
    """A KG of the films, each with its own director."""
    replies: dict[tuple[str, str], Any] = {}
    for film, of in FILMS.items():
        crew = [{"job": "Director", "name": f"Aino {of}"}]
        info = [{"title": film.title(), "release_date": "2001-05-04", "crew": crew}]
        replies |= {("/movie/get_movie_info", name): info for name in (film, film.title())}
    return FakeClient(replies)


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
    name: str, kg: str, most: int, films: FakeClient
) -> None:
    """Each question gets its own answer: from its own pages, or from the KG in tasks with one."""
    paper = PAPERS[name]

    def reason(prompt: Prompt) -> str:
        """In the form, except on one film."""
        found = director(prompt)
        return found if found.endswith("Aho") else form(found)

    says = {**PAPERS["db3"].says, **PAPERS["electricsheep"].says, **paper.says}
    says |= {"reason": reason, "summarise": director}
    expected = [(f"Bo {of}", f"{paper.answer.split()[0]} {of}") for of in FILMS.values()]
    if name in SETTLED:
        subtask, early, text = SETTLED[name]
        usual, early, expected[1] = saying(says[subtask]), saying(early), (text, text)
        says[subtask] = lambda p: (early if "night ferry?" in p.messages[-1].text else usual)(p)
    llms = OneEngine({subtask: saying(reply) for subtask, reply in says.items()})
    tasks = (Task.WEB, Task.KG_WEB)
    asked = [on_film(question(task=task), film) for film in FILMS for task in tasks]
    outcomes = ask(paper.make(llms, KGS[kg](llms, films), Retriever()), *asked)
    assert [outcome.answer.text for outcome in outcomes] == [*chain.from_iterable(expected)]
    assert len(llms.rounds) == most and not any(outcome.failures for outcome in outcomes)
    for of, outcome in zip(FILMS.values(), outcomes[1::2], strict=True):
        told = [step.output for step in outcome.steps if step.name in ("kg", "kg_text")]
        assert all(f"Aino {of}" in text for text in told) and (told or of == "Berg")


@of_each_subtask
def test_a_subtask_that_fails_for_one_question_costs_the_others_nothing(
    name: str, subtask: str, client: Any
) -> None:
    paper = PAPERS[name]
    usual = paper.llms().replies[subtask]

    def reply(prompt: Prompt) -> Any:
        return LLMError("gone") if "WHO directed" in prompt.messages[-1].text else usual(prompt)

    llms = paper.llms(**{subtask: reply})
    bad = question("WHO directed the movie the glass harbour?")
    before, failed, after = ask(paper.system(llms, client), question(), bad, question())
    assert before.answer.text == after.answer.text == paper.answer
    assert not before.failures and not after.failures
    assert failed.answer.text == paper.without.get(subtask, paper.answer)
    assert LLMError in map(type, failed.failures)


@of_each_subtask
@pytest.mark.parametrize("reason", [FinishReason.DEADLINE, FinishReason.BROKEN])
def test_a_reply_that_was_cut_off_is_not_guessed_from(
    name: str, subtask: str, reason: FinishReason, client: Any
) -> None:
    cut = Completion("Cy Fourth", reason, 3)
    llms = PAPERS[name].llms(**{subtask: cut})
    (outcome,) = ask(PAPERS[name].system(llms, client), question())
    assert outcome.answer.text in (PAPERS[name].without.get(subtask, PAPERS[name].answer), IDK)


@of_each_subtask
def test_when_the_time_is_up_what_is_recorded_stands_and_nothing_is_guessed(
    name: str, subtask: str, client: Any
) -> None:
    paper, clock = PAPERS[name], Clock()
    usual = paper.llms().replies[subtask]
    llms = paper.llms(**{subtask: lambda prompt: clock.after(200, usual(prompt))})
    (outcome,) = ask(paper.system(llms, client), question(), deadline=Deadline(100.0, clock))
    assert outcome.answer.text == paper.late.get(subtask, IDK)
    (after,) = ask(paper.system(llms, client), question(), deadline=Deadline(100.0, clock))
    assert after.answer == Answer()


@every_system
def test_a_dead_kg_leaves_the_pages(name: str, dead_client: Any) -> None:
    (outcome,) = ask(PAPERS[name].system(PAPERS[name].llms(), dead_client), question())
    assert outcome.answer.text == "Bo Third"
    assert ApiUnavailable in map(type, outcome.failures)


@every_system
def test_task_1_never_asks_the_kg(name: str, client: Any) -> None:
    of_the_kg = ("route", "name_arguments", "write_query", "answer_kg")
    llms = PAPERS[name].llms(**dict.fromkeys(of_the_kg, never))
    (outcome,) = ask(PAPERS[name].system(llms, client), question(task=Task.WEB))
    assert client.calls == [] and outcome.answer.text == "Bo Third"


@every_system
def test_pages_that_cannot_be_read_cost_their_question_alone(name: str) -> None:
    class Broken(Retriever):
        def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
            if "bad" in question.text:
                raise CragError("no reader")
            return super().retrieve(question, deadline)

    llms = PAPERS[name].llms()
    asked = [question(), question("who, bad or good, directed it?")]
    good, bad = ask(PAPERS[name].system(llms, web=Broken()), *asked)
    assert good.answer.text == "Bo Third" and not good.failures
    assert CragError in map(type, bad.failures)


def settings(name: str, **fields: Any) -> Settings:
    """Servers that are not asked anything when the system is built; a web path without models."""
    nobody, web = "http://127.0.0.1:1", {"preset": "default", "reranker": "lexical"}
    servers = {"api_url": nobody, "llm": f"openai:{nobody}/v1#none"}
    return Settings(**{"system": name, "web": web, **servers, **fields})


@every_system
def test_the_factory_builds_it_where_there_is_an_llm(name: str) -> None:
    paper = PAPERS[name]
    assert type(make_system(settings(name))) is type(paper.system(paper.llms()))
    with pytest.raises(SettingsError, match="needs an LLM"):
        make_system(settings(name, llm=None))


def test_the_kg_is_read_by_what_an_option_says() -> None:
    def kg(name: str, **fields: Any) -> type:
        return type(build(settings("dragonrangers", options={"kg": name}, **fields)).kg)

    assert (kg("parser"), kg("baseline"), kg("none")) == (ParserKgText, KgBaseline, type(None))
    assert kg("baseline", api_url=None) is type(None)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("db3", {"prompt": "best"}, "'ctrl' or 'basic'"),
        ("dragonrangers", {"t_p": 2.0}, "less than or equal to 1"),
        ("electricsheep", {"predictor": "svm"}, "attributes"),
        ("electricsheep", {"predictor": "svm", "attributes": "/nowhere.npz"}, "training svm"),
        ("electricsheep", {"votez": 3}, "did you mean votes"),
        ("db3", {"words": 0}, "words cannot be 0"),
        ("dragonrangers", {"source_share": math.nan}, "source_share cannot be nan"),
        ("bumblebee7", {"first_share": -1}, "first_share cannot be -1"),
        ("offline", {"bogus": 1}, "options: the offline system has none"),
    ],
)
def test_options_that_do_not_fit_are_refused(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(CragError, match=said):
        make_system(settings(name, options=options))


def test_the_system_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[3] / "docs" / "systems.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    (tmp_path / "two_steps.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    skeleton = import_module("two_steps")
    for failing, text in ((None, "Bo Third"), ("rewrite_query", "Bo Third"), ("answer_web", IDK)):
        says: dict[str, Any] = {"rewrite_query": ON_KG, "answer_web": director}
        says |= {failing: LLMError("down")} if failing else {}
        llms = ScriptedLLMs({subtask: saying(reply) for subtask, reply in says.items()})
        system = skeleton.TwoStepSystem(llms, Retriever())
        (outcome,) = ask(system, question(task=Task.WEB))
        assert outcome.answer.text == text and len(outcome.failures) == bool(failing)
        assert llms.order == list(skeleton.SUBTASKS)
