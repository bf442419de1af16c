"""How what a candidate's statements give becomes a short answer. Each composer is data, and gives
None where the outcomes settle nothing. A new one is a frozen dataclass with `__call__`."""

from models.kg.semparse.answers.compared import Difference, Equal, Measure, Most
from models.kg.semparse.answers.truth import Clash, Exists, Has, Invalid, Is, Itself, Than
from models.kg.semparse.answers.values import (
    Added,
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
    "Added", "Age", "Clash", "Common", "Composer", "Count", "Difference", "Equal", "Exists", "Has",
    "Invalid", "Is", "Itself", "Measure", "Most", "Than", "Total", "Values", "Winner", "compose",
]  # fmt: skip
