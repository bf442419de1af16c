"""The grammar that constrains a model compiles, and accepts what the printer prints."""

from pathlib import Path

import pytest

from models.kg.language.grammar import Bounds, constraint_text
from models.kg.language.parse import parse
from models.llm.constraints import accepts
from models.llm.protocol import Constraint, ConstraintKind
from tests.models.kg.cases import cases

FOLDER = Path(__file__).parent / "cases"
PRINTED = [
    *cases(FOLDER / "programs.jsonl", "printed"),
    *cases(FOLDER / "repairs.jsonl", "printed"),
]


def admits(text: str, bounds: Bounds | None = None) -> bool:
    return accepts(Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds)), text)


@pytest.mark.parametrize("case", PRINTED)
def test_the_grammar_accepts_each_printed_program(case: dict[str, str]) -> None:
    assert admits(case["printed"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ALL None",
        'get_movi("a")["title"]',
        'get_movie("a")["close"]',
        'get_movie("a", eq(close, 1))["title"]',
        'get_movie("a"',
        "get_movie('a')",
        'get_movie("a", "b")',
        'get_movie("a\n")',
        'get_movie(None)["title"]["len"]["len"]',
        f'get_movie("{"a" * 121}")',
    ],
)
def test_the_grammar_rejects_other_texts(text: str) -> None:
    assert not admits(text)


def test_statements_and_nesting_are_bounded() -> None:
    bounds = Bounds(statements=2, depth=2)
    assert admits("None; None", bounds)
    assert not admits("None; None; None", bounds)
    assert admits('get_movie(get_movie("a")["title"])', bounds)
    assert not admits('get_movie(get_movie(get_movie("a")))', bounds)


@pytest.mark.parametrize(
    ("text", "is_accepted"),
    [
        ('get_movie("Matrix")["budget"]', True),
        ('get_movie("latest")["budget"]', True),
        (r'get_movie("\"Neo\"")["budget"]', True),
        (r'get_movie("back\\slash")["budget"]', True),
        (r'get_movie("in\nback")["budget"]', True),
        ('get_movie("Matri")["budget"]', False),
        ('get_movie("matrix")["budget"]', False),
        ('get_movie("")["budget"]', False),
        ('get_movie(""Neo")["budget"]', False),
        (r'get_movie("Neo\")["budget"]', False),
        ('get_movie("in\nback")["budget"]', False),
    ],
)
def test_a_copied_argument_is_whole_words_of_the_question(text: str, is_accepted: bool) -> None:
    question = 'Who is "Neo" in\nback\\slash The Matrix: Reloaded?'
    grammar = constraint_text(copied_from=question)
    assert accepts(Constraint(ConstraintKind.GRAMMAR, grammar), text) is is_accepted
    if is_accepted:
        parse(text)
