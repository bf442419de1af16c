"""Phrases of time, seen from Wednesday 28 February 2024."""

from datetime import date, datetime

import pytest

from models.kg.periods import PeriodError, is_trading_day, resolve

NOW = datetime(2024, 2, 28, 8, 0)


@pytest.mark.parametrize(
    ("phrase", "first", "last"),
    [
        ("2024-02-09", "2024-02-09", None),
        ("2024-02-26 to 2024-03-03", "2024-02-26", "2024-03-03"),
        ("February 9, 2024", "2024-02-09", None),
        ("9th of feb 2024", "2024-02-09", None),
        ("2/9/2024", "2024-02-09", None),
        ("february 9", "2024-02-09", None),
        ("december 24", "2023-12-24", None),
        ("today", "2024-02-28", None),
        ("yesterday's", "2024-02-27", None),
        ("the previous day", "2024-02-27", None),
        ("3 days ago", "2024-02-25", None),
        ("on the last trading day", "2024-02-27", None),
        ("recent trading day", "2024-02-27", None),
        ("last friday", "2024-02-23", None),
        ("last monday", "2024-02-19", None),
        ("this monday", "2024-02-26", None),
        ("monday", "2024-02-26", None),
        ("most recent friday", "2024-02-23", None),
        ("the first trading day of 2024", "2024-01-02", None),
        ("last trading day of 2023", "2023-12-29", None),
        ("the first trading day of january 2024", "2024-01-02", None),
        ("last week", "2024-02-19", "2024-02-25"),
        ("this week", "2024-02-26", "2024-03-03"),
        ("last month", "2024-01-01", "2024-01-31"),
        ("this year", "2024-01-01", "2024-12-31"),
        ("last quarter", "2023-10-01", "2023-12-31"),
        ("Q1 2024", "2024-01-01", "2024-03-31"),
        ("the 1st qtr of 2024", "2024-01-01", "2024-03-31"),
        ("fourth quarter of 2023", "2023-10-01", "2023-12-31"),
        ("first week of January 2024", "2024-01-01", "2024-01-07"),
        ("the second week of february", "2024-02-08", "2024-02-14"),
        ("last week of january 2024", "2024-01-25", "2024-01-31"),
        ("january 2024", "2024-01-01", "2024-01-31"),
        ("in november", "2023-11-01", "2023-11-30"),
        ("2023", "2023-01-01", "2023-12-31"),
        ("2024-02", "2024-02-01", "2024-02-29"),
    ],
)
def test_a_phrase_means_these_days(phrase: str, first: str, last: str | None) -> None:
    period = resolve(phrase, NOW)
    assert (period.first.isoformat(), period.last.isoformat()) == (first, last or first)


@pytest.mark.parametrize(
    "phrase", ["", "soon", "the day before yesterday", "2024-02-31", "q5 2024"]
)
def test_what_is_not_understood_is_an_error(phrase: str) -> None:
    with pytest.raises(PeriodError):
        resolve(phrase, NOW)


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
