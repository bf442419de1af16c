"""Calculations with two values: numbers, dates of any precision, and what has no result."""

from datetime import datetime
from typing import Any

import pytest

from models.english.periods import PeriodError
from models.kg.execution.arithmetic import calculated, date_of_phrase, time_between
from models.kg.schema.operations import Arithmetic

NOW = datetime(2024, 2, 28, 8, 0)


@pytest.mark.parametrize(
    ("op", "left", "right", "result"),
    [
        (Arithmetic.MINUS, 5, 7.5, -2.5),
        (Arithmetic.MINUS, "$1,200", "200", 1000),
        (Arithmetic.MINUS, "1.5 million", 500_000, 1_000_000),
        (Arithmetic.RATIO, 100, 8, 12.5),
        (Arithmetic.RATIO, 1, 3, 1 / 3),
        (Arithmetic.RATIO, 1, 0, None),
        (Arithmetic.RATIO, "a hundred towns", 1, None),
        (Arithmetic.MINUS, True, 1, None),
        (Arithmetic.MINUS, "1e999", 1, None),  # no float
        (Arithmetic.MINUS, "7000 (seated)", "6500 (2019)", 500),
        (Arithmetic.MINUS, "3400 m", "1200 m", 2200),
        (Arithmetic.MINUS, "3 km", "1200 m", 1.8),
        (Arithmetic.MINUS, "2600 km2", 2000, 600),
        (Arithmetic.RATIO, "90 kg", "45 kg (2001)", 2),
        (Arithmetic.MINUS, "90 kg", "45 m", None),
        (Arithmetic.MINUS, {"title": "Salt"}, 2, None),
    ],
)
def test_two_numbers_give_a_number(
    op: Arithmetic, left: Any, right: Any, result: float | None
) -> None:
    assert calculated(op, left, right) == result


@pytest.mark.parametrize(
    ("one", "other", "duration"),
    [
        ("1960-02-03", "2024-02-28", "64 years and 25 days"),
        ("2024-02-28", "1960-02-03", "64 years and 25 days"),
        ("2000-02-29", "2001-02-27", "11 months and 29 days"),
        ("2024-01-01", "2024-01-02", "1 day"),
        ("2024-01-01", "2024-01-01", "0 days"),
        ("1999", "2003", "4 years"),
        ("1999", "1999", "0 years"),
        ("1999-05", "2003-06", "4 years and 1 month"),
        ("1999-05-20", "2003-06", "about 4 years and 1 month"),
        (2016, "1974-11-11", "about 42 years"),
        ("November 11, 1974 (age 49)", "11 November 2016", "42 years"),
        ("may 1950", "1951-05", "1 year"),
        ("1999 (first)", "2003–2005", "4 years"),
        ("1999-2001", "2003", "4 years"),
        ("7000 (seated)", "6500 (2019)", None),
        ("1200 m", "3400 m", None),
        ("2600 km2", 2000, None),
        ("1850 rooms", "1999", None),
        ("15,000 (2001)", "1999", None),
        ("no date", "1999", None),
        ("2001-02-31", "1999-01-01", None),
        (None, "1999", None),
    ],
)
def test_two_dates_give_the_time_between_them(one: Any, other: Any, duration: str | None) -> None:
    assert time_between(one, other) == duration


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("today", "2024-02-28"),
        ("yesterday", "2024-02-27"),
        ("march 3 2001", "2001-03-03"),
        ("last month", "2024-01"),
        ("2016", "2016"),
        ("last year", "2023"),
    ],
)
def test_a_time_phrase_is_a_date_as_far_as_it_says(phrase: str, text: str) -> None:
    assert date_of_phrase(phrase, NOW) == text


@pytest.mark.parametrize("phrase", ["last week", "q1 2024", "latest", "soon", "last 5 days"])
def test_a_phrase_that_means_more_than_a_year_month_or_day_is_no_date(phrase: str) -> None:
    with pytest.raises(PeriodError):
        date_of_phrase(phrase, NOW)
