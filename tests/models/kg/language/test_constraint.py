"""The grammar that constrains a model compiles, and takes what the printer prints."""

from pathlib import Path

import pytest

from models.kg.language.grammar import Bounds, constraint_text
from models.llm.constraints import accepts
from models.llm.protocol import Constraint, ConstraintKind
from tests.models.kg.cases import cases

FILES = [Path(__file__).parent / "cases" / f"{name}.jsonl" for name in ("programs", "repairs")]


def admits(text: str, bounds: Bounds | None = None) -> bool:
    return accepts(Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds)), text)


@pytest.mark.parametrize("case", [case for file in FILES for case in cases(file, "printed")])
def test_what_is_printed_may_be_written(case: dict[str, str]) -> None:
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
def test_nothing_else_may_be_written(text: str) -> None:
    assert not admits(text)


def test_statements_and_nesting_are_bounded() -> None:
    bounds = Bounds(statements=2, depth=2)
    assert admits("None; None", bounds) and not admits("None; None; None", bounds)
    assert admits('get_movie(get_movie("a")["title"])', bounds)
    assert not admits('get_movie(get_movie(get_movie("a")))', bounds)
