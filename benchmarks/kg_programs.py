"""What share of programs of the KG language gives the expected values over the real KG.

The folder of the data has kg/ and kg_questions_validation.jsonl. `benchmarks/kg_programs.jsonl` has
a program per line, written by hand for a question (only its id is kept) or for a fact of the KG,
and the values that each statement must give; null accepts any.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._command import Data, command, existing, show
from mock_api.local import LocalClient
from models.batch_input import read_query_time
from models.english.quantities import as_number
from models.kg.run import ProgramResult, run
from training.parser_weights import KgQuestion
from training.records import read_rows
from utils.deadline import Deadline
from utils.text import words

PROGRAMS = Path(__file__).with_suffix(".jsonl")
_ROUNDED = 0.005  # gold answers are rounded to cents
_SIGNS = 'sort( * DISTINCT MODE contains( AVG SUM MIN MAX "len" eq( ge( le( gt( lt('.split()


@dataclass(frozen=True, slots=True)
class ProgramRow:
    """A row of `kg_programs.jsonl`.

    Attributes:
        question: the id of the question that it answers; None for a fact of the KG.
        values: that each statement must give; None: any.
        now: the time of the question, where none is named.
    """

    question: str | None
    program: str
    values: tuple[tuple[Any, ...] | None, ...]
    now: str | None = None


def is_same(value: Any, expected: Any) -> bool:
    """Whether two values are equal: whole numbers exactly, others within half a cent or half a
    percent, texts by their words."""
    number = as_number(value)
    expected_number = as_number(expected)
    if number is None or expected_number is None:
        return words(str(value)) == words(str(expected))
    if number.is_integer() and expected_number.is_integer():
        return number == expected_number
    tolerance = max(_ROUNDED, _ROUNDED * abs(expected_number)) + 1e-9
    return abs(number - expected_number) <= tolerance


def gives(result: ProgramResult, expected: Sequence[Sequence[Any] | None]) -> bool:
    """Whether each statement gives the values that it must, in any order."""
    for outcome, values in zip(result.outcomes, expected, strict=True):
        if values is not None and not _are_same(outcome.values, values):
            return False
    return True


def _are_same(values: Sequence[Any], expected: Sequence[Any]) -> bool:
    unmatched = list(expected)
    for value in values:
        match = next((other for other in unmatched if is_same(value, other)), None)
        if match is None:
            return False
        unmatched.remove(match)
    return not unmatched


def groups(program: str, domain: str) -> tuple[str, ...]:
    """The rows of the table that a program counts in; "one lookup": it only looks one key up."""
    simple = not any(sign in program for sign in _SIGNS) and program.count("get_") == 1
    return "all", domain, "one lookup" if simple else "more than one lookup"


@command
def main(data: Data) -> None:
    question_file = existing(data / "kg_questions_validation.jsonl")
    questions = {
        question.interaction_id: question for question in read_rows(question_file, KgQuestion)
    }
    counts: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    client = LocalClient(data / "kg")
    for row in read_rows(PROGRAMS, ProgramRow):
        question = questions.get(row.question or "")
        domain = "no question" if question is None else question.domain
        query_time = row.now if question is None or row.now else question.query_time
        result = run(row.program, client, read_query_time(query_time), Deadline.after(30))
        right = gives(result, row.values)
        for group in groups(row.program, domain):
            counts[group][right] += 1
        if not right:
            print(row.program, *result.sentences, sep="\n    ")
    show(
        "programs of the KG language",
        ("group", "programs", "as expected"),
        [
            (group, by_outcome.total(), f"{by_outcome[True] / by_outcome.total():.1%}")
            for group, by_outcome in counts.items()
        ],
    )


if __name__ == "__main__":
    sys.exit(main())
