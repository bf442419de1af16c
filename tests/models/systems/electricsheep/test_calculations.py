"""Expressions that a model wrote, as the lines of a prompt."""

import pytest

from models.llm.protocol import Completion, FinishReason
from models.systems.electricsheep.calculations import calculations
from tests.models.systems.scripted import completion


@pytest.mark.parametrize(
    ("samples", "lines"),
    [
        (["1 + 2"], ["1 + 2 = 3"]),
        (["1 + 2", "1 +  2", "5 - 1"], ["1 + 2 = 3", "5 - 1 = 4", "most calculations give 3"]),
        (["5 - 1", "1 + 2", "3 * 1"], ["5 - 1 = 4", "1 + 2 = 3", "3 * 1 = 3",
                                        "most calculations give 3"]),
        (["5 - 1", "1 + 2"], ["5 - 1 = 4", "1 + 2 = 3"]),
        (["```python\n10 / 4\n```"], ["10 / 4 = 2.5"]),
        (["print(2 * 3)"], ["2 * 3 = 6"]),
        (["`2 * 4`"], ["2 * 4 = 8"]),
        (["10 / 3"], ["10 / 3 = 3.333333"]),
        (["3 > 2"], ["3 > 2 = yes"]),
        (["sorted([2, 1.5])"], ["sorted([2, 1.5]) = 1.5, 2"]),
        (["date('2024-02-28') + 2"], ["date('2024-02-28') + 2 = 2024-03-01"]),
        (["'Acme' if 2 > 1 else 'Bolt'"], ["'Acme' if 2 > 1 else 'Bolt' = Acme"]),
        (["", "  ", "42", "-4.50", "'Oslo'"], []),  # nothing to calculate
        (["none", "None.", "`none`"], []),
        (["__import__('os').system('true')", "9 ** 9 ** 9", "open('x')", "x + 1"], []),
        (["the answer is 12", "No expression is needed."], []),
    ],
)  # fmt: skip
def test_lines(samples: list[str], lines: list[str]) -> None:
    assert calculations(completion(*samples)) == lines


def test_what_was_cut_off_is_not_worked_out() -> None:
    assert calculations(Completion("1 + 2", FinishReason.DEADLINE, 3)) == []
