"""Base and adapters side by side: what is counted, and that execution decides."""

from evaluation.judge.rules import RulesJudge
from models.llm.protocol import ConstraintKind, Prompt
from tests.models.systems.scripted import ScriptedLLM
from training.evaluate import answer_table, evaluate_answers, evaluate_queries, query_table
from training.queries.check import Checker
from training.queries.sample import QUERY_TIME
from training.recipe import Recipe
from training.records import Pair, Sample

RECIPE = Recipe("write_query", query_prompt="short")
WANTED = 'get_movie("inception")["release_date"]'


def pair(number: int) -> Pair:
    return Pair(
        *(f"p{number}", "movie", f"question {number}", QUERY_TIME, WANTED, "template", "i", "w"),
        "held_out",
    )


def test_exact_and_execution_match(checker: Checker) -> None:
    said = {
        "question 0": WANTED,
        "question 1": ' get_movie("inception")[ "release_date" ]',  # the same, otherwise written
        "question 2": 'get_movie("Inception")["release_date"]',  # other text, same result
        "question 3": 'get_movie("titanic")["release_date"]',
        "question 4": "",
    }
    llm = ScriptedLLM("write_query", lambda prompt: said[prompt.messages[-1].text], [])
    figures, wrote = evaluate_queries(
        llm, None, [pair(n) for n in range(5)], RECIPE, checker, lambda _: None
    )
    assert (figures.pairs, figures.exact, figures.execution) == (5, 0.4, 0.6)
    assert figures.unreadable == 0.2
    assert [one.execution for one in wrote] == [True, True, True, False, False]


def test_adapter_and_grammar_are_the_systems(checker: Checker) -> None:
    rounds: list[tuple[str, list[Prompt]]] = []
    llm = ScriptedLLM("write_query", lambda prompt: WANTED, rounds)
    for constrained in (True, False):
        evaluate_queries(
            llm, "mine", [pair(0)], RECIPE, checker, lambda _: None, constrained=constrained
        )
    held, free = (prompts[0] for _, prompts in rounds)
    assert held.adapter == free.adapter == "mine"
    assert held.constraint is not None and held.constraint.kind is ConstraintKind.GRAMMAR
    assert free.constraint is None


def test_answers_have_the_contests_figures() -> None:
    samples = [
        Sample(str(n), (("user", f"q{n}"),), gold, "", "how tall is it?", (gold,))
        for n, gold in enumerate(("41 m", "41 m", "41 m", "41 m"))
    ]
    said = ["41 m", "Answer: 41 m.", "I don't know.", "87 m"]
    llm = ScriptedLLM("answer_web", lambda prompt: said[int(prompt.messages[0].text[1:])], [])
    figures, results = evaluate_answers(llm, None, samples, RulesJudge(), lambda _: None)
    counts = [figures[key] for key in ("total", "correct", "missing", "wrong")]
    assert counts == [4, 2, 1, 1] and figures["score"] == 0.25
    assert len(results) == 4
    assert answer_table({"base": figures}).row_count == 1


def test_the_table_has_a_row_a_model(checker: Checker) -> None:
    llm = ScriptedLLM("write_query", lambda prompt: WANTED, [])
    figures, _ = evaluate_queries(llm, None, [pair(0)], RECIPE, checker, lambda _: None)
    assert query_table({"base": figures, "mine": figures}).row_count == 2
