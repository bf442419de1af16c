"""Samples for reading answers from the KG's facts (db3, section 2.4, over real executions).

A right program's facts teach the gold answer, or that the question is invalid. The facts of a
program that asks for something else, or of nothing, teach "i don't know": a model that writes
programs is sometimes wrong, and its reader must notice.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

from rapidfuzz import fuzz

from evaluation.dataset import Example
from evaluation.gold_in_text import has_gold, holds
from evaluation.judge.settle import is_invalid
from models.batch_input import read_query_time
from models.kg.language.ast import FunctionCall, Program, Query
from models.kg.language.parse import parse
from models.kg.language.printer import to_text
from models.kg.lexicon.named_functions import functions
from models.kg.run import ProgramResult, run
from models.records import IDK, INVALID, Task
from models.runtime.case import Case
from models.runtime.request import PASSAGES
from models.subtasks.kg_text.bounded import bounded
from models.systems.db3 import Db3Options, fact_characters, reading_request
from training.contexts import Context
from training.kg import SECONDS, Kg
from training.queries.copying import rewrite_program
from training.queries.real import ANNOTATED
from training.records import Pair, Sample, question_of, turns_of
from utils.deadline import Deadline

# How many of ten samples that teach "i don't know" are of each kind.
_SHARES = {Context.LACKS: 6, Context.NAMESAKE: 3, Context.EMPTY: 1}
_PARTS = 0.5  # of the programs with several statements, whose first one alone is run
_NAMESAKES = 50  # programs of other names, of which the most alike is taken


@dataclass
class KgAnswers:
    """Makes the samples of pairs whose answers are known.

    Attributes:
        options: of the system whose prompt the samples have.
        unknown: how many samples without an answer are tried for each pair; not every program can
            be made wrong in every way.
        subtask: whose prompt it is: `answer_kg` lists the facts, `answer_web` has one passage.
    """

    kg: Kg
    options: Db3Options
    unknown: float = 0.8
    subtask: Literal["answer_kg", "answer_web"] = "answer_kg"
    seed: int = 0

    def samples(self, pairs: Sequence[Pair], examples: Mapping[str, Example]) -> Iterator[Sample]:
        """The samples of all pairs that have an example, in their order.

        What an annotated program returns was never compared with the gold: it teaches an answer
        only where the question is invalid.
        """
        rng = random.Random(self.seed)
        programs: dict[str, list[Program]] = defaultdict(list)
        for pair in pairs:
            program = parse(pair.program).program
            programs[_first_function(program)].append(program)
        for pair in pairs:
            example = examples.get(pair.id)
            if example is None or not example.golds:
                continue
            facts = self._facts(pair)
            invalid = any(map(is_invalid, example.golds))
            if facts and (invalid or pair.source != ANNOTATED):
                context = Context.CONTRADICTS if invalid else Context.CONTAINS
                answer = INVALID if invalid else example.golds[0]
                yield self._sample(pair, example, facts, answer, context)
            for context in _other_contexts(self.unknown, rng):
                others = self._other_facts(pair, programs, context, rng)
                if others is not None and not _may_answer(others, facts, example, context):
                    yield self._sample(pair, example, others, IDK, context)

    def apart(self, pairs: Iterable[Pair], held_out: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs that share neither a wording nor a thing that they ask about with `held_out`.

        Things are compared by the KG's names of them and by the names that programs hold.
        """
        wordings: set[str] = set()
        names: set[str] = set()
        for pair in held_out:
            wordings.add(pair.wording)
            names |= self._names(pair)
        for pair in pairs:
            if pair.wording not in wordings and names.isdisjoint(self._names(pair)):
                yield pair

    def _names(self, pair: Pair) -> set[str]:
        outcomes = self._run(pair.program, pair.query_time).outcomes
        return {
            name.casefold()
            for name in chain.from_iterable((*each.entities, *each.requested) for each in outcomes)
        }

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
            case Context.LACKS if len(program.statements) > 1 and rng.random() < _PARTS:
                other = replace(program, statements=program.statements[:1])
            case Context.LACKS:
                other = _with_other_key(program, rng)
            case Context.NAMESAKE:
                similar = programs[_first_function(program)]
                other = _of_a_namesake(program, similar, rng)
        if other is None or other == program:
            return None
        result = self._run(to_text(other), pair.query_time)
        if context is Context.NAMESAKE:
            right = self._run(pair.program, pair.query_time)
            if set(result.outcomes[0].entities) & set(right.outcomes[0].entities):
                return None  # another name of the same thing
        return bounded(result.known, fact_characters(self.options), pair.question) or None

    def _facts(self, pair: Pair) -> list[str]:
        result = self._run(pair.program, pair.query_time)
        return bounded(result.known, fact_characters(self.options), pair.question)

    def _run(self, program: str, query_time: str) -> ProgramResult:
        return run(program, self.kg.client, read_query_time(query_time), Deadline.after(SECONDS))

    def _sample(
        self, pair: Pair, example: Example, facts: Sequence[str], answer: str, context: Context
    ) -> Sample:
        question = question_of(example, Task.KG_WEB)
        passages = facts if self.subtask == "answer_kg" else [" ".join(facts)]
        request = reading_request(self.subtask, Case(question), passages, self.options)
        messages = request.template.render({**request.values, PASSAGES: request.write(passages)})
        return Sample(
            id=f"{pair.id} {context.name.lower()}",
            turns=turns_of(messages),
            answer=answer,
            note=str(context),
            question=pair.question,
            golds=(answer,) if answer == IDK else example.golds,
            subtask=self.subtask,
        )


def _may_answer(
    others: Sequence[str], facts: Sequence[str], example: Example, context: Context
) -> bool:
    """Whether facts of another program may answer the question all the same.

    They are the right ones, or have the words of an answer that the question itself does not name.
    Where the answer is "yes" or a small number, nobody can tell: it may follow from other facts
    about the same thing.
    """
    new_golds = [gold for gold in example.golds if not holds(example.query, [gold])]
    if set(others) == set(facts):
        return True
    if not new_golds or not others:
        return False
    holds_answer = has_gold(" ".join(others), example.query, new_golds)
    return context is Context.LACKS if holds_answer is None else holds_answer


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


def _of_a_namesake(
    program: Program, others: Sequence[Program], rng: random.Random
) -> Program | None:
    """The program with the arguments of another one that calls the same function with the most
    similar names, of some that are drawn; None if all have the same."""
    mine = getattr(program.statements[0], "source", None)
    if not isinstance(mine, FunctionCall):
        return None
    arguments = set()
    for other in rng.sample(others, min(_NAMESAKES, len(others))):
        theirs = getattr(other.statements[0], "source", None)
        if isinstance(theirs, FunctionCall) and theirs.function == mine.function:
            arguments.add(theirs.arguments)
    arguments.discard(mine.arguments)
    if not arguments:
        return None
    most_alike = max(
        sorted(arguments, key=str), key=lambda each: fuzz.ratio(str(each), str(mine.arguments))
    )

    def rewrite(node: Any) -> Any:
        return replace(mine, arguments=most_alike) if node == mine else node

    return rewrite_program(program, rewrite)


def _other_contexts(count: float, rng: random.Random) -> list[Context]:
    """Different kinds of contexts that lack the answer: `count` of them on average."""
    number = math.floor(count)
    if rng.random() < count - number:
        number += 1
    chosen: list[Context] = []
    while len(chosen) < min(number, len(_SHARES)):
        (context,) = rng.choices(list(_SHARES), list(_SHARES.values()))
        if context not in chosen:
            chosen.append(context)
    return chosen
