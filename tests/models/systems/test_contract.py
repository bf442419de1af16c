"""What every paper's system must do: limit its rounds, survive failures, keep to its time."""

import math
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import local_evaluation
from models.llm.config import SubtaskSettings
from models.llm.errors import LLMError
from models.llm.protocol import Completion, FinishReason, Prompt
from models.records import IDK, INVALID, Answer, Question, Task
from models.settings import Settings
from models.subtasks.kg_text.baseline import KgBaseline
from models.subtasks.kg_text.parsed import ParserKgText
from models.systems.dragonrangers.system import DragonrangersSystem
from models.systems.make_system import SYSTEMS, make_system, subtasks_of
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from tests.models.conftest import FakeClient
from tests.models.llm.fake_server import fake_server, says
from tests.models.systems.clocks import Clock
from tests.models.systems.papers import KGS, ON_KG, PAGE, PAPERS, director, question
from tests.models.systems.scripted import (
    OneEngine,
    Reply,
    ScriptedLLMs,
    ask,
    form,
    never,
    paths,
    saying,
)
from utils.deadline import Deadline
from utils.errors import ApiUnavailable, CragError, SettingsError


def used_subtasks() -> list[tuple[str, str]]:
    """Each system with each subtask that `question()` uses."""
    pairs = []
    for name, paper in PAPERS.items():
        pairs += [(name, subtask) for subtask in paper.says]
    pairs.remove(("db3", "answer_web"))  # db3 reads the pages only if the KG does not know
    return pairs


every_system = pytest.mark.parametrize("name", PAPERS)
of_each_subtask = pytest.mark.parametrize(("name", "subtask"), used_subtasks())


def test_the_systems_of_the_papers_are_found() -> None:
    assert PAPERS.keys() <= {system for system in SYSTEMS if subtasks_of(system)}


FILMS = {
    "salt road": "Aho",
    "night ferry": "Berg",
    "iron orchard": "Dahl",
    "paper moons": "Ek",
    "the long quay": "Falk",
    "two harbours": "Gran",
    "white sails": "Hult",
    "old snow": "Ip",
}


def film_question(film: str, task: Task) -> Question:
    """The question on another film, whose page names its own director."""
    html = PAGE.html.replace("Bo Third", f"Bo {FILMS[film]}")
    page = replace(PAGE, html=html.replace("Glass Harbour", film.title()))
    return question(ON_KG.replace("the glass harbour", film), task, (page,))


# A subtask and a reply that settle the question on one film before the others; the answer.
SETTLED: dict[str, tuple[str, Any, str]] = {
    "bumblebee7": ("judge_premise", "false", INVALID),
    "dragonrangers": ("answer_alone", paths("Cy", "Cy", "Cy"), "Cy"),
    "electricsheep": ("predict_dynamic", ["dynamic"] * 5, IDK),
}
SETTLED_FILM = "night ferry"


@pytest.fixture
def films() -> FakeClient:
    """A KG of the films, each with its own director."""
    replies: dict[tuple[str, str], Any] = {}
    for film, surname in FILMS.items():
        crew = [{"job": "Director", "name": f"Aino {surname}"}]
        info = [{"title": film.title(), "release_date": "2001-05-04", "crew": crew}]
        for name in (film, film.title()):
            replies["/movie/get_movie_info", name] = info
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
def test_a_batch_of_sixteen_takes_a_fixed_number_of_rounds(
    name: str, kg: str, most: int, films: FakeClient
) -> None:
    """Each question gets its own answer: from its own pages, or from the KG in tasks with one."""
    paper = PAPERS[name]
    llms = OneEngine(film_replies(name))
    questions = []
    expected = []
    for film, surname in FILMS.items():
        web_answer = f"Bo {surname}"
        kg_answer = f"{paper.answer.split()[0]} {surname}"
        if film == SETTLED_FILM and name in SETTLED:
            _, _, web_answer = SETTLED[name]
            kg_answer = web_answer
        questions += [film_question(film, Task.WEB), film_question(film, Task.KG_WEB)]
        expected += [web_answer, kg_answer]
    outcomes = ask(paper.make(llms, KGS[kg](llms, films), Retriever()), *questions)
    assert [outcome.answer.text for outcome in outcomes] == expected
    assert len(llms.rounds) == most
    assert not any(outcome.failures for outcome in outcomes)
    for film, outcome in zip(FILMS, outcomes[1::2], strict=True):
        kg_texts = [step.output for step in outcome.steps if step.name in ("kg", "kg_text")]
        assert all(f"Aino {FILMS[film]}" in text for text in kg_texts)
        assert kg_texts or film == SETTLED_FILM


