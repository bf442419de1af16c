"""Programs that a small model can copy: the question's own words, one form of ALL."""

from dataclasses import replace

import pytest

from models.batch_input import read_query_time
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.parsing.semantic_parser import SemanticParser
from training.kg import Kg
from training.queries.copying import QuestionWords, copy_words, strings_in, unify_form
from training.records import Pair
from utils.deadline import Deadline

QUERY_TIME = "02/28/2024, 08:03:32 PT"


def pair(question: str, program: str) -> Pair:
    return Pair("q", "movie", question, QUERY_TIME, program, "real", "real", question)


@pytest.mark.parametrize(
    ("question", "program", "expected"),
    [
        (  # the KG's own name of a company
            "what is apple's market cap?",
            'get_stock_market_cap("Apple Inc. Common Stock")["value"]',
            'get_stock_market_cap("apple")["value"]',
        ),
        (  # another case
            "Who directed Interstellar?",
            'get_movie_person_crew("interstellar", None, eq(job, "Director"))["name"]',
            'get_movie_person_crew("Interstellar", None, eq(job, "Director"))["name"]',
        ),
        (  # a string that nothing in the question stands for
            "what is the highest mountain?",
            'get_open("Mount Everest")["elevation_m"]',
            'get_open("Mount Everest")["elevation_m"]',
        ),
    ],
)
def test_names_become_the_words_of_the_question(
    kg: Kg, question: str, program: str, expected: str
) -> None:
    parser = SemanticParser(kg.client)
    parsed = parser.parse(question, read_query_time(QUERY_TIME), Deadline.after(60))
    words = QuestionWords.of(question, parsed)
    tree = parse(program).program
    rewritten = copy_words(tree, words, lambda one: kg.same(to_text(one), program, QUERY_TIME))
    assert to_text(rewritten) == expected


def test_days_become_time_phrases_that_mean_the_same() -> None:
    words = QuestionWords("how did aapl open yesterday?", {}, ("yesterday",))
    program = parse('get_stock_price("aapl", "2024-02-27")["open"]').program
    assert strings_in(copy_words(program, words, lambda _: True)) == ["aapl", "yesterday"]
    assert strings_in(copy_words(program, words, lambda _: False)) == ["aapl", "2024-02-27"]
    week = QuestionWords("how did aapl open last week?", {}, ("last week",))
    period = parse('AVG get_stock_price("aapl", "2024-02-18", "2024-02-24")["open"]').program
    assert to_text(copy_words(period, week, lambda _: True)) == (
        'AVG get_stock_price("aapl", "last week")["open"]'
    )


def test_a_rewritten_program_that_returns_something_else_is_not_kept() -> None:
    words = QuestionWords("who is bob?", {"Robert Jones": ("bob",)}, ())
    program = parse('get_person("Robert Jones")["birthday"]').program
    assert copy_words(program, words, lambda _: False) == program


def test_all_stands_before_keys_with_several_values_and_before_no_others(kg: Kg) -> None:
    films = [draw["movie"] for draw in kg.pools["movie"][:8]]
    casts = [
        pair(f"who is in {film}?", f'ALL get_movie_person_cast("{film}", None)["name"]')
        for film in films
    ]
    lengths = [pair(f"how long is {film}?", f'ALL get_movie("{film}")["length"]') for film in films]
    pairs = unify_form([replace(one, id=str(n)) for n, one in enumerate([*casts, *lengths])], kg)
    assert len(pairs) == len(casts) + len(lengths)
    for one in pairs:
        assert one.program.startswith("ALL ") is ("cast" in one.program)


def test_other_pairs_decide_the_form_too(kg: Kg) -> None:
    films = [draw["movie"] for draw in kg.pools["movie"][:8]]
    casts = [
        pair(f"who is in {film}?", f'get_movie_person_cast("{film}", None)["name"]')
        for film in films
    ]
    unknown = pair("who is in salt?", 'get_movie_person_cast("salt", None)["name"]')
    assert unify_form([unknown], kg) == [unknown]
    (rewritten_pair,) = unify_form([unknown], kg, casts)
    assert rewritten_pair.program == f"ALL {unknown.program}"
    (length,) = unify_form(
        [pair(f"how long is {films[0]}?", f'ALL get_movie("{films[0]}")["length"]')], kg
    )
    assert not length.program.startswith("ALL ")  # of a rare key with one value


def test_pairs_that_cannot_be_copied_are_left_out(kg: Kg) -> None:
    good = pair("who wrote salt?", 'get_open("salt")["author"]')
    foreign = pair("who wrote salt?", 'get_open("pepper")["author"]')
    unsaid = pair("what does aapl cost?", 'get_stock_price("aapl", "latest")["close"]')
    rare = pair("who shot salt?", 'get_movie_person_crew("salt", None, eq(job, "Grip"))["name"]')
    nothing = pair("who is salt?", "None")
    assert unify_form([good, foreign, unsaid, rare, nothing], kg) == [good, unsaid]
    assert len(unify_form([rare] * 3, kg)) == 3
