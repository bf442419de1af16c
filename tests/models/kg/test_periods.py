"""Phrases of time, seen from a Wednesday, a Monday and a holiday."""

from datetime import date, datetime
from pathlib import Path

import pytest

from models.kg.days import is_trading_day
from models.kg.periods import EXAMPLES, PeriodError, resolve
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
    found = resolve(case["phrase"], CLOCKS[clock])
    days = dict.fromkeys((found.first.isoformat(), found.last.isoformat()))
    assert (found.edge or " ".join(days)) == case[clock]


def test_every_phrase_that_is_suggested_has_a_case() -> None:
    assert set(EXAMPLES) <= {case.values[0]["phrase"] for case in CASES}


@pytest.mark.parametrize(
    "phrase",
    ["", "soon", "x" * 200, "2024-02-31", "2024-02-02 to 2024-02-01", "prior to 2018"]
    + ["since the latest", "february 30", "q1 of the latest", "5000 days ago of 2024"],
)
def test_what_is_not_understood_is_an_error(phrase: str) -> None:
    with pytest.raises(PeriodError):
        resolve(phrase, CLOCKS["wednesday"])


@pytest.mark.parametrize(
    ("phrase", "suggested"), [("q5 2024", "2024"), ("last tradin day", "last trading day")]
)
def test_an_error_suggests_a_phrase(phrase: str, suggested: str) -> None:
    with pytest.raises(PeriodError, match=f'try ".*{suggested}'):
        resolve(phrase, CLOCKS["wednesday"])


def test_what_counts_from_now_needs_a_now() -> None:
    with pytest.raises(PeriodError, match="time of the question"):
        resolve("yesterday", None)
    assert resolve("2024-01-05", None).first == date(2024, 1, 5)


@pytest.mark.parametrize(
    ("day", "is_open"),
    [("2024-02-19", False), ("2024-02-20", True), ("2024-02-24", False), ("2024-03-29", False)],
)
def test_trading_days(day: str, is_open: bool) -> None:
    assert is_trading_day(date.fromisoformat(day)) is is_open
