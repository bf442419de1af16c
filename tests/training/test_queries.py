"""Pairs without hand labels: sampled, executed, of wordings that are held out."""

import pytest
from pydantic import TypeAdapter, ValidationError

from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.named_functions import functions
from models.records import Domain
from training.kg import NOTHING, Kg
from training.queries.intents import held_out, intents
from training.queries.sample import QUERY_TIME, draw_pairs
from training.queries.tables import Pool, english_table
from training.records import Pair


def test_every_pair_returns_something_and_is_strict(pairs: list[Pair], kg: Kg) -> None:
    assert len({pair.question for pair in pairs}) == len(pairs) == 390
    for pair in pairs:
        complete = kg.returned(pair.program, pair.query_time).complete
        assert complete or pair.program == NOTHING, pair
        assert to_text(parse(pair.program, strict=True).program) == pair.program


def test_a_template_asks_for_one_thing_and_its_key_exists() -> None:
    programs_by_template: dict[str, set[str]] = {}
    for intent in intents():
        for wording in intent.wordings:
            programs_by_template.setdefault(wording.text, set()).add(intent.program)
    ambiguous = [text for text, programs in programs_by_template.items() if len(programs) > 1]
    assert not ambiguous
    keys = {templates.key for templates in english_table().own}
    assert keys <= {intent.name for intent in intents()}


def test_a_misspelt_field_of_a_table_is_an_error() -> None:
    with pytest.raises(ValidationError, match="smal"):
        TypeAdapter(Pool).validate_python({"sql": "SELECT 1 AS year", "smal": ["year"]})


def test_held_out_wordings_are_kept_apart_whoever_wrote_them(pairs: list[Pair]) -> None:
    held_out_pairs = [pair for pair in pairs if pair.split == "held_out"]
    train_pairs = [pair for pair in pairs if pair.split == "train"]
    train_wordings = {pair.wording for pair in train_pairs}
    assert train_wordings.isdisjoint(pair.wording for pair in held_out_pairs)
    assert {pair.intent for pair in held_out_pairs} <= {pair.intent for pair in train_pairs}
    assert {pair.domain for pair in pairs} == set(Domain)
    for pair in pairs:
        assert held_out(pair.question.capitalize()) is (pair.split == "held_out"), pair


def test_the_same_seed_draws_the_same(kg: Kg) -> None:
    pairs = draw_pairs(kg, "train", 20, seed=1)
    assert draw_pairs(kg, "train", 20, seed=1) == pairs
    assert draw_pairs(kg, "train", 20, seed=2) != pairs


def test_the_pairs_ask_for_every_function_and_for_yesterday(pairs: list[Pair]) -> None:
    programs = "\n".join(pair.program for pair in pairs)
    assert not {row.name for row in functions().rows if f"{row.name}(" not in programs}
    without_answer = {pair.domain for pair in pairs if pair.program == NOTHING}
    assert without_answer == set(Domain) - {Domain.OPEN}
    yesterday = [pair for pair in pairs if '"yesterday"' in pair.program]
    assert all("yesterday" in pair.question for pair in yesterday)
    assert len({pair.query_time for pair in yesterday}) > 1


def test_a_question_holds_every_name_of_its_program(pairs: list[Pair]) -> None:
    """So a model need not know what the question does not say."""
    for pair in pairs:
        call = getattr(parse(pair.program).program.statements[0], "source", None)
        for argument in getattr(call, "arguments", ()):
            assert not isinstance(argument, str) or argument in pair.question, pair


def test_programs_that_return_nothing_do_not_match(kg: Kg) -> None:
    title = 'get_movie("inception")["title"]'
    nothing = 'get_movie("no such film at all")["title"]'
    assert not kg.same(nothing, nothing, QUERY_TIME)
    # a statement that returns nothing is no part of the other program
    assert not kg.same(f"{title}; {nothing}", title, QUERY_TIME)
