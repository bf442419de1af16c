"""db3, step by step, with a model whose replies each test writes."""

from dataclasses import replace
from os.path import commonprefix
from pathlib import Path
from typing import Any

import pytest

from models.llm.protocol import Completion, FinishReason
from models.prompts import load_prompt
from models.public_data.sources import PublicFact
from models.public_data.store import PublicData, build
from models.records import IDK, Answer, Domain, Source, Task
from models.runtime.case import QuestionOutcome
from models.systems.db3 import Db3Options, Db3System
from models.web.retriever import Retriever
from tests.models.systems.papers import DIRECTOR, LIGHTHOUSE, ON_KG, PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask, completion, never, question


def run(
    client: Any = None,
    *texts: str,
    task: Task = Task.KG_WEB,
    options: dict[str, Any] | None = None,
    public: PublicData | None = None,
    **replies: Any,
) -> tuple[QuestionOutcome, ScriptedLLMs]:
    """The first question's outcome, and the engines.

    As in the paper, the semantic parser does not replace the model's program.
    """
    llms = PAPERS["db3"].llms(**{"find_entities": IDK, "answer_web": "41 m", **replies})
    all_options = {"kg_fallback": False, **(options or {})}
    system = Db3System(llms, client, Retriever(), public, Db3Options(**all_options))
    questions = [question(text, task, [LIGHTHOUSE]) for text in texts or [ON_KG]]
    outcomes = ask(system, *questions)
    return outcomes[0], llms


def test_the_kg_answers_before_the_pages(client: Any) -> None:
    outcome, llms = run(client)
    assert outcome.answer == Answer("Aino Virta", Source.KG)
    assert outcome.final
    assert outcome.failures == []
    assert llms.order == ["route", "write_query", "answer_kg"]


def test_the_pages_answer_if_the_kg_does_not_know(client: Any) -> None:
    outcome, llms = run(client, answer_kg="I don't know.")
    assert outcome.answer == Answer("41 m", Source.WEB)
    assert outcome.final
    assert outcome.failures == []
    assert llms.order == ["route", "write_query", "answer_kg", "answer_web"]


def test_values_of_the_kg_may_be_the_answer_without_a_model(client: Any) -> None:
    options = {"kg_answers": "values"}
    outcome, llms = run(client, options=options, answer_kg=never, answer_web=never)
    assert outcome.answer == Answer("Aino Virta", Source.KG)
    assert llms.order == ["route", "write_query"]
    polar = "did Aino Virta direct the movie the glass harbour?"
    outcome, llms = run(client, polar, options=options, write_query=DIRECTOR, answer_kg="yes")
    assert outcome.answer == Answer("yes", Source.KG)
    assert llms.order == ["route", "write_query", "answer_kg"]


def test_the_parsers_program_replaces_one_without_result(client: Any) -> None:
    _, llms = run(client, options={"kg_fallback": True}, write_query="None", answer_web=never)
    assert "Aino Virta" in llms.asked("answer_kg")[0]


@pytest.mark.parametrize("option", [True, False])
def test_an_option_adds_kg_text_to_the_web_prompt(client: Any, option: bool) -> None:
    repairable = "movie('the glass harbour\")[budget]"
    options = {"kg_in_web": option}
    outcome, llms = run(client, options=options, write_query=repairable, answer_kg=IDK)
    (web,) = llms.asked("answer_web")
    assert ("The budget of The Glass Harbour" in web) is option
    (step,) = [step for step in outcome.steps if step.name == "kg"]
    assert "get_movie" in step.inputs["repairs"]


@pytest.mark.parametrize(
    ("domain", "first"), [("movie", "get_movie_person_crew("), ("other", "get_open(")]
)
def test_the_query_prompt_has_the_schema_the_time_and_a_similar_example(
    client: Any, domain: str, first: str
) -> None:
    text = "who directed the film arrival?"  # an example is on another fact of this film
    _, llms = run(client, text, route=domain, options={"examples": 1})
    (prompt,) = llms.asked("write_query")
    assert prompt.index(first) < prompt.index("get_stock_price(")
    assert prompt.index("get_stock_price(") < prompt.index("Sunday, March 10, 2024")
    assert prompt.count("\nQuery:") == 2  # an example and the question
    examples, _, _ = prompt.rpartition("Question: ")
    similar = "who directed the film moonlight?" in examples
    assert similar is (domain == "movie")


def test_without_a_domain_the_prompt_has_the_whole_schema(client: Any) -> None:
    _, llms = run(client, "what about it?", route=Completion("", FinishReason.DEADLINE, 0))
    (prompt,) = llms.asked("write_query")
    assert "get_stock_price" in prompt
    assert "get_open" in prompt
    assert prompt.count("\nQuery:") > 2


