"""What share of programs of the KG language gives the expected values over the real KG.

The folder of the data has kg/ and kg_questions_validation.jsonl. `benchmarks/kg_programs.jsonl` has
a program per line, written by hand for a question (only its id is kept) or for a fact of the KG,
and the values that each statement must give; null accepts any.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._command import Data, command, rows_of, show
from mock_api.local import LocalClient
from models.batch import read_query_time
from models.kg.english.quantities import as_number
from models.kg.run import ProgramResult, run
from utils.deadline import Deadline
from utils.text import words

PROGRAMS = Path(__file__).with_suffix(".jsonl")
_ROUNDED = 0.005  # gold answers are rounded to cents
_SIGNS = ("sort(", "*", "AVG", "SUM", "MIN", "MAX", '"len"', "eq(", "ge(", "le(", "gt(", "lt(")


def is_same(value: Any, expected: Any) -> bool:
    """Whether two values are equal: whole numbers exactly, others within half a cent or half a
    percent, texts by their words."""
    left, right = as_number(value), as_number(expected)
    if left is not None and right is not None:
        if left.is_integer() and right.is_integer():
            return left == right
        return abs(left - right) <= max(_ROUNDED, _ROUNDED * abs(right)) + 1e-9
    return words(str(value)) == words(str(expected))


def gives(result: ProgramResult, expected: Sequence[list[Any] | None]) -> bool:
    """Whether each statement gives the values that it must, in any order."""
    return all(
        wanted is None or _are_same(outcome.values, list(wanted))
        for outcome, wanted in zip(result.outcomes, expected, strict=True)
    )


def _are_same(given: Sequence[Any], left: list[Any]) -> bool:
    for value in given:
        match = next((other for other in left if is_same(value, other)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def groups(program: str, domain: str) -> tuple[str, ...]:
    """The rows of the table that a program counts in; "one lookup": it only looks one key up."""
    simple = not any(sign in program for sign in _SIGNS) and program.count("get_") == 1
    return "all", domain, "one lookup" if simple else "more than one lookup"


@command
def main(data: Data) -> None:
    asked = rows_of(data / "kg_questions_validation.jsonl")
    questions = {row["interaction_id"]: row for row in asked}
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    client = LocalClient(data / "kg")
    for row in rows_of(PROGRAMS):
        question = questions.get(row["question"], {"domain": "no question"})
        now = read_query_time(row.get("now", question.get("query_time")))
        result = run(row["program"], client, now, Deadline.after(30))
        right = gives(result, row["values"])
        for group in groups(row["program"], question["domain"]):
            counts[group][right] += 1
        if not right:
            print(row["program"], *result.sentences, sep="\n    ")
    table = (
        (group, found.total(), f"{found[True] / found.total():.1%}")
        for group, found in counts.items()
    )
    show("programs of the KG language", ("group", "programs", "as expected"), table)


if __name__ == "__main__":
    sys.exit(main())
