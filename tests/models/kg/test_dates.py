"""Phrases of time, resolved from the question's own day."""

from datetime import date

import pytest

from models.kg.dates import find_day

WEDNESDAY = date(2024, 2, 28)
KNOWN = [date(2024, 2, day) for day in (20, 21, 22, 23, 26, 27, 28)]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("the close yesterday", date(2024, 2, 27)),
        ("yesterday's volume", date(2024, 2, 27)),
        ("what did it open at today?", WEDNESDAY),
        ("on the last trading day", date(2024, 2, 27)),
        ("for the most recent market session", date(2024, 2, 27)),
        ("last friday", date(2024, 2, 23)),
        ("on the previous Thursday", date(2024, 2, 22)),
        ("on 2024-02-20", date(2024, 2, 20)),
        ("on February 21, 2024", date(2024, 2, 21)),
        ("on feb. 22nd 2024", date(2024, 2, 22)),
        ("23rd of February 2024", date(2024, 2, 23)),
        ("2/26/2024", date(2024, 2, 26)),
    ],
)
def test_a_phrase_means_one_day(text: str, day: date) -> None:
    when = find_day(text, WEDNESDAY)
    assert when is not None
    assert when.pick(KNOWN) == day


@pytest.mark.parametrize(
    "text",
    [
        "no time at all",
        "last monday",
        "2024-02-31",
        "99/99/2024",
        "in 2024",
        "last week",
        "may",
        "the day before yesterday",
        "the day after february 21, 2024",
        "between february 20, 2024 and february 22, 2024",
        "the week of february 20, 2024",
        "not yesterday",
    ],
)
def test_what_means_no_day_or_more_than_one_is_none(text: str) -> None:
    assert find_day(text, WEDNESDAY) is None


def test_a_day_that_is_not_known_is_not_picked() -> None:
    when = find_day("on 2024-02-24", WEDNESDAY)
    assert when is not None
    assert when.pick(KNOWN) is None
    assert when.pick([]) is None


def test_the_last_trading_day_is_never_long_ago() -> None:
    when = find_day("the last trading day", date(2024, 3, 10))
    assert when is not None
    assert when.pick([date(2024, 2, 28)]) is None
    assert when.pick([date(2024, 2, 28), date(2024, 3, 8)]) == date(2024, 3, 8)


def test_the_phrase_can_be_cut_out() -> None:
    text = "the close of acme on the last trading day?"
    when = find_day(text, WEDNESDAY)
    assert when is not None
    assert text[: when.start] + text[when.end :] == "the close of acme ?"
