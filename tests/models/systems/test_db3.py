"""db3, step by step, with a model that says what each test tells it to."""

from pathlib import Path
from typing import Any

import pytest

from models.llm.protocol import Completion, FinishReason, Prompt
from models.prompts import load_prompt
from models.public_data.sources import PublicFact
from models.public_data.store import PublicData, build
from models.records import IDK, INVALID, Answer, Domain, Page, Question, Source, Task
from models.systems.db3 import Db3Options, Db3System
from models.web.retrieved import Retrieved
from models.web.retriever import Retriever
from tests.models.systems import scripted as shared
from tests.models.systems.clocks import Clock
from tests.models.systems.papers import DIRECTOR, ON_KG, PAPERS
from tests.models.systems.scripted import ScriptedLLMs, ask, never
from utils.deadline import Deadline
from utils.errors import ApiUnavailable

PAGES = (Page("", "", "", "<title>Lighthouse</title><p>The lighthouse is 41 m tall.</p>"),)


def question(text: str = ON_KG, task: Task = Task.KG_WEB) -> Question:
    return shared.question(text, task, PAGES)


def scripted(**replies: Any) -> ScriptedLLMs:
    """The five subtasks; a text is said to every prompt."""
    return PAPERS["db3"].llms(**{"find_entities": IDK, "answer_web": "41 m", **replies})


def db3(llms: ScriptedLLMs, client: Any = None, **fields: Any) -> Db3System:
    """As the paper has it, without the semantic parser behind the model's program."""
    fields = {"options": Db3Options(kg_fallback=False), **fields}
    return Db3System(llms, client, Retriever(), **fields)


def test_where_the_program_finds_nothing_the_parser_s_is_run(client: Any) -> None:
    llms = scripted(write_query="None", answer_web=never)
    (outcome,) = ask(db3(llms, client, options=Db3Options()), question())
    assert outcome.answer.source is Source.KG
    (prompt,) = llms.asked("answer_kg")
    assert "Aino Virta" in prompt


def test_the_kg_answers_first_and_the_pages_are_not_asked(client: Any) -> None:
    llms = scripted(answer_web=never)
    (outcome,) = ask(db3(llms, client), question())
    assert outcome.answer.text == "Aino Virta" and outcome.answer.source is Source.KG
    assert outcome.final and not outcome.failures
    assert llms.order == ["route", "write_query", "answer_kg"]


def test_where_the_kg_does_not_know_the_pages_answer(client: Any) -> None:
    llms = scripted(answer_kg="I don't know.")
    (outcome,) = ask(db3(llms, client), question())
    assert outcome.answer.text == "41 m" and outcome.answer.source is Source.WEB
    assert llms.order == ["route", "write_query", "answer_kg", "answer_web"]


def test_what_the_kg_knows_of_one_statement_is_told_whatever_the_others_give(client: Any) -> None:
    program = (
        'get_movie_person_crew("nobody"); sort(None, -year)["movie_name"]; '
        'get_movie("the glass harbour")["release_date"]'
    )
    llms = scripted(write_query=program)
    ask(db3(llms, client), question())
    (prompt,) = llms.asked("answer_kg")
    assert "2001-05-04" in prompt and "does not know" not in prompt


def test_neither_knows(client: Any) -> None:
    llms = scripted(answer_kg=IDK, answer_web="The context is not sure: I do not know")
    (outcome,) = ask(db3(llms, client), question())
    assert outcome.answer == Answer() and outcome.final


def test_the_query_prompt_has_schema_rules_time_and_examples_like_the_question(client: Any) -> None:
    llms = scripted()
    ask(db3(llms, client, options=Db3Options(examples=2)), question())
    (prompt,) = llms.asked("write_query")
    assert prompt.index("get_movie_person_crew") < prompt.index("get_stock_price(")
    assert prompt.index("get_stock_price(") < prompt.index("Sunday, March 10, 2024")
    assert prompt.count("\nQuery:") == 3  # two examples and the question
    examples = prompt.rpartition("Question: ")[0]
    assert "who directed the film moonlight?" in examples


def test_what_the_kg_said_heads_the_passages_of_the_web_answer(client: Any) -> None:
    for option in (True, False):
        llms = scripted(
            write_query='get_movie("the glass harbour")["budget"]', answer_kg="i don't know"
        )
        ask(db3(llms, client, options=Db3Options(kg_in_web=option)), question())
        (prompt,) = llms.asked("answer_web")
        assert ("The budget of The Glass Harbour" in prompt) is option


