"""Pairs without hand labels: sampled, executed, of wordings that are held out."""

import random
from typing import Any

import pytest

from evaluation.dataset import Example
from evaluation.judge.rules import RulesJudge
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.records import Domain
from tests.models.systems.scripted import ScriptedLLMs
from training.queries.check import Checker, written
from training.queries.facts import NAMED, Drawn
from training.queries.intents import ask, intents
from training.queries.paraphrase import paraphrase
from training.queries.real import RealPairs
from training.queries.sample import QUERY_TIME, Drawing, draw_pairs, draw_values
from training.recipe import Recipe
from training.records import Pair

RECIPE = Recipe("write_query", query_prompt="short")
DIRECTOR = 'ALL get_movie_person_crew("inception", None, eq(job, "Director"))["name"]'


def test_every_pair_returns_something_and_is_strict(pairs: list[Pair], checker: Checker) -> None:
    assert len(pairs) == 390
    for pair in pairs:
        assert checker.returned(pair.program, pair.query_time).complete, pair
        assert to_text(parse(pair.program, strict=True).program) == pair.program


def test_no_question_stands_twice(pairs: list[Pair]) -> None:
    assert len({pair.question for pair in pairs}) == len(pairs)


def test_a_held_out_wording_is_never_trained_on(pairs: list[Pair]) -> None:
    wordings = {
        split: {pair.wording for pair in pairs if pair.split == split}
        for split in ("train", "held_out")
    }
    assert wordings["train"] and wordings["held_out"]
    assert not wordings["train"] & wordings["held_out"]


def test_what_is_held_out_is_asked_for_in_training_too(pairs: list[Pair]) -> None:
    intents_of = {
        split: {pair.intent for pair in pairs if pair.split == split}
        for split in ("train", "held_out")
    }
    assert intents_of["held_out"] <= intents_of["train"]


def test_all_domains_and_shapes_are_there(pairs: list[Pair]) -> None:
    assert {pair.domain for pair in pairs} == set(Domain)
    programs = "\n".join(pair.program for pair in pairs)
    for shape in ("sort(", "(*)", '["len"]', "ALL ", "MAX ", "[:3]", "; ", "[eq("):
        assert shape in programs, shape


def test_the_same_seed_draws_the_same(kg_pools: dict[str, list[Drawn]], checker: Checker) -> None:
    one, again, other = (
        draw_pairs(intents(), kg_pools, checker, Drawing(60, 20, seed), lambda _: None)
        for seed in (1, 1, 2)
    )
    assert one == again and one != other


def test_five_thousand_questions_can_be_asked(kg_pools: dict[str, list[Drawn]]) -> None:
    """More than are kept, for not each returns something; `make train-demo` counts those."""
    rng = random.Random(0)
    asked = {
        ask(wording, draw_values(intent, kg_pools, rng))
        for intent in intents()
        for wording in intent.wordings
        for _ in range(5)
    }
    assert len(asked) > 6000


def test_a_program_is_only_words_of_its_question(pairs: list[Pair]) -> None:
    """Names are copied: a model need not know what the question does not say."""
    for pair in pairs:
        call = parse(pair.program).program.statements[0].source  # type: ignore[union-attr]
        names = [a for a in getattr(call, "arguments", ()) if isinstance(a, str)]
        assert all(name in pair.question for name in names), pair


def test_the_named_functions_are_the_tables() -> None:
    made = {intent.name for intent in intents()}
    for domain, function in NAMED:
        assert any(name.startswith(f"{domain}.{function}.") for name in made)


def test_execution_match_looks_at_what_is_returned(checker: Checker) -> None:
    one = 'get_movie("inception")["title"]'
    assert checker.same('get_movie("Inception")["title"]', one, QUERY_TIME)
    assert not checker.same('get_movie("titanic")["title"]', one, QUERY_TIME)
    assert not checker.same("no program", one, QUERY_TIME)
    nothing = 'get_movie("no such film at all")["title"]'
    assert not checker.same(nothing, nothing, QUERY_TIME)
    assert written("no program") is None


def test_a_paraphrase_must_lead_back(checker: Checker) -> None:
    pair = Pair("p", "movie", "who directed inception?", QUERY_TIME, DIRECTOR, "template", "i", "w")
    said = {
        "whose film is inception?": DIRECTOR,
        "who made inception?": 'get_movie("inception")["budget"]',
        "who was behind inception?": "no program",
    }
    llms = ScriptedLLMs(
        {
            "paraphrase": lambda prompt: "\n".join(f"{n}. {q}" for n, q in enumerate(said, 1)),
            "write_query": lambda prompt: said[prompt.messages[-1].text],
        }
    )
    made = paraphrase([pair], llms, RECIPE, checker, lambda _: None)
    assert made.offered == 3
    (kept,) = made.pairs
    assert (kept.question, kept.program) == ("whose film is inception?", DIRECTOR)
    assert (kept.source, kept.intent) == ("paraphrase", "p")
    # the writer sees the paraphrase, never the question that it came from
    assert not any("who directed" in text for text in llms.asked("write_query"))


@pytest.mark.parametrize(("gold", "kept"), [("Christopher Nolan", True), ("Ava DuVernay", False)])
def test_a_real_question_needs_the_golds_answer(gold: str, kept: bool, example_kg: Any) -> None:
    example = Example("r", "who directed inception?", QUERY_TIME, golds=(gold,), domain="movie")
    llms = ScriptedLLMs({"write_query": lambda prompt: ["no program", DIRECTOR]})
    pair = RealPairs(example_kg, RulesJudge(), RECIPE, llms).pair(example)
    assert (pair is not None) is kept
    if pair is not None:
        assert pair.source == "real" and "inception" in pair.program.lower()
