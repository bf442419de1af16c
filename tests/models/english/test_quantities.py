"""Numbers, units and dates in a text, and the words that spell them."""

import pytest

from models.english.dates import dates
from models.english.quantities import as_number, quantities
from models.english.quantity_words import number_words, ordinal_words, written_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.5", 1234.5),
        (".5", 0.5),
        ("twenty-one", 21.0),
        ("dozen", 12.0),
        ("a", 1.0),
        ("nan", None),
        ("", None),
    ],
)
def test_digits_and_number_words_have_a_value(text: str, number: float | None) -> None:
    assert written_number(text) == number


def test_words_of_a_range_of_numbers() -> None:
    assert number_words(19, 21) == {"nineteen": 19, "twenty": 20, "twenty-one": 21}
    assert ordinal_words(20, 21) == {"twentieth": 20, "twenty-first": 21}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, None),
        (3, 3.0),
        (" $1,234.5 ", 1234.5),
        ("1.5 Million", 1.5e6),
        ("-5e3", -5000.0),
        ("twelve", None),
        (None, None),
    ],
)
def test_a_value_of_the_kg_is_a_number_if_it_is_spelled_in_digits(
    value: object, number: float | None
) -> None:
    assert as_number(value) == number


@pytest.mark.parametrize(
    ("text", "amounts"),
    [
        ("it cost $2.5 million.", [(2.5e6, "$")]),
        ("two hundred and ten km", [(210.0, "km")]),
        ("6'2\" and 41 square metres", [(74.0, "inch"), (41.0, "sqmetres")]),
        ("12m people, 12 m tall", [(12e6, ""), (12.0, "m")]),
        ("the 4th of 3", [(3.0, "")]),
    ],
)
def test_the_quantities_of_a_text_have_units(text: str, amounts: list[tuple[float, str]]) -> None:
    assert [(quantity.value, quantity.unit) for quantity in quantities(text)] == amounts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("may 4, 1950", [(1950, 5, 4)]),
        ("on the 4th of may", [(None, 5, 4)]),
        ("31/12/1999 or 1999-12-31", [(1999, 12, 31), (1999, 12, 31)]),
        ("may 4 and 5", [(None, 5, 4), (None, 5, 5)]),
        ("sept 1950, 1951", [(1950, 9, None), (1951, None, None)]),
        ("2000 people", []),
    ],
)
def test_the_dates_of_a_text_may_be_partial(
    text: str, parts: list[tuple[int | None, int | None, int | None]]
) -> None:
    assert [(date.year, date.month, date.day) for date in dates(text)] == parts
