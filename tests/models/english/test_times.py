"""Time phrases in a question."""

from datetime import datetime

import pytest

from models.english.question import QuestionText
from models.english.times import find_times

NOW = datetime(2024, 3, 5, 16)


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("the close on march 1 2024", ["2024-03-01"]),
        ("films of 1999", ["1999-01-01 1999-12-31"]),
        ("higher on february 27 2024 than the day before", ["2024-02-27", "2024-02-26"]),
        ("may i ask about 30 films", []),
        (
            "between february 1 and february 2, 2024",
            ["2024-02-01 2024-02-02", "2024-02-01", "2024-02-02"],
        ),
    ],
)
def test_the_time_phrases_of_a_question_are_found(text: str, periods: list[str]) -> None:
    times = find_times(QuestionText.of(text, NOW))
    days = [(str(time.period.first), str(time.period.last)) for time in times]
    assert [" ".join(dict.fromkeys(each)) for each in days] == periods


def test_only_absolute_times_are_found_if_the_time_of_the_question_is_unknown() -> None:
    (day,) = find_times(QuestionText.of("the close on march 1 2024"))
    assert str(day.period.first) == "2024-03-01"
    assert find_times(QuestionText.of("the close yesterday")) == []
