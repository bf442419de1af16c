"""For what share of real questions some candidate of the semantic parser is the annotated program.

The folder of the data has programs.jsonl, a program written by hand for each question, and the
questions in questions_validation.jsonl and questions_more.jsonl. Only programs count whose result
answers the question.

Candidates are generated over a KG that knows only the names of the annotated program and the keys
that it reads, beside some other common keys, and are not executed; a candidate covers the question
if it has the same normal form. So this measures wording, not links: names are easier to find than
over the full KG, and a program that is right in another way counts as not covered.

The rules of the parser may be extended from the failures of one half (`dev`, which --list prints).
Those of the other half are never shown.
"""

import hashlib
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import Data, command, existing, show
from benchmarks._program_form import ProgramForms
from benchmarks._program_names import NamesOfProgram
from models.batch_input import read_query_time
from models.kg.english.names import NameFinder
from models.kg.english.question import QuestionText
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.lexicon import Lexicon, lexicon
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.generator import CandidateGenerator
from models.kg.parsing.parser import MAX_CHARS
from models.kg.parsing.spans import Spans
from training.records import AnnotatedProgram, read_rows
from utils.deadline import Deadline
from utils.errors import CragError, InputError

DEV = "dev"
HELD_OUT = "held out"
_ALL = "all"
_DEV_TENTHS = 6  # of the questions
_FULL = "full"  # the kind of programs whose result answers the question
_QUESTIONS = ("questions_validation.jsonl", "questions_more.jsonl")
_MOST_SHOWN = 4  # candidates
_SECONDS = 60.0  # for a question


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question of the data."""

    interaction_id: str
    query: str
    query_time: str
    domain: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A question's annotated program beside the parser's candidates.

    Attributes:
        covered: whether one of the candidates has the normal form of the program.
    """

    question: QuestionRow
    program: str
    candidates: tuple[Candidate, ...]
    covered: bool

    @property
    def half(self) -> str:
        return half_of(self.question.interaction_id)

    def text(self) -> str:
        """The question, the annotated program, and the best candidates with their composers."""
        question = self.question
        lines = [f"{question.domain}, {question.query_time}: {question.query}", self.program]
        for candidate in self.candidates[:_MOST_SHOWN]:
            composer = type(candidate.composer).__name__
            lines.append(f"{composer}: {to_text(candidate.program)}")
        return "\n    ".join(lines)


def half_of(interaction_id: str) -> str:
    """The half that a question belongs to, by its id alone."""
    number = int(hashlib.sha256(interaction_id.encode()).hexdigest(), 16)
    return DEV if number % 10 < _DEV_TENTHS else HELD_OUT


def outcome_of(question: QuestionRow, program_text: str, words: Lexicon) -> Outcome:
    """The candidates of a question, and whether one of them is the annotated program.

    A program that is not understood, or has no normal form, is not covered.
    """
    now = read_query_time(question.query_time)
    try:
        program = parse(program_text).program
    except CragError:
        return Outcome(question, program_text, (), covered=False)
    if now is None or len(question.query) > MAX_CHARS:
        return Outcome(question, program_text, (), covered=False)
    names = NamesOfProgram(program)
    spans = Spans(
        QuestionText.of(question.query, now), words, NameFinder(names, Deadline.after(_SECONDS))
    )
    candidates = CandidateGenerator(spans, Coverage(spans)).candidates()
    forms = ProgramForms(now, names)
    form = forms.form_of(program)
    covered = form is not None and any(form in forms.forms_of(each) for each in candidates)
    return Outcome(question, program_text, tuple(candidates), covered)


def table_rows(outcomes: Sequence[Outcome], halves: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """A row for each domain and one for all: the questions and the share that is covered, in each
    half and in both."""
    counts: defaultdict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for outcome in outcomes:
        for domain in (outcome.question.domain, _ALL):
            for half in (outcome.half, _ALL):
                counts[domain, half][outcome.covered] += 1
    domains = sorted({outcome.question.domain for outcome in outcomes})
    for domain in (*domains, _ALL):
        cells: list[object] = [domain]
        for half in halves:
            by_outcome = counts[domain, half]
            cells.append(by_outcome.total())
            cells.append(f"{by_outcome[True] / max(1, by_outcome.total()):.1%}")
        yield tuple(cells)


def _rows_of_data(data: Path) -> Iterator[tuple[QuestionRow, str]]:
    """The questions with a program whose result answers them, and that program."""
    questions: dict[str, QuestionRow] = {}
    for name in _QUESTIONS:
        for question in read_rows(existing(data / name), QuestionRow):
            questions[question.interaction_id] = question
    for row in read_rows(existing(data / "programs.jsonl"), AnnotatedProgram):
        if row.kind == _FULL and row.interaction_id in questions:
            yield questions[row.interaction_id], row.program


@command
def main(
    data: Data,
    show_failures: Annotated[
        bool, typer.Option("--list", help="print the questions of dev that are not covered")
    ] = False,
    only_held_out: Annotated[
        bool, typer.Option("--held-out", help="measure the held-out half only")
    ] = False,
) -> None:
    if show_failures and only_held_out:
        raise InputError("the held-out questions are never listed: leave out --list or --held-out")
    halves = (HELD_OUT,) if only_held_out else (DEV, HELD_OUT, _ALL)
    words = lexicon()
    outcomes: list[Outcome] = []
    for question, program in _rows_of_data(data):
        if not only_held_out or half_of(question.interaction_id) == HELD_OUT:
            outcomes.append(outcome_of(question, program, words))
    if show_failures:
        for outcome in outcomes:
            if outcome.half == DEV and not outcome.covered:
                print(outcome.text())
    names = ["domain"]
    for half in halves:
        names += [half, "covered"]
    show("questions with an annotated program", names, table_rows(outcomes, halves))


if __name__ == "__main__":
    sys.exit(main())
