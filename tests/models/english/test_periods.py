"""Phrases of time, seen from a Wednesday, a Monday and a holiday."""

from datetime import date, datetime
from pathlib import Path

import pytest

from models.english.periods import EXAMPLES, PeriodError, resolve
from tests.models.kg.cases import cases

CLOCKS = {
    "wednesday": datetime(2024, 2, 28, 8, 0),
    "monday": datetime(2024, 3, 4, 8, 0),
    "holiday": datetime(2024, 2, 19, 8, 0),
}
CASES = cases(Path(__file__).parent / "periods.jsonl", "phrase")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("clock", CLOCKS)
def test_a_phrase_means_these_days(case: dict[str, str], clock: str) -> None:
    period = resolve(case["phrase"], CLOCKS[clock])
    days = dict.fromkeys((period.first.isoformat(), period.last.isoformat()))
    assert (period.edge or " ".join(days)) == case[clock]


@pytest.mark.parametrize(
    ("phrase", "days"),
    [
        ("last week", "2024-03-10 2024-03-16"),
        ("this week", "2024-03-17 2024-03-23"),
        ("next week", "2024-03-24 2024-03-30"),
        ("last friday", "2024-03-15 2024-03-15"),
        ("this friday", "2024-03-22 2024-03-22"),
        ("last sunday", "2024-03-10 2024-03-10"),
        ("this sunday", "2024-03-17 2024-03-17"),
        ("next sunday", "2024-03-24 2024-03-24"),
        ("last weekend", "2024-03-09 2024-03-10"),
    ],
)
def test_on_a_sunday_a_week_begins(phrase: str, days: str) -> None:
    period = resolve(phrase, datetime(2024, 3, 17, 8, 0))
    assert f"{period.first} {period.last}" == days


def test_every_suggested_phrase_has_a_case() -> None:
    assert set(EXAMPLES) <= {case.values[0]["phrase"] for case in CASES}


@pytest.mark.parametrize(
    ("phrase", "error"),
    [
        ("", "is no time that is understood"),
        ("soon", "is no time that is understood"),
        ("x" * 200, "is no time that is understood"),
        ("2024-02-31", "cannot be read as a date"),
        ("february 30", "cannot be read as a date"),
        ("since the latest", "cannot be read as a date"),
        ("last 2000 days", "at most 1,000 days can be counted"),
        ("2024-02-02 to 2024-02-01", "ends before it begins"),
        ("last tradin day", 'try "last trading day"'),
    ],
)
def test_a_phrase_that_is_not_understood_is_an_error(phrase: str, error: str) -> None:
    with pytest.raises(PeriodError, match=error):
        resolve(phrase, CLOCKS["wednesday"])


def test_a_relative_phrase_needs_the_time_of_the_question() -> None:
    with pytest.raises(PeriodError, match="time of the question"):
        resolve("yesterday", None)
    assert resolve("2024-01-05", None).first == date(2024, 1, 5)
