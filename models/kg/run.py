"""Runs a program of the query language: parse, check, plan; then execute or explain."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from models.kg.execution.execute import StatementResult, execute
from models.kg.execution.explain import plan_text
from models.kg.execution.garbage import as_garbage
from models.kg.execution.plan import Plan, make_plan
from models.kg.language.ast import Program
from models.kg.language.check import check
from models.kg.language.parser import ParsedProgram, parse
from models.kg.wording.sentences import sentence, sentences, with_sentences
from models.kg.wording.values import first_names
from utils.crag_api import KgClient
from utils.deadline import Deadline
from utils.errors import ApiGarbage, CragError


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """The outcome of each statement of a program, in order.

    Attributes:
        repairs: those made in the program's text, a sentence each.
        sentences: a short English sentence per statement, for a reader or a prompt.
    """

    program: Program
    outcomes: tuple[StatementResult, ...]
    repairs: tuple[str, ...]
    sentences: list[str]

    @property
    def answering(self) -> tuple[StatementResult, ...]:
        """The outcomes of the statements that do not only feed others; all if each does."""
        answering = tuple(outcome for outcome in self.outcomes if _reads_values(outcome))
        return answering or self.outcomes

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
    def known(self) -> list[str]:
        """All sentences if one of them states a fact or an absence that is sure, else none.

        Unknown values are mentioned in them, so that a comparison that lacks one side is
        recognisable.
        """
        if not any(outcome.informs or outcome.shows_absence for outcome in self.outcomes):
            return []
        return [text for _, text in evidence(self.outcomes)]

    @property
    def errors(self) -> list[CragError]:
        """Failed and late calls; with any, the result may be incomplete."""
        return list(chain.from_iterable(outcome.errors for outcome in self.outcomes))


def _reads_values(outcome: StatementResult) -> bool:
    """Whether the statement reads a key or reduces values, and does not only feed others."""
    key = getattr(outcome.statement, "key", None)
    reduction = getattr(outcome.statement, "reduce", None)
    return bool(key) or reduction is not None


def evidence(outcomes: Sequence[StatementResult]) -> list[tuple[StatementResult, str]]:
    """The outcomes that have a sentence, each with it, those that inform first; where an absence is
    sure, it says so, so that a reader can see a false premise."""
    pairs = []
    for outcome, text in with_sentences(outcomes):
        if outcome.shows_absence:
            names = first_names(outcome.entities)
            text = f"{text} It has {names} and is complete for this: there is none."
        pairs.append((outcome, text))
    return informing_first(pairs)


def informing_first(
    pairs: Sequence[tuple[StatementResult, str]],
) -> list[tuple[StatementResult, str]]:
    """Outcomes with their sentences; those that only say what is unknown come last."""
    return sorted(pairs, key=lambda pair: not pair[0].informs)


def run(
    program: Program | str, client: KgClient, now: datetime | None, deadline: Deadline
) -> ProgramResult:
    """Execute `program` relative to `now`, the time of the question.

    A text is parsed leniently: common mistakes of models are repaired (`language/reader.py`).

    Raises:
        QuerySyntaxError: the text is not a program.
    """
    parsed = _parsed(program)
    results = execute(_plan_of(parsed.program), client, now, deadline)
    outcomes = tuple(_with_wording_checked(result) for result in results)
    return ProgramResult(parsed.program, outcomes, parsed.repairs, sentences(outcomes))


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


def _with_wording_checked(outcome: StatementResult) -> StatementResult:
    """The outcome, or an error instead if its records cannot be verbalised."""
    try:
        with as_garbage():
            sentence(outcome)
    except ApiGarbage as error:
        return StatementResult(outcome.statement, errors=(*outcome.errors, error))
    return outcome
