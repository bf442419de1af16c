"""Expressions written by an LLM, with their values, as shown in a prompt (electricsheep §4.3)."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from datetime import date

from models.calculator import CalculationError, CalculatorValue, evaluate
from models.llm.protocol import Completion

_FENCE = re.compile(r"^```(?:python|py)?\s*\n?|\n?```$", re.I)
_PRINT = re.compile(r"^print\((.*)\)$", re.S)
_PLACES = 6
_NONE = "none"  # the model's reply if there is nothing to calculate


def calculations(completion: Completion) -> list[str]:
    """One line per expression that has a value, the most frequent first.

    The last line states the value of more than half of the replies, if there is one. Replies that
    are no calculation (a single number, nothing at all) and rejected expressions are left out.
    """
    written = [expression_in(s.text) for s in completion.samples if s.finished]
    results = list(_worked_out(written))
    lines = Counter(f"{text} = {value}" for text, value in results if not _is_literal(text))
    found = [line for line, _ in lines.most_common()]
    if len(found) > 1:
        ((value, votes),) = Counter(value for _, value in results).most_common(1)
        if votes > len(written) / 2:
            found.append(f"most calculations give {value}")
    return found


def expression_in(text: str) -> str:
    """The expression in a model's reply, without code fences and `print`; empty for "none"."""
    bare = _FENCE.sub("", text.strip()).strip().strip("`").strip()
    return "" if bare.strip("\"'.").lower() == _NONE else _PRINT.sub(r"\1", bare).strip()


def _worked_out(expressions: list[str]) -> Iterator[tuple[str, str]]:
    for expression in expressions:
        try:
            yield " ".join(expression.split()), value_text(evaluate(expression))
        except CalculationError:
            continue


def _is_literal(expression: str) -> bool:
    """Whether a checked expression is a single number or text."""
    node = ast.parse(expression, mode="eval").body
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def value_text(value: CalculatorValue) -> str:
    """A value formatted for a reader."""
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{round(value, _PLACES):.15g}"
    return value.isoformat() if isinstance(value, date) else str(value)
