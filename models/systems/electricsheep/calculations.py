"""Expressions written by an LLM, with their values, as shown in a prompt (electricsheep §4.3)."""

import ast
import re
from collections import Counter
from datetime import date

from models.llm.protocol import Completion
from models.systems.electricsheep.calculator import CalculationError, CalculatorValue, evaluate

_FENCE = re.compile(r"^```(?:python|py)?\s*\n?|\n?```$", re.I)
_PRINT = re.compile(r"^print\((.*)\)$", re.S)
_PLACES = 6
_NONE = "none"  # the model's reply if there is nothing to calculate


def calculations(completion: Completion) -> list[str]:
    """One line per expression that has a value, the most frequent first.

    The last line states the value of more than half of the replies, if there is one. Replies that
    are no calculation (a single number, nothing at all) and rejected expressions are left out.
    """
    expressions = [expression_in(s.text) for s in completion.samples if s.finished]
    equations: Counter[str] = Counter()
    values: Counter[str] = Counter()
    for expression in expressions:
        try:
            value = value_text(evaluate(expression))
        except CalculationError:
            continue
        values[value] += 1
        text = " ".join(expression.split())
        if not _is_literal(text):
            equations[f"{text} = {value}"] += 1
    lines = [equation for equation, _ in equations.most_common()]
    if len(lines) > 1:
        most_common, count = values.most_common(1)[0]
        if count > len(expressions) / 2:
            lines.append(f"most calculations give {most_common}")
    return lines


def expression_in(text: str) -> str:
    """The expression in a model's reply, without code fences and `print`; empty for "none"."""
    bare = _FENCE.sub("", text.strip()).strip().strip("`").strip()
    if bare.strip("\"'.").lower() == _NONE:
        return ""
    return _PRINT.sub(r"\1", bare).strip()


def _is_literal(expression: str) -> bool:
    """Whether a checked expression is a single number or text."""
    node = ast.parse(expression, mode="eval").body
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant)


def value_text(value: CalculatorValue) -> str:
    """A value formatted for a reader."""
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{round(value, _PLACES):.15g}"
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