def test_query_prompts_of_one_domain_share_their_beginning(client: Any) -> None:
    _, llms = run(client, ON_KG, "who directed salt?")
    first, second = llms.asked("write_query")
    assert len(first) - len(commonprefix((first, second))) < 60  # characters of the question


@pytest.mark.parametrize("name", ["basic", "ctrl"])
def test_only_the_controlled_prompt_asks_to_abstain(client: Any, name: str) -> None:
    _, llms = run(client, options={"prompt": name}, answer_kg=IDK)
    for subtask in ("answer_kg", "answer_web"):
        (prompt,) = llms.asked(subtask)
        abstains = "i don't know" in prompt and "invalid question" in prompt
        assert abstains == (name == "ctrl")


CUT_OFF = Completion(f"{DIRECTOR}; get_movie(", FinishReason.DEADLINE, 9)
TOO_LONG = replace(CUT_OFF, finish_reason=FinishReason.LENGTH)


@pytest.mark.parametrize("program", ["[[[", CUT_OFF, TOO_LONG])
def test_a_broken_or_truncated_program_is_not_run(client: Any, program: Any) -> None:
    outcome, _ = run(client, write_query=program, answer_kg=never)
    assert client.calls == []
    assert outcome.answer.text == "41 m"
    assert len(outcome.failures) == 1


BUDGET = 'get_movie("The Glass Harbour")["budget"]'


@pytest.mark.parametrize(
    ("programs", "elected", "votes"),
    [
        ([DIRECTOR, BUDGET, BUDGET.replace("The Glass", "glass")], BUDGET, 2 / 3),
        ([DIRECTOR, BUDGET], DIRECTOR, 1 / 2),
        (["None", "None", BUDGET], BUDGET, 1 / 3),  # one without a value has no vote
        (["[[[", "None", "None"], "None", 0.0),
        ([BUDGET, "[[["], BUDGET, 1 / 2),  # nor has one that is no program
    ],
)
def test_of_several_programs_the_one_with_the_commonest_result_is_used(
    client: Any, programs: list[str], elected: str, votes: float
) -> None:
    options = {"query_samples": len(programs)}
    outcome, llms = run(client, options=options, write_query=completion(*programs))
    ((prompt,),) = [prompts for subtask, prompts in llms.rounds if subtask == "write_query"]
    assert prompt.n == len(programs) and prompt.temperature > 0
    (step,) = [step for step in outcome.steps if step.name == "kg"]
    assert step.inputs["program"] == elected
    assert step.confidence == {"votes": votes}


@pytest.fixture
def public(tmp_path: Path) -> PublicData:
    """Two films, a song and a company."""
    facts = [
        PublicFact(Domain.MOVIE, "film 1", ("The Glass Harbour",), "director", "Aino Virta"),
        PublicFact(Domain.MOVIE, "film 2", ("Salt Road",), "title", "Salt Road"),
        PublicFact(Domain.MUSIC, "work 1", ("Night Ferry",), "year", "2009"),
        PublicFact(Domain.FINANCE, "company 1", ("NWPX",), "year", "2009"),
    ]
    build(facts, tmp_path / "public.sqlite")
    return PublicData(tmp_path / "public.sqlite")


@pytest.mark.parametrize(
    ("domain", "names", "facts"),
    [
        ("movie", "glass harbour && other", "The Glass Harbour\nThe director is Aino Virta."),
        ("music", "Night Ferry && salt road", "Night Ferry\nThe year is 2009."),
        ("finance", "NWPX", "NWPX\nThe year is 2009."),
    ],
)
def test_task_1_looks_up_the_models_names_in_public_data(
    public: PublicData, domain: str, names: str, facts: str
) -> None:
    _, llms = run(task=Task.WEB, public=public, route=domain, find_entities=names)
    assert llms.order == ["route", "find_entities", "answer_web"]
    rules = load_prompt(f"db3/entities_{domain}").turns[0][1]
    assert llms.asked("find_entities")[0].startswith(rules)
    (prompt,) = llms.asked("answer_web")
    assert prompt.index(facts) < prompt.index("41 m tall")
    assert "Salt Road" not in prompt


@pytest.mark.parametrize(("reason", "from_question"), [("deadline", True), ("stop", False)])
def test_names_come_from_the_question_if_the_model_was_cut_off(
    public: PublicData, reason: str, from_question: bool
) -> None:
    completion = Completion(IDK, FinishReason(reason), 4)
    _, llms = run(task=Task.WEB, public=public, find_entities=completion)
    (prompt,) = llms.asked("answer_web")
    assert ("The director is Aino Virta." in prompt) is from_question
