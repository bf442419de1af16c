"""Composers: turn the outcomes of a candidate's statements into a short answer. Each is data, and
returns None if the outcomes are not sufficient. A new one is a frozen dataclass with `__call__`."""

from models.kg.semparse.answers.compared import Difference, Measure, Most
from models.kg.semparse.answers.truth import Clash, Exists, Invalid, Is, Than
from models.kg.semparse.answers.values import (
    Age,
    Common,
    Composer,
    Count,
    Total,
    Values,
    Winner,
    compose,
)

__all__ = [
    "Age", "Clash", "Common", "Composer", "Count", "Difference", "Exists",
    "Invalid", "Is", "Measure", "Most", "Than", "Total", "Values", "Winner", "compose",
]  # fmt: skip
