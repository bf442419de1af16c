"""The one door to the KG: programs of the query language are parsed, checked, planned and executed.

`run` executes a program, `run_many` several ones as a single plan, so that each call is made once;
`explain` prints the plan. Nothing of a KG's records can break them: a record that cannot be read is
an error of the statement that asked for it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from models.kg.execution.execute import execute
from models.kg.execution.explain import plan_text
from models.kg.execution.outcome import Outcome
from models.kg.execution.plan import Plan, make_plan
from models.kg.language.ast import Program, Query, Statement
from models.kg.language.check import check
from models.kg.language.parse import ParsedProgram, parse
from models.kg.wording.sentences import with_sentences
from models.kg.wording.value_text import first_names
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import CragError


class StatedOutcome(NamedTuple):
    """The outcome of a statement, with its sentence."""

    outcome: Outcome
    sentence: str


@dataclass(frozen=True)
class ProgramResult:
    """The outcome of each statement of a program, in order.

    Attributes:
        repairs: those made in the program's text, a sentence each.
    """

    program: Program
    outcomes: tuple[Outcome, ...]
    repairs: tuple[str, ...] = ()

    @cached_property
    def _stated(self) -> list[StatedOutcome]:
        pairs = with_sentences(self.program.statements, self.outcomes)
        return [StatedOutcome(outcome, text) for outcome, text in pairs]

    @property
    def sentences(self) -> list[str]:
        """A short English sentence per statement, for a reader or a prompt; statements that only
        fetch rows for the next one have none."""
        return [stated.sentence for stated in self._stated]

    @property
    def evidence(self) -> list[StatedOutcome]:
        """The outcomes that have a sentence, each with it, those that inform first.

        Where an absence is sure, the sentence says so, so that a reader can see a false premise."""
        stated = []
        for outcome, text in self._stated:
            if outcome.shows_absence:
                names = first_names(outcome.entities)
                text = f"{text} It has {names} and is complete for this: there is none."
            stated.append(StatedOutcome(outcome, text))
        return informing_first(stated)

    @property
    def answering(self) -> tuple[Outcome, ...]:
        """The outcomes of the statements that do not only feed others; all if each does."""
        answering = []
        for statement, outcome in zip(self.program.statements, self.outcomes, strict=True):
            if _reads_values(statement):
                answering.append(outcome)
        return tuple(answering) or self.outcomes

    @property
    def values(self) -> tuple[str, ...]:
        """The values of each answering statement, as JSON."""
        return tuple(
            json.dumps(outcome.values, sort_keys=True, default=str) for outcome in self.answering
        )

    @property
    def informs(self) -> bool:
        """Whether one of its statements has values, or an entity's summary."""
        return any(outcome.informs for outcome in self.outcomes)

    @property
    def shows_absence(self) -> bool:
        """Whether one of its statements surely has no value."""
        return any(outcome.shows_absence for outcome in self.outcomes)

    @property
    def known(self) -> list[str]:
        """All sentences if one of them states a fact or an absence that is sure, else none.

        Unknown values are mentioned in them, so that a comparison that lacks one side is
        recognisable.
        """
        if not self.informs and not self.shows_absence:
            return []
        return [stated.sentence for stated in self.evidence]

    @property
    def errors(self) -> list[CragError]:
        """Failed and late calls; with any, the result may be incomplete."""
        return list(chain.from_iterable(outcome.errors for outcome in self.outcomes))


def _reads_values(statement: Statement) -> bool:
    """Whether a statement reads a key or reduces values, and does not only feed others."""
    if not isinstance(statement, Query):
        return False
    return bool(statement.key) or statement.reduce is not None


def informing_first(stated: Sequence[StatedOutcome]) -> list[StatedOutcome]:
    """Outcomes with their sentences; those that only say what is unknown come last."""
    return sorted(stated, key=lambda each: not each.outcome.informs)


def run(
    program: Program | str, client: KgClient, now: datetime | None, deadline: Deadline
) -> ProgramResult:
    """Execute `program` relative to `now`, the time of the question.

    A text is parsed leniently: common mistakes of models are repaired
    (`language/program_reader.py`).

    Raises:
        QuerySyntaxError: the text is not a program.
    """
    parsed = _parsed(program)
    outcomes = execute(_plan_of(parsed.program), client, now, deadline)
    return ProgramResult(parsed.program, outcomes, parsed.repairs)


def run_many(
    programs: Sequence[Program], client: KgClient, now: datetime | None, deadline: Deadline
) -> list[ProgramResult]:
    """The result of each program; all run as one, so that their calls are made in parallel."""
    distinct = list(dict.fromkeys(programs))
    if not distinct:
        return []
    statements: list[Statement] = []
    for program in distinct:
        statements += program.statements
    outcomes = iter(execute(_plan_of(Program(tuple(statements))), client, now, deadline))
    results = {}
    for program in distinct:
        program_outcomes = tuple(islice(outcomes, len(program.statements)))
        results[program] = ProgramResult(program, program_outcomes)
    return [results[program] for program in programs]


def explain(program: Program | str) -> str:
    """The plan that `run` executes, as text.

    >>> print(explain('get_open("loviisa plant")["town"]'))
    program
      1. step 1
    step 1: read town of the first 1
      get_open('loviisa plant'), open
        POST /open/search_entity_by_name
        POST /open/get_entity

    Raises:
        QuerySyntaxError: a text is not a program.
    """
    return plan_text(_plan_of(_parsed(program).program))


def _parsed(program: Program | str) -> ParsedProgram:
    return parse(program) if isinstance(program, str) else ParsedProgram(program)


def _plan_of(program: Program) -> Plan:
    return make_plan(program, check(program))