def test_a_program_that_was_repaired_is_noted(client: Any) -> None:
    llms = scripted(write_query="movie('the glass harbour\")[budget]")
    (outcome,) = ask(db3(llms, client), question())
    (step,) = [step for step in outcome.steps if step.name == "kg"]
    assert "get_movie" in step.inputs["repairs"]


def test_the_query_prompts_of_a_domain_begin_alike(client: Any) -> None:
    llms = scripted()
    ask(db3(llms, client), question(), question("who directed salt?"))
    first, second = llms.asked("write_query")
    alike = next(i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b)
    assert len(first) - alike < 60  # characters of the question


def test_without_a_domain_the_whole_schema_is_shown(client: Any) -> None:
    unfinished = Completion("", FinishReason.DEADLINE, 0)
    llms = scripted(route=lambda prompt: unfinished)
    ask(db3(llms, client), question("what about it?"))
    (prompt,) = llms.asked("write_query")
    assert "get_stock_price" in prompt and "get_open" in prompt


def test_other_is_the_open_domain(client: Any) -> None:
    llms = scripted(route="other", write_query='get_open("loviisa plant")["owner"]')
    ask(db3(llms, client), question("who owns the loviisa plant?"))
    prompt = llms.asked("write_query")[0]
    assert prompt.index("get_open(") < prompt.index("get_stock_price(")
    assert "Fortum" in llms.asked("answer_kg")[0]


@pytest.mark.parametrize("name", ["basic", "ctrl"])
def test_only_the_controlled_prompt_asks_to_abstain(client: Any, name: str) -> None:
    llms = scripted(answer_kg=IDK)
    ask(db3(llms, client, options=Db3Options(prompt=name)), question())
    for subtask in ("answer_kg", "answer_web"):
        (prompt,) = llms.asked(subtask)
        assert ("i don't know" in prompt and "invalid question" in prompt) == (name == "ctrl")


def test_slow_pages_leave_the_model_time_to_read_them() -> None:
    clock = Clock()

    class Slow(Retriever):
        def retrieve(self, question: Question, deadline: Deadline) -> Retrieved:
            return clock.after(deadline.remaining(), super().retrieve(question, deadline))

    llms = scripted(answer_web=lambda prompt: clock.after(2.0, "41 m"))
    system = Db3System(llms, None, Slow())
    (outcome,) = ask(system, question(task=Task.WEB), deadline=Deadline(10.0, clock))
    assert outcome.answer.text == "41 m" and clock() < 10


def test_a_program_that_cannot_be_read_costs_only_its_step(client: Any) -> None:
    llms = scripted(write_query="[[[", answer_kg=never)
    (outcome,) = ask(db3(llms, client), question())
    assert [type(error).__name__ for error in outcome.failures] == ["QuerySyntaxError"]
    assert outcome.answer.text == "41 m"


@pytest.mark.parametrize("reason", [FinishReason.DEADLINE, FinishReason.LENGTH])
def test_a_program_that_was_cut_off_is_not_run(client: Any, reason: FinishReason) -> None:
    cut = Completion(f"{DIRECTOR}; get_movie(", reason, 9)
    llms = scripted(write_query=lambda prompt: cut, answer_kg=never)
    (outcome,) = ask(db3(llms, client), question())
    assert client.calls == [] and outcome.answer.text == "41 m"


def test_each_question_of_a_mixed_batch_goes_its_own_way(client: Any) -> None:
    ways = {"known": "Aino Virta", "unknown": "41 m", "invalid": INVALID, "fails": "41 m"}

    def way(prompt: Prompt) -> str:
        return next(w for w in ways if f"who directed {w}?" in prompt.messages[-1].text)

    llms = scripted(
        write_query=lambda prompt: {"unknown": "None", "fails": "[[["}.get(way(prompt), DIRECTOR),
        answer_kg=lambda prompt: ways[way(prompt)],
        answer_web=lambda prompt: ways[way(prompt)],
    )
    order = ["fails", "known", "unknown", "invalid", "known", "unknown"]
    outcomes = ask(db3(llms, client), *[question(f"who directed {w}?") for w in order])
    assert [outcome.answer.text for outcome in outcomes] == [ways[w] for w in order]
    assert [bool(outcome.failures) for outcome in outcomes] == [w == "fails" for w in order]
    assert [(name, len(prompts)) for name, prompts in llms.rounds] == [
        ("route", 6), ("write_query", 6), ("answer_kg", 3), ("answer_web", 3),
    ]  # fmt: skip


