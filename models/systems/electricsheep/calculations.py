"""Expressions that an LLM wrote, with their values, as a prompt shows them (electricsheep §4.3)."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from models.calculator import CalculationError, Value, agreed, evaluate
from models.llm.protocol import Completion

_FENCE = re.compile(r"^```(?:python|py)?\s*\n?|\n?```$", re.I)
_PRINT = re.compile(r"^print\((.*)\)$", re.S)
_PLACES = 6
_NONE = "none"  # what is written where nothing has to be calculated


def calculations(completion: Completion) -> list[str]:
    """A line an expression that has a value, those first that more samples wrote.

    The last line says on what value most samples agree, where they do. What is no calculation (a
    lone number, nothing at all) and what is refused is left out.
    """
    written = [expression_in(s.text) for s in completion.samples if s.finished]
    lines = Counter(f"{expression} = {value}" for expression, value in _worked_out(written))
    found = [line for line, _ in lines.most_common()]
    common = agreed(written) if len(found) > 1 else None
    return [*found, f"most calculations give {value_text(common)}"] if common is not None else found


def expression_in(text: str) -> str:
    """The expression in what a model wrote, less fences and `print`; "none" is no expression."""
    bare = _FENCE.sub("", text.strip()).strip().strip("`").strip()
    return "" if bare.strip("\"'.").lower() == _NONE else _PRINT.sub(r"\1", bare).strip()


def _worked_out(expressions: list[str]) -> Iterator[tuple[str, str]]:
    for expression in expressions:
        try:
            value = evaluate(expression)
        except CalculationError:
            continue
        if not _is_literal(expression):
            yield " ".join(expression.split()), value_text(value)


def _is_literal(expression: str) -> bool:
    """Whether a checked expression is a lone number or text."""
    node = ast.parse(expression, mode="eval").body
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def value_text(value: Value) -> str:
    """A value as a reader expects it."""
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{round(value, _PLACES):.15g}"
    return value.isoformat() if isinstance(value, date) else str(value)
