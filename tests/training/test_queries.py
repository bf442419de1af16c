"""Pairs without hand labels: sampled, executed, of wordings that are held out."""

from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.named_functions import functions
from models.records import Domain
from training.kg import NOTHING, Kg
from training.queries.facts import ENGLISH, read_table
from training.queries.intents import held_out, intents
from training.queries.sample import QUERY_TIME, draw_pairs
from training.records import Pair


def test_every_pair_returns_something_and_is_strict(pairs: list[Pair], kg: Kg) -> None:
    assert len({pair.question for pair in pairs}) == len(pairs) == 390
    for pair in pairs:
        whole = kg.returned(pair.program, pair.query_time).complete
        assert whole or pair.program == NOTHING, pair
        assert to_text(parse(pair.program, strict=True).program) == pair.program


def test_a_template_asks_for_one_thing_and_its_key_exists() -> None:
    programs: dict[str, set[str]] = {}
    for intent in intents():
        for wording in intent.wordings:
            programs.setdefault(wording.text, set()).add(intent.program)
    assert not {text: found for text, found in programs.items() if len(found) > 1}
    keys = {row["key"] for row in read_table(ENGLISH)["own"]}
    assert keys <= {intent.name for intent in intents()}


def test_held_out_wordings_are_kept_apart_whoever_wrote_them(pairs: list[Pair]) -> None:
    held, train = (
        [pair for pair in pairs if pair.split == split] for split in ("held_out", "train")
    )
    assert not {pair.wording for pair in held} & {pair.wording for pair in train}
    assert {pair.intent for pair in held} <= {pair.intent for pair in train}
    assert {pair.domain for pair in pairs} == set(Domain)
    for pair in pairs:
        assert held_out(pair.question.capitalize()) is (pair.split == "held_out"), pair


def test_the_same_seed_draws_the_same(kg: Kg) -> None:
    one, again, other = (draw_pairs(kg, "train", 20, seed) for seed in (1, 1, 2))
    assert one == again and one != other


def test_what_the_pairs_ask_for(pairs: list[Pair]) -> None:
    """Every function, "yesterday" on the day after, and no name that the question lacks: a model
    need not know what it does not say."""
    programs = "\n".join(pair.program for pair in pairs)
    assert not {row.name for row in functions().rows if f"{row.name}(" not in programs}
    assert {p.domain for p in pairs if p.program == NOTHING} == set(Domain) - {Domain.OPEN}
    yesterday = [pair for pair in pairs if '"yesterday"' in pair.program]
    assert all("yesterday" in pair.question for pair in yesterday)
    assert len({pair.query_time for pair in yesterday}) > 1
    for pair in pairs:
        call = getattr(parse(pair.program).program.statements[0], "source", None)
        names = [a for a in getattr(call, "arguments", ()) if isinstance(a, str)]
        assert all(name in pair.question for name in names), pair


def test_programs_that_return_nothing_do_not_match(kg: Kg) -> None:
    one = 'get_movie("inception")["title"]'
    nothing = 'get_movie("no such film at all")["title"]'
    assert not kg.same(nothing, nothing, QUERY_TIME)
    # a statement that returns nothing is no part of the other program
    assert not kg.same(f"{one}; {nothing}", one, QUERY_TIME)
