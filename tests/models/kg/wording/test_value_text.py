"""The two styles of values: in sentences, and as answers."""

from typing import Any

import pytest

from models.kg.lexicon.types import ValueType
from models.kg.schema.functions import Key
from models.kg.wording.value_text import (
    answer_text,
    first_names,
    key_value_text,
    span_text,
    value_text,
)


@pytest.mark.parametrize(
    ("amount", "in_sentence", "as_answer"),
    [
        (12.5, "$12.50", "$12.50"),
        (999, "$999.00", "$999.00"),
        (1_000, "$1,000", "$1,000"),
        (10_000, "$10,000", "$10,000"),
        (10_000.5, "$10,000.50", "$10,000.50"),
        (250_000, "$250,000", "$250,000"),
        (250_000.25, "$250,000.25", "$250,000.25"),
        (-12.5, "-$12.50", "-$12.50"),
        (-4_300, "-$4,300", "-$4,300"),
        (-250_000, "-$250,000", "-$250,000"),
        (-1_234_567.8, "-$1,234,567.80", "-$1,234,567.80"),
        ("$12.5", "$12.5", "$12.50"),
    ],
)
def test_amounts_of_money(amount: Any, in_sentence: str, as_answer: str) -> None:
    assert value_text(amount, "$") == in_sentence
    assert answer_text(amount, ValueType.MONEY) == as_answer


@pytest.mark.parametrize(
    ("price", "text"),
    [
        (12.5, "$12.50"),
        (1_000, "$1,000.00"),
        (543_210.0, "$543,210.00"),
        (-0.8, "-$0.80"),
        (-1_500, "-$1,500.00"),
        ("99.5", "$99.50"),
    ],
)
def test_a_price_of_a_stock_has_cents_at_any_height(price: Any, text: str) -> None:
    assert key_value_text(price, Key("close", unit="$/share")) == text


@pytest.mark.parametrize(
    ("fraction", "in_sentence", "as_answer"),
    [(0.12, "12%", "12%"), (0.12345, "12.345%", "12.35%")],
)
def test_fractions(fraction: float, in_sentence: str, as_answer: str) -> None:
    assert value_text(fraction, "fraction") == in_sentence
    assert answer_text(fraction, ValueType.FRACTION) == as_answer


@pytest.mark.parametrize(
    ("number", "in_sentence", "as_answer"),
    [
        (2024, "2024", "2024"),
        (12_345, "12,345", "12345"),
        (7.0, "7", "7"),
        (1.23456789, "1.234568", "1.2346"),
        (True, "yes", "yes"),
    ],
)
def test_other_numbers(number: float, in_sentence: str, as_answer: str) -> None:
    assert value_text(number) == in_sentence
    assert answer_text(number, ValueType.NUMBER) == as_answer


def test_numbers_with_a_unit_have_commas_in_sentences() -> None:
    assert value_text(1200, "minutes") == "1,200 minutes"
    assert value_text(3, "%") == "3%"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        ("2001-05-04", "year", "2001"),
        ("GB", "country", "United Kingdom"),
        ("W", "result", "win"),
        ("as it is", "text", "as it is"),
    ],
)
def test_answers_of_other_kinds(value: str, kind: str, text: str) -> None:
    assert answer_text(value, ValueType(kind)) == text


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (["1993", "2001"], "from 1993 to 2001"),
        (["1993", None], "from 1993, with no known end"),
        ([None, "2001"], "until 2001, with no known start"),
        ([None, None], "unknown"),
    ],
)
def test_spans(span: list[str | None], text: str) -> None:
    assert span_text(span) == text


def test_names_after_the_fifth_are_counted() -> None:
    assert first_names(list("abc")) == "a, b and c"
    assert first_names(list("abcdef")) == "a, b, c, d, e and 1 other"
    assert first_names(list("abcdefg")) == "a, b, c, d, e and 2 others"
