"""The operations on rows that the query language has: comparisons and aggregations."""

from enum import StrEnum


class Op(StrEnum):
    """The operator of a condition; `ge` and `le` include the bound, `gt` and `lt` do not."""

    EQ = "eq"
    NE = "neq"
    GE = "ge"
    LE = "le"
    GT = "gt"
    LT = "lt"


class Reduce(StrEnum):
    """An aggregation of many values to one."""

    LEN = "len"
    AVG = "AVG"
    SUM = "SUM"
    MIN = "MIN"
    MAX = "MAX"