def film_replies(name: str) -> dict[str, Reply]:
    """The replies on the films; electricsheep's model leaves its form on one of them."""

    def reason(prompt: Prompt) -> str:
        answer = director(prompt)
        if answer.endswith("Aho"):
            return answer
        return form(answer)

    says = {**PAPERS["db3"].says, **PAPERS["electricsheep"].says, **PAPERS[name].says}
    says |= {"reason": reason, "summarise": director}
    replies = {subtask: saying(reply) for subtask, reply in says.items()}
    if name in SETTLED:
        subtask, early_reply, _ = SETTLED[name]
        usual = replies[subtask]
        early = saying(early_reply)

        def settle_one(prompt: Prompt) -> Any:
            if f"{SETTLED_FILM}?" in prompt.messages[-1].text:
                return early(prompt)
            return usual(prompt)

        replies[subtask] = settle_one
    return replies


@of_each_subtask
def test_a_subtask_that_fails_affects_only_its_question(
    name: str, subtask: str, client: Any
) -> None:
    paper = PAPERS[name]
    usual = paper.llms().replies[subtask]

    def reply(prompt: Prompt) -> Any:
        if "WHO directed" in prompt.messages[-1].text:
            return LLMError("gone")
        return usual(prompt)

    llms = paper.llms(**{subtask: reply})
    bad = question("WHO directed the movie the glass harbour?")
    before, failed, after = ask(paper.system(llms, client), question(), bad, question())
    assert before.answer.text == after.answer.text == paper.answer
    assert not before.failures
    assert not after.failures
    assert failed.answer.text == paper.without.get(subtask, paper.answer)
    assert LLMError in map(type, failed.failures)


@of_each_subtask
@pytest.mark.parametrize("reason", [FinishReason.DEADLINE, FinishReason.BROKEN])
def test_a_reply_that_was_cut_off_gives_no_answer(
    name: str, subtask: str, reason: FinishReason, client: Any
) -> None:
    cut = Completion("Cy Fourth", reason, 3)
    llms = PAPERS[name].llms(**{subtask: cut})
    paper = PAPERS[name]
    (outcome,) = ask(paper.system(llms, client), question())
    assert outcome.answer.text in (paper.without.get(subtask, paper.answer), IDK)


@of_each_subtask
def test_recorded_answers_stand_when_the_time_is_up(name: str, subtask: str, client: Any) -> None:
    paper = PAPERS[name]
    clock = Clock()
    usual = paper.llms().replies[subtask]
    llms = paper.llms(**{subtask: lambda prompt: clock.after(200, usual(prompt))})
    (outcome,) = ask(paper.system(llms, client), question(), deadline=Deadline(100.0, clock))
    assert outcome.answer.text == paper.late.get(subtask, IDK)
    (after,) = ask(paper.system(llms, client), question(), deadline=Deadline(100.0, clock))
    assert after.answer == Answer()


@every_system
def test_the_pages_answer_if_the_kg_is_dead(name: str, dead_client: Any) -> None:
    (outcome,) = ask(PAPERS[name].system(PAPERS[name].llms(), dead_client), question())
    assert outcome.answer.text == "Bo Third"
    assert ApiUnavailable in map(type, outcome.failures)


@every_system
def test_task_1_makes_no_kg_call(name: str, client: Any) -> None:
    kg_subtasks = ("route", "name_arguments", "write_query", "answer_kg")
    llms = PAPERS[name].llms(**dict.fromkeys(kg_subtasks, never))
    (outcome,) = ask(PAPERS[name].system(llms, client), question(task=Task.WEB))
    assert client.calls == []
    assert outcome.answer.text == "Bo Third"


@every_system
def test_unreadable_pages_affect_only_their_question(name: str) -> None:
    class Broken(Retriever):
        def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
            if "bad" in question.text:
                raise CragError("no reader")
            return super().retrieve(question, deadline)

    llms = PAPERS[name].llms()
    system = PAPERS[name].system(llms, web=Broken())
    good, bad = ask(system, question(), question("who, bad or good, directed it?"))
    assert good.answer.text == "Bo Third"
    assert not good.failures
    assert CragError in map(type, bad.failures)