def test_task_1_asks_no_kg_and_without_public_data_no_domain(client: Any) -> None:
    llms = scripted(route=never, write_query=never, answer_kg=never)
    (outcome,) = ask(db3(llms, client), question(task=Task.WEB))
    assert client.calls == [] and llms.order == ["answer_web"]
    assert outcome.answer.text == "41 m"


@pytest.fixture
def public(tmp_path: Path) -> PublicData:
    film = ("film the glass harbour 2001", ("The Glass Harbour",))
    facts = [
        PublicFact(Domain.MOVIE, *film, "title", "The Glass Harbour"),
        PublicFact(Domain.MOVIE, *film, "director", "Aino Virta"),
        PublicFact(Domain.MOVIE, "film salt road 2003", ("Salt Road",), "title", "Salt Road"),
        PublicFact(Domain.MOVIE, "film salt road 2003", ("Salt Road",), "director", "Bo Third"),
    ]
    file = tmp_path / "public.sqlite"
    assert build(facts, file) == 2
    return PublicData(file)


@pytest.mark.parametrize("said", ["glass harbour && nothing else", "The Glass Harbour"])
def test_task_1_finds_public_data_by_the_names_that_the_model_gives(
    public: PublicData, said: str
) -> None:
    llms = scripted(find_entities=said)
    ask(db3(llms, public_data=public), question(task=Task.WEB))
    assert llms.order == ["route", "find_entities", "answer_web"]
    (prompt,) = llms.asked("answer_web")
    assert (
        "The Glass Harbour\nThe title is The Glass Harbour.\nThe director is Aino Virta." in prompt
    )
    assert prompt.index("Aino Virta") < prompt.index("41 m tall")


@pytest.mark.parametrize(("reason", "found"), [("deadline", True), ("stop", False)])
def test_names_are_looked_for_in_the_question_where_the_model_did_not_finish(
    public: PublicData, reason: str, found: bool
) -> None:
    said = Completion(IDK, FinishReason(reason), 4)
    llms = scripted(find_entities=lambda prompt: said)
    ask(db3(llms, public_data=public), question(task=Task.WEB))
    assert ("The director is Aino Virta." in llms.asked("answer_web")[0]) is found


@pytest.mark.parametrize(
    ("domain", "entity", "name"),
    [("music", "work night ferry", "Night Ferry"), ("finance", "company nwpx", "NWPX")],
)
def test_each_domain_with_public_data_has_its_own_prompt(
    tmp_path: Path, domain: str, entity: str, name: str
) -> None:
    fact = PublicFact(Domain(domain), entity, (name,), "year", "2009")
    build([fact], tmp_path / "public.sqlite")
    llms = scripted(route=domain, find_entities=f"{name} && salt road")
    ask(db3(llms, public_data=PublicData(tmp_path / "public.sqlite")), question(task=Task.WEB))
    template = load_prompt(f"db3/entities_{domain}")
    assert llms.asked("find_entities")[0].startswith(template.turns[0][1])
    assert template.turns[-1][1].partition("{question}")[0] in llms.asked("find_entities")[0]
    assert f"{name}\nThe year is 2009." in llms.asked("answer_web")[0]


def test_each_step_is_in_the_trace(client: Any) -> None:
    (outcome,) = ask(db3(scripted(answer_kg=IDK), client), question())
    steps = {step.name: step for step in outcome.steps}
    assert set(steps) == {"web", "route", "write_query", "kg", "answer_kg", "answer_web"}
    assert steps["kg"].inputs["program"] == DIRECTOR and "Aino Virta" in steps["kg"].output
    assert "The lighthouse is 41 m tall." in steps["web"].output
    assert "The lighthouse is 41 m tall." in steps["answer_web"].inputs["passages"]


def test_a_short_context_keeps_whole_passages_only(client: Any) -> None:
    llms = scripted(write_query="None")
    system = db3(llms, client, options=Db3Options(context_tokens=3, kg_fallback=False))
    ask(system, question())
    assert "41 m tall" not in llms.asked("answer_web")[0]


def test_invalid_question_from_the_kg_is_an_answer(client: Any) -> None:
    (outcome,) = ask(db3(scripted(answer_kg="Invalid question."), client), question())
    assert outcome.answer.text == INVALID and outcome.answer.source is Source.KG


def test_a_failing_engine_leaves_the_question_unknown(client: Any) -> None:
    down = ApiUnavailable("engine")
    llms = scripted(answer_kg=lambda prompt: down, answer_web=lambda prompt: down)
    (outcome,) = ask(db3(llms, client), question())
    assert outcome.answer == Answer() and outcome.final and outcome.failures == (down, down)
