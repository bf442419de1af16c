"""Arithmetic that a model wrote, worked out without running it: electricsheep §4.3, its open point.

The text is parsed by Python's own parser and never compiled. What may stand in an expression is the
short list below; the tree is checked as a whole, before anything is computed, and every value on
the way is bounded, so that no expression takes long or much memory.

    (102.5 - 98) / 98 * 100            round(mean([12, 15, 19]), 1)
    "first" if 3.2 > 2.9 else "second"     date("2024-03-10") - date("2024-02-01")

Dates: `date("2024-02-01")` or `date(2024, 2, 1)`; their difference is a number of days, and days
may be added to one. Lists are literals, and may be indexed by a number.
"""

import ast
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from models.subtasks.calculate_values import (
    FUNCTIONS,
    KEYWORDS,
    MAX_DIGITS,
    CalculationError,
    Value,
    bounded,
    number,
    power,
)

__all__ = ["MAX_DIGITS", "CalculationError", "Value", "agreed", "evaluate"]

MAX_CHARS = 1000
MAX_NODES = 200
MAX_DEPTH = 20

_ALLOWED = (
    *(ast.Constant, ast.Name, ast.List, ast.Tuple, ast.Subscript, ast.Call, ast.keyword),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Expression),
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow),
    *(ast.UAdd, ast.USub, ast.Not, ast.And, ast.Or, ast.Load),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
)
_NAMES = {"true": True, "false": False}  # as JSON and other languages write them
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_THOUSANDS = re.compile(r"(?<![\w.])\d{1,3},\d{3}(?!\d)")


def evaluate(expression: str) -> Value:
    """The value of `expression`, as Python would give it; a list comes back as a tuple.

    Raises:
        CalculationError: it is no expression, holds what is not allowed, is too large, or has no
            finite value.
    """
    tree = _parse(expression)
    _check(tree)
    try:
        return _value(tree.body)
    except (ArithmeticError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise CalculationError(f"no value: {error}") from error


def agreed(
    expressions: Sequence[str], *, share: float = 0.5, tolerance: float = 1e-3
) -> Value | None:
    """The value that more than `share` of the expressions have; None where there is no such value.

    What cannot be worked out counts against every value. A number agrees with another within
    `tolerance` of its size, since samples round differently; whole numbers only if they are equal.
    """
    values = list(_values(expressions))
    if not values:
        return None

    def votes(value: Value) -> tuple[int, int]:
        near = sum(_same(value, other, tolerance) for other in values)
        return near, sum(_same(value, other, 0.0) for other in values)

    best = max(values, key=votes)
    return best if votes(best)[0] > share * len(expressions) else None


def _values(expressions: Iterable[str]) -> Iterator[Value]:
    for expression in expressions:
        try:
            yield evaluate(expression)
        except CalculationError:
            continue


def _same(a: Value, b: Value, tolerance: float) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(lambda x, y: _same(x, y, tolerance), a, b))
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        whole = a == int(a) and b == int(b)
        return a == b if whole else math.isclose(a, b, rel_tol=max(tolerance, 1e-9))
    if isinstance(a, str) and isinstance(b, str):
        return a.strip().casefold() == b.strip().casefold()
    return a == b


def _parse(expression: str) -> ast.Expression:
    text = expression.strip()
    if not text:
        raise CalculationError("the expression is empty")
    if len(text) > MAX_CHARS:
        raise CalculationError(f"{len(text)} characters; at most {MAX_CHARS} are read")
    bare = _QUOTED.sub("''", text)
    if "\\" in text:
        raise CalculationError("a backslash is not allowed")
    if found := _THOUSANDS.search(bare):
        # Python reads 1,234 as two numbers, and nothing tells which was meant
        raise CalculationError(f"{found[0]!r} may be one number or two: write 1234, or 1, 234")
    if _nesting(bare) > MAX_DEPTH:  # before the parser, whose work may grow faster than the depth
        raise CalculationError(f"nested more than {MAX_DEPTH} deep")
    try:
        return ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CalculationError(f"not an expression: {error}") from error