def settings(name: str, **fields: Any) -> Settings:
    """Servers that get no request when the system is built; a web path without models."""
    nobody = "http://127.0.0.1:1"
    values = {
        "system": name,
        "web": {"preset": "default", "reranker": "lexical"},
        "api_url": nobody,
        "llm": f"openai:{nobody}/v1#none",
    }
    return Settings(**{**values, **fields})


@every_system
def test_the_factory_builds_each_system_with_an_llm(name: str) -> None:
    paper = PAPERS[name]
    assert type(make_system(settings(name))) is type(paper.system(paper.llms()))
    with pytest.raises(SettingsError, match="needs an LLM"):
        make_system(settings(name, llm=None))


def test_an_option_selects_the_source_of_kg_text() -> None:
    def kg_source(name: str, **fields: Any) -> type:
        system = make_system(settings("dragonrangers", options={"kg": name}, **fields))
        assert isinstance(system, DragonrangersSystem)
        return type(system.kg)

    assert kg_source("parser") is ParserKgText
    assert kg_source("baseline") is KgBaseline
    assert kg_source("none") is type(None)
    assert kg_source("baseline", api_url=None) is type(None)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("db3", {"prompt": "best"}, "'ctrl', 'basic' or 'short'"),
        ("dragonrangers", {"t_p": 2.0}, "less than or equal to 1"),
        ("electricsheep", {"predictor": "svm"}, "attributes"),
        ("electricsheep", {"predictor": "svm", "attributes": "/nowhere.npz"}, "training svm"),
        ("electricsheep", {"predicter": "svm"}, "did you mean predictor"),
        ("db3", {"query_samples": 0}, "query_samples cannot be 0"),
        ("dragonrangers", {"t_p": math.nan}, "t_p cannot be nan"),
        ("bumblebee7", {"context_tokens": -1}, "context_tokens cannot be -1"),
        ("offline", {"bogus": 1}, "options: the offline system has none"),
    ],
)
def test_invalid_options_are_refused(name: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(CragError, match=message):
        make_system(settings(name, options=options))


def test_a_misspelt_subtask_is_an_error_before_the_first_question(
    caplog: pytest.LogCaptureFixture,
) -> None:
    chosen = {"llm": "openai:http://127.0.0.1:1/v1#m"}
    for name, hint in (("anser_web", "did you mean answer_web"), ("reaso", "did you mean reason")):
        wrong = Settings(**chosen, subtasks={name: SubtaskSettings()})
        with pytest.raises(SettingsError, match=hint):
            make_system(wrong)
    make_system(Settings(**chosen, subtasks={"reason": SubtaskSettings()}))  # another system's
    assert not caplog.records
    make_system(Settings(**chosen, subtasks={"paraphrase": SubtaskSettings()}))
    assert "subtasks.paraphrase is not used" in caplog.text


PROBLEMS = {
    "utils.text": "has no SYSTEM",
    "nosuch.module": "No module named",
    ".relative": "no system is called",
    "a..b": "no system is called",
}


def test_a_module_without_a_system_is_named() -> None:
    for name, problem in PROBLEMS.items():
        with pytest.raises(SettingsError, match=problem):
            make_system(Settings(system=name))


def test_the_system_in_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).parents[3] / "docs" / "systems.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "two_steps.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    name = "my_package.two_steps"
    with pytest.raises(SettingsError, match="rewrite_query"):  # its engines are loaded at once
        make_system(Settings(system=name))
    skeleton = import_module(name)
    for failing, text in ((None, "Bo Third"), ("rewrite_query", "Bo Third"), ("answer_web", IDK)):
        replies: dict[str, Any] = {"rewrite_query": ON_KG, "answer_web": director}
        if failing is not None:
            replies[failing] = LLMError("down")
        llms = ScriptedLLMs({subtask: saying(reply) for subtask, reply in replies.items()})
        system = make_system(Settings(system=name), llms)
        (outcome,) = ask(system, question(task=Task.WEB))
        assert outcome.answer.text == text
        assert len(outcome.failures) == bool(failing)
        assert llms.order == list(skeleton.SUBTASKS)
    run = tmp_path / "run"
    with fake_server(says("Bo Third")) as server:
        argv = ["--system", name, "--llm", f"openai:{server.url}#base", "--sample", "2"]
        assert local_evaluation.main([*argv, "--out", str(run)]) == 0
    assert len((run / "predictions.jsonl").read_text(encoding="utf-8").splitlines()) == 2
    assert server.bodies
