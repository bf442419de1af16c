"""Writes a program as text in its canonical form."""

from collections.abc import Sequence

from models.kg.language.ast import (
    Calculation,
    Column,
    Condition,
    FunctionCall,
    InvalidStatement,
    NameList,
    Nothing,
    Program,
    Query,
    Scalar,
    Sort,
    Star,
    Statement,
    Take,
)
from models.kg.language.grammar import escaped, is_bare
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Reduce


def to_text(program: Program) -> str:
    """The text that `parse` reads as this program.

    >>> from models.kg.language.parse import parse
    >>> to_text(parse("Get_Movie('salt')[title]").program)
    'get_movie("salt")["title"]'
    """
    return "; ".join(map(_statement_text, program.statements))


def _statement_text(statement: Statement) -> str:
    match statement:
        case InvalidStatement():
            return statement.text
        case Nothing():
            return "None"
        case Query():
            return _query_text(statement)


def _query_text(query: Query) -> str:
    if isinstance(query.source, Calculation):
        return _calculation_text(query.source)
    parts = [_prefix_text(query)]
    if isinstance(query.source, FunctionCall):
        parts.append(_function_call_text(query.source))
    else:
        parts.append(_sort_text(query.source))
    if query.key is not None:
        parts.append(f"[{quoted(query.key)}]")
    parts.append(_slice_text(query))
    if query.reduce is Reduce.LEN:
        parts.append('["len"]')
    return "".join(parts)


def _prefix_text(query: Query) -> str:
    """What stands before a query, if anything: an aggregation, `DISTINCT` or `ALL`."""
    if query.distinct:
        return "DISTINCT " if query.reduce in (None, Reduce.LEN) else f"{query.reduce} DISTINCT "
    if query.reduce is None:
        return "ALL " if query.take.count is None else ""
    if query.reduce is Reduce.LEN:
        return ""
    return f"{query.reduce} "


def _slice_text(query: Query) -> str:
    """The slice after a query; empty for the default."""
    take = query.take
    uses_all_rows = query.distinct or query.reduce is not None
    if take.count is None or (take == Take() and not uses_all_rows):
        return ""
    start = take.start or ""
    return f"[{start}:{take.start + take.count}]"


def _function_call_text(call: FunctionCall) -> str:
    arguments = [_value_text(argument) for argument in call.arguments]
    required = functions().minimum_argument_count(call.function)
    arguments += ["None"] * (required - len(arguments))
    if call.where:
        arguments.append(_conditions_text(call.where))
    return f"{call.function}({', '.join(arguments)})"


def _calculation_text(calculation: Calculation) -> str:
    operands = [_value_text(calculation.left), _value_text(calculation.right)]
    return f"{calculation.op}({', '.join(operands)})"


def _sort_text(sort: Sort) -> str:
    direction = "-" if sort.descending else ""
    return f"sort({_conditions_text(sort.where)}, {direction}{_bare_or_quoted_key(sort.key)})"


def _conditions_text(conditions: Sequence[Condition]) -> str:
    if not conditions:
        return "None"
    if len(conditions) == 1:
        return _condition_text(conditions[0])
    return f"[{', '.join(map(_condition_text, conditions))}]"


def _condition_text(condition: Condition) -> str:
    return f"{condition.op}({_bare_or_quoted_key(condition.key)}, {_value_text(condition.value)})"


def _bare_or_quoted_key(key: str) -> str:
    return key if is_bare(key) else quoted(key)


def _value_text(value: Scalar | Star | Column | NameList | Query) -> str:
    match value:
        case Query():
            return _query_text(value)
        case Star():
            return "*"
        case Column():
            return _bare_or_quoted_key(value.key)
        case NameList():
            return f"[{', '.join(map(quoted, value.items))}]"
        case str():
            return quoted(value)
        case bool():
            return "true" if value else "false"
        case _:
            return repr(value)  # None as in the language; a float with all digits


def quoted(text: str) -> str:
    """`text` in quotes, with characters escaped that would end it early."""
    return f'"{escaped(text)}"'
