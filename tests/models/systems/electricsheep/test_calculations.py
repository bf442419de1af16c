"""Expressions that a model wrote, as the lines of a prompt."""

from dataclasses import replace

import pytest

from models.llm.protocol import Completion, FinishReason
from models.systems.electricsheep.calculations import calculations
from tests.models.systems.scripted import completion


@pytest.mark.parametrize(
    ("samples", "lines"),
    [
        (["1 + 2"], ["1 + 2 = 3"]),
        (["1 + 2", "1 +  2", "5 - 1"], ["1 + 2 = 3", "5 - 1 = 4", "most calculations give 3"]),
        (
            ["5 - 1", "1 + 2", "3 * 1"],
            ["5 - 1 = 4", "1 + 2 = 3", "3 * 1 = 3", "most calculations give 3"],
        ),
        (["5 - 1", "1 + 2"], ["5 - 1 = 4", "1 + 2 = 3"]),
        (["```python\n10 / 4\n```", "print(2 * 3)"], ["10 / 4 = 2.5", "2 * 3 = 6"]),
        (["`10 / 3`", "3 > 2"], ["10 / 3 = 3.333333", "3 > 2 = yes"]),
        (["sorted([2, 1.5])"], ["sorted([2, 1.5]) = 1.5, 2"]),
        (["date('2024-02-28') + 2"], ["date('2024-02-28') + 2 = 2024-03-01"]),
        (["", "  ", "42", "-4.50", "'Oslo'", "None.", "`none`"], []),  # nothing to calculate
        (["__import__('os').system('true')", "9 ** 9 ** 9", "x + 1", "the answer is 12"], []),
    ],
)
def test_finished_samples_become_lines_with_their_values(
    samples: list[str], lines: list[str]
) -> None:
    finished = completion(*samples)
    late = Completion("1 + 1", FinishReason.DEADLINE, 3)
    with_late_one = replace(finished, others=(*finished.others, late))
    assert calculations(with_late_one) == lines
