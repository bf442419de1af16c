"""The operations of the query language: comparisons, aggregations and arithmetic."""

from enum import StrEnum


class Op(StrEnum):
    """The operator of a condition; `ge` and `le` include the bound, `gt` and `lt` do not.

    `contains` tests whether a text has these words, one after the other.
    """

    EQ = "eq"
    NE = "neq"
    GE = "ge"
    LE = "le"
    GT = "gt"
    LT = "lt"
    CONTAINS = "contains"


class Reduce(StrEnum):
    """An aggregation of many values to one; `MODE` keeps the most frequent ones."""

    LEN = "len"
    AVG = "AVG"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
    MODE = "MODE"


class Arithmetic(StrEnum):
    """A calculation with two values: `minus` also gives the time between two dates."""

    MINUS = "minus"
    RATIO = "ratio"
