"""Samples for reading answers from the KG's facts (db3, section 2.4, over real executions).

A right program's facts teach the gold answer. The facts of a program that asks for something else,
or of nothing, teach "i don't know": a model that writes programs is sometimes wrong, and its reader
must notice.
"""

import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from evaluation.dataset import Example
from models.batch_input import read_query_time
from models.kg.language.ast import FunctionCall, Program, Query
from models.kg.language.parser import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.named_functions import functions
from models.kg.run import run
from models.records import IDK, INVALID, Task
from models.runtime.rounds import PASSAGES
from models.subtasks.kg_text.bounded import bounded
from models.systems.db3 import Db3Options, fact_characters, reading_request
from training.kg import SECONDS, Kg
from training.queries.copying import rewrite_program
from training.records import Pair, Sample, question_of, turns_of
from utils.deadline import Deadline

SUBTASK = "answer_kg"


class Context(StrEnum):
    """Where the facts of a sample come from; the `note` of a sample."""

    RIGHT = "facts of the right program"
    OTHER_KEY = "facts about another property"
    OTHER_NAME = "facts about another thing"
    PARTIAL = "some of the facts"
    EMPTY = "no facts"


# How many of ten samples that teach "i don't know" are of each kind.
_SHARES = {Context.OTHER_KEY: 4, Context.OTHER_NAME: 3, Context.PARTIAL: 2, Context.EMPTY: 1}


@dataclass
class KgAnswers:
    """Makes the samples of pairs whose answers are known.

    Attributes:
        options: of the system whose prompt the samples have.
        unknown: how often a sample without an answer is tried for each sample with one; not every
            program can be made wrong in every way.
    """

    kg: Kg
    options: Db3Options
    unknown: float = 0.8
    seed: int = 0

    def samples(self, pairs: Sequence[Pair], examples: Mapping[str, Example]) -> Iterator[Sample]:
        """The samples of all pairs that have an example, in their order."""
        rng = random.Random(self.seed)
        programs: dict[str, list[Program]] = defaultdict(list)
        for pair in pairs:
            program = parse(pair.program).program
            programs[_first_function(program)].append(program)
        for pair in pairs:
            example = examples.get(pair.id)
            if example is None or not example.golds:
                continue
            facts = self._facts(pair.program, pair.query_time)
            if facts:
                yield self._sample(pair, example, facts, example.golds[0], Context.RIGHT)
            if rng.random() < self.unknown:
                (context,) = rng.choices(list(_SHARES), list(_SHARES.values()))
                others = self._other_facts(pair, programs, context, rng)
                if others is not None and set(others) != set(facts):
                    yield self._sample(pair, example, others, IDK, context)

    def _other_facts(
        self,
        pair: Pair,
        programs: Mapping[str, Sequence[Program]],
        context: Context,
        rng: random.Random,
    ) -> list[str] | None:
        """Facts that do not answer the question; None if none could be made.

        `programs`: those of all pairs, by their first function.
        """
        program = parse(pair.program).program
        other: Program | None = None
        match context:
            case Context.EMPTY:
                return []
            case Context.PARTIAL if len(program.statements) > 1:
                other = replace(program, statements=program.statements[:1])
            case Context.OTHER_KEY:
                other = _with_other_key(program, rng)
            case Context.OTHER_NAME:
                similar = programs[_first_function(program)]
                other = _with_names_of(program, rng.choice(similar))
        if other is None or other == program:
            return None
        return self._facts(to_text(other), pair.query_time) or None

    def _facts(self, program: str, query_time: str) -> list[str]:
        now = read_query_time(query_time)
        result = run(program, self.kg.client, now, Deadline.after(SECONDS))
        return bounded(result.known, fact_characters(self.options))

    def _sample(
        self, pair: Pair, example: Example, facts: Sequence[str], answer: str, context: Context
    ) -> Sample:
        question = question_of(example, Task.KG_WEB)
        request = reading_request(SUBTASK, question, 0, facts, self.options)
        messages = request.template.render({**request.values, PASSAGES: request.write(facts)})
        return Sample(
            id=f"{pair.id} {context.name.lower()}",
            turns=turns_of(messages),
            answer=INVALID if answer.lower() == INVALID else answer,
            note=str(context),
            question=pair.question,
            golds=(answer,) if answer == IDK else example.golds,
            subtask=SUBTASK,
        )


def _first_function(program: Program) -> str:
    """The function of the first statement; empty if that is no call."""
    source = getattr(program.statements[0], "source", None)
    return source.function if isinstance(source, FunctionCall) else ""


def _with_other_key(program: Program, rng: random.Random) -> Program:
    """The program whose calls read other keys, where their functions have some."""

    def rewrite(node: Any) -> Any:
        if not isinstance(node, Query) or not isinstance(node.source, FunctionCall):
            return node
        keys = [key for key in functions().keys_of(node.source.function).names if key != node.key]
        return replace(node, key=rng.choice(keys)) if node.key and keys else node

    return rewrite_program(program, rewrite)


def _with_names_of(program: Program, other: Program) -> Program | None:
    """The program with the arguments of another one that calls the same function; None if they are
    the same."""
    mine = getattr(program.statements[0], "source", None)
    theirs = getattr(other.statements[0], "source", None)
    if not isinstance(mine, FunctionCall) or not isinstance(theirs, FunctionCall):
        return None
    if mine.function != theirs.function or mine.arguments == theirs.arguments:
        return None

    def rewrite(node: Any) -> Any:
        return replace(mine, arguments=theirs.arguments) if node == mine else node

    return rewrite_program(program, rewrite)
