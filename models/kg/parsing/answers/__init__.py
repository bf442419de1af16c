"""Composers: turn the outcomes of a candidate's statements into a short answer. Each is data, and
returns None if the outcomes are not sufficient. A new one is a frozen dataclass with `__call__`."""

from models.kg.parsing.answers.ages import Age
from models.kg.parsing.answers.compared import Difference, Greater, Measure, Most
from models.kg.parsing.answers.composer import Composer, compose
from models.kg.parsing.answers.honours import TimesWon
from models.kg.parsing.answers.truth import Clash, ClosedDay, Exists, FalsePremise, Is, Than
from models.kg.parsing.answers.value_lists import Common, Count, Total, Values, Winner

__all__ = [
    "Age",
    "Clash",
    "ClosedDay",
    "Common",
    "Composer",
    "Count",
    "Difference",
    "Exists",
    "FalsePremise",
    "Greater",
    "Is",
    "Measure",
    "Most",
    "Than",
    "TimesWon",
    "Total",
    "Values",
    "Winner",
    "compose",
]
