"""What share of programs of the KG language gives the expected values over the real KG.

The folder of the data has kg/ and kg_questions_validation.jsonl. `benchmarks/kg_programs.jsonl` has
a program per line, written by hand for a question (only its id is kept) or for a fact of the KG,
and the values that each statement must give; null accepts any.

With `--programs FILE` the programs of a file of annotated questions are parsed, checked and printed
instead; none is run. What these questions need beyond the language is counted by the patterns of
`benchmarks/kg_needs.toml`.
"""

import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from benchmarks._command import command, existing, show
from mock_api.local import LocalClient
from models.batch_input import read_query_time
from models.kg.english.quantities import as_number
from models.kg.language.check import check
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.run import ProgramResult, run
from training.parser import KgQuestion
from training.records import AnnotatedProgram, read_rows
from utils.deadline import Deadline
from utils.text import words

PROGRAMS = Path(__file__).with_suffix(".jsonl")
NEEDS = Path(__file__).with_name("kg_needs.toml")
_ROUNDED = 0.005  # gold answers are rounded to cents
_SIGNS = (
    "sort(",
    "*",
    "DISTINCT",
    "MODE",
    "contains(",
    "AVG",
    "SUM",
    "MIN",
    "MAX",
    '"len"',
    "eq(",
    "ge(",
    "le(",
    "gt(",
    "lt(",
)


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


def rejection(program: str) -> str:
    """Why a program is not accepted; empty if it needs no repair and violates nothing."""
    try:
        parsed = parse(program, strict=True)
    except QuerySyntaxError as error:
        return error.message
    errors = chain.from_iterable(check(parsed.program))
    return "; ".join(map(str, errors))


def canonical_spelling(program: str) -> str:
    """A program without blanks, with counts as slices and without the `None` that the printer
    leaves out: two spellings of one program.

    >>> canonical_spelling('3 get_billboard(1, None, eq(song, "a"))["song"]')
    'get_billboard(1,eq(song,"a"))["song"][:3]'
    """
    statements = []
    for line in re.split(r"\n|; ", program):
        statement = _COUNT_BEFORE.sub(r"\2[:\1]", line.strip())
        statements.append(_OPEN_DATE.sub(r"\1, \2", statement))
    return re.sub(r"\s", "", ";".join(statements))


_COUNT_BEFORE = re.compile(r"^(\d+) (.+)$")
_OPEN_DATE = re.compile(r"(get_billboard\(\d+), None, (eq|contains)")


def is_unchanged(program: str) -> bool:
    """Whether printing the parsed program gives another spelling of it at most, and parsing that
    gives the same program."""
    parsed = parse(program).program
    printed = to_text(parsed)
    is_same_program = parse(printed, strict=True).program == parsed
    return is_same_program and canonical_spelling(printed) == canonical_spelling(program)


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


def measure_annotated(file: Path, *, lists_failures: bool) -> None:
    """Parse, check and print the programs of a file, and show the shares that pass."""
    patterns_by_need = tomllib.loads(NEEDS.read_text(encoding="utf-8"))
    needs: Counter[str] = Counter()
    rows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in read_rows(existing(file), AnnotatedProgram):
        for need, patterns in patterns_by_need.items():
            if re.search("|".join(patterns), row.needs, re.I):
                needs[need] += 1
        reason = rejection(row.program)
        changed = not reason and not is_unchanged(row.program)
        for group in ("all", row.kind):
            rows[group]["programs"] += 1
            rows[group]["accepted"] += not reason
            rows[group]["unchanged"] += not reason and not changed
        if lists_failures and (reason or changed):
            outcome = reason or f"printed as {to_text(parse(row.program).program)}"
            print(row.interaction_id, row.program, outcome, sep="\n    ")
    show(
        "annotated programs",
        ("kind", "programs", "accepted", "unchanged by printing"),
        [
            (
                group,
                counts["programs"],
                f"{counts['accepted'] / counts['programs']:.1%}",
                f"{counts['unchanged'] / counts['programs']:.1%}",
            )
            for group, counts in rows.items()
        ],
    )
    show("what they need beyond the language", ("need", "questions"), needs.most_common())


@command
def main(
    data: Annotated[
        Path | None, typer.Option(metavar="DIR", help="the folder of CRAG's files")
    ] = None,
    programs: Annotated[
        Path | None, typer.Option(metavar="FILE", help="annotated questions to parse and print")
    ] = None,
    list_failures: Annotated[
        bool, typer.Option("--list", help="list the annotated programs that fail")
    ] = False,
) -> None:
    if programs:
        measure_annotated(programs, lists_failures=list_failures)
        return
    if data is None:
        raise typer.BadParameter("give the folder of CRAG's files with --data DIR")
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