def _nesting(text: str) -> int:
    depth = deepest = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        deepest = max(deepest, depth)
    return deepest


def _check(tree: ast.Expression) -> None:
    """Refuse what is not on the list, wherever it stands, and what is too large."""
    nodes = 0
    waiting: list[tuple[ast.AST, int]] = [(tree, -1)]
    while waiting:
        node, depth = waiting.pop()
        nodes += isinstance(node, ast.expr)
        if nodes > MAX_NODES or depth > MAX_DEPTH:
            raise CalculationError(f"more than {MAX_NODES} parts, or nested over {MAX_DEPTH} deep")
        if not isinstance(node, _ALLOWED):
            raise CalculationError(f"{type(node).__name__} is not allowed")
        if isinstance(node, ast.Call):
            _check_call(node)
            parts: list[ast.AST] = [*node.args, *(word.value for word in node.keywords)]
        elif isinstance(node, ast.Name) and node.id not in _NAMES:
            raise CalculationError(f"{node.id!r} is not a known name")
        else:
            parts = list(ast.iter_child_nodes(node))
        waiting.extend((part, depth + 1) for part in parts)


def _check_call(node: ast.Call) -> None:
    if not isinstance(node.func, ast.Name):
        raise CalculationError("only a function's name may be called")
    name = node.func.id
    if name not in FUNCTIONS:
        raise CalculationError(f"{name!r} is not a known function: {', '.join(FUNCTIONS)}")
    for keyword in node.keywords:
        if (name, keyword.arg) not in KEYWORDS:
            raise CalculationError(f"{name} takes no argument named {keyword.arg!r}")


def _value(node: ast.expr) -> Value:
    """The value of a checked node."""
    match node:
        case ast.Constant(value=value):
            return bounded(value)
        case ast.Name(id=name):
            return _NAMES[name]
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return tuple(map(_value, parts))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not _value(operand)
        case ast.UnaryOp(op=op, operand=operand):
            signed = number(_value(operand))
            return -signed if isinstance(op, ast.USub) else +signed
        case ast.BinOp(left=left, op=op, right=right):
            return bounded(_arithmetic(type(op), _value(left), _value(right)))
        case ast.Compare(left=left, ops=ops, comparators=rights):
            return _compare(_value(left), ops, rights)
        case ast.BoolOp(op=op, values=parts):
            return _junction(isinstance(op, ast.And), parts)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _value(body if _value(test) else orelse)
        case ast.Subscript(value=of, slice=index):
            return _item(_value(of), _value(index))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            named = {word.arg or "": _value(word.value) for word in keywords}
            return bounded(FUNCTIONS[name](*map(_value, args), **named))
    raise CalculationError(f"{type(node).__name__} is not allowed")


def _arithmetic(op: type[ast.operator], left: Value, right: Value) -> Any:
    if isinstance(left, date):
        return _shifted(op, left, right)
    a, b = number(left), number(right)
    if op is ast.Pow:
        return power(a, b)
    return _OPERATORS[op](a, b)


def _shifted(op: type[ast.operator], day: date, right: Value) -> Any:
    """The days between two dates, or the date some days away."""
    if op is ast.Sub and isinstance(right, date):
        return (day - right).days
    if op in (ast.Add, ast.Sub):
        days = timedelta(days=number(right))
        return day + days if op is ast.Add else day - days
    raise CalculationError("a date can only be subtracted, or moved by days")


def _compare(left: Any, ops: list[ast.cmpop], rights: list[ast.expr]) -> bool:
    for op, node in zip(ops, rights, strict=True):
        right: Any = _value(node)
        if not _COMPARISONS[type(op)](left, right):
            return False
        left = right
    return True


def _junction(all_of: bool, parts: list[ast.expr]) -> Value:
    value: Value = all_of
    for part in parts:
        value = _value(part)
        if bool(value) is not all_of:
            break
    return value


def _item(of: Value, index: Value) -> Value:
    if not isinstance(of, tuple) or not isinstance(index, int):
        raise CalculationError("only a list may be indexed, and only by a number")
    return of[index]


_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
