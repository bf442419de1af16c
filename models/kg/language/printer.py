"""Writes a program as text in its canonical form."""

from models.kg.language.ast import (
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
)
from models.kg.language.grammar import is_bare
from models.kg.lexicon.named_functions import functions
from models.kg.schema.operations import Reduce

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def to_text(program: Program) -> str:
    """The text that `parse` reads as this program."""
    return "; ".join(map(_statement, program.statements))


def _statement(statement: Statement) -> str:
    if isinstance(statement, InvalidStatement):
        return statement.text
    return "None" if isinstance(statement, Nothing) else _query(statement)


def _query(query: Query) -> str:
    parts = [_call(query.source) if isinstance(query.source, FunctionCall) else _sort(query.source)]
    reduce, count = query.reduce, query.take.count
    if reduce is None and count is None:
        parts.insert(0, "ALL ")
    if reduce is not None and reduce is not Reduce.LEN:
        parts.insert(0, f"{reduce} ")
    if query.key is not None:
        parts.append(f"[{quoted(query.key)}]")
    start = query.take.start
    if count is not None and (count != 1 or start or reduce is not None):
        parts.append(f"[{start or ''}:{start + count}]")
    if reduce is Reduce.LEN:
        parts.append('["len"]')
    return "".join(parts)


def _call(call: FunctionCall) -> str:
    required = functions().written_of(call.function)
    arguments = [_value(argument) for argument in call.arguments]
    arguments += ["None"] * (required - len(arguments))
    if call.where:
        arguments.append(_where(call.where))
    return f"{call.function}({', '.join(arguments)})"


def _sort(sort: Sort) -> str:
    direction = "-" if sort.descending else ""
    return f"sort({_where(sort.where)}, {direction}{_key(sort.key)})"


def _where(where: tuple[Condition, ...]) -> str:
    if not where:
        return "None"
    written = [f"{c.op}({_key(c.key)}, {_value(c.value)})" for c in where]
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def _key(key: str) -> str:
    return key if is_bare(key) else quoted(key)


def _value(value: Scalar | Star | Column | NameList | Query) -> str:
    match value:
        case Query():
            return _query(value)
        case Star():
            return "*"
        case Column():
            return _key(value.key)
        case NameList():
            return f"[{', '.join(quoted(item) for item in value.items)}]"
        case str():
            return quoted(value)
        case bool():
            return "true" if value else "false"
        case _:
            return repr(value)  # None as in the language; a float with all digits


def quoted(text: str) -> str:
    """`text` in quotes, with characters escaped that would end it early."""
    return f'"{text.translate(_ESCAPES)}"'
