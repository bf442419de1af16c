"""Results become short answers, or nothing where they settle nothing."""

from typing import Any

import pytest

from models.kg.english.compose import Difference, Invalid, Is, Listed, Most, Value
from models.kg.english.reading import Compose
from models.kg.execute import Outcome
from models.kg.language.ast import Nothing
from models.records import INVALID


def outcomes(*values: tuple[Any, ...], complete: bool = False) -> list[Outcome]:
    return [Outcome(Nothing(), values=each, complete=complete) for each in values]


@pytest.mark.parametrize(
    ("compose", "values", "said"),
    [
        (Value(), (("Aino Virta",),), "Aino Virta"),
        (Value(), ((7.0,),), "7"),
        (Value(), ((True,),), "yes"),
        (Value("${:,.2f}"), ((1234.5,),), "$1,234.50"),
        (Value("${:,.2f}"), (("12",),), "$12.00"),
        (Value("${:,.2f}"), (("unknown",),), "unknown"),
        (Value(), (("One", "one!"),), "One"),
        (Value(), (("One", "Two"),), None),
        (Value(first=True), (("One", "Two"),), "One"),
        (Value(), ((),), None),
        (Listed(), (("One", "Two", "one"),), "One, Two"),
        (Listed(most=1), (("One", "Two"),), "One"),
        (Listed(empty="none"), ((),), None),
        (Is("the glass harbour"), (("The Glass Harbour",),), "yes"),
        (Is("salt"), (("The Glass Harbour",),), "no"),
        (Is("salt"), ((),), None),
        (Most(("a", "b")), ((1,), (2,)), "b"),
        (Most(("a", "b"), least=True), ((1,), (2,)), "a"),
        (Most(("a", "b")), (("1990-01-01",), ("1980-01-01",)), "a"),
        (Most(("a", "b")), ((2,), (2,)), None),
        (Most(("a", "b"), tie="same"), ((2,), (2,)), "same"),
        (Most(("a", "b")), ((2,), ()), None),
        (Most(("a", "b"), absent=0.0), ((2,), ()), "a"),
        (Most(("a", "b", "c")), ((2,), (5,), (3,)), "b"),
        (Difference(), ((2,), (5,)), "3"),
        (Difference(absolute=False), ((2,), (5,)), "-3"),
        (Difference(), ((2,), ()), None),
    ],
)
def test_an_answer_is_composed(
    compose: Compose, values: tuple[tuple[Any, ...], ...], said: str | None
) -> None:
    assert compose(outcomes(*values)) == said


def test_absence_proves_something_only_where_the_kg_is_complete() -> None:
    assert Invalid(Value())(outcomes((), complete=True)) == INVALID
    assert Invalid(Value())(outcomes(())) is None
    assert Invalid(Value())(outcomes(("x",), complete=True)) == "x"
    assert Listed(empty="none")(outcomes((), complete=True)) == "none"
