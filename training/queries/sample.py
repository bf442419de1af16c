"""Pairs drawn evenly over all program patterns, executed, and kept where the KG returns something
(instead of db3's pairs by GPT-4 and by hand, section 3.2)."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from training.kg import NOTHING, Kg, canonical
from training.queries.facts import Draw, Pools
from training.queries.intents import Intent, QuestionWording, ask, intents
from training.records import Pair, PairSplit
from utils.progress import shown

QUERY_TIME = "03/13/2024, 09:19:21 PT"  # of all questions but those of "yesterday"
_TRIES = 40  # draws without a new pair after which a pattern is exhausted


def draw_pairs(kg: Kg, split: PairSplit, count: int, seed: int = 0) -> list[Pair]:
    """At most `count` pairs of the wordings of a split, no question twice: fewer where the KG has
    no more."""
    return list(shown(_pairs(kg, seed, split, count), f"pairs, {split}", count))


@dataclass(frozen=True, slots=True)
class _UsableIntent:
    """A pattern whose pools the KG has, with its wordings of one split."""

    intent: Intent
    wordings: tuple[QuestionWording, ...]


def _usable_intents(kg: Kg, split: PairSplit) -> list[_UsableIntent]:
    usable = []
    for intent in intents():
        is_held_out = split == "held_out"
        wordings = tuple(each for each in intent.wordings if each.held_out == is_held_out)
        if wordings and all(name.split()[0] in kg.pools for name in intent.draw):
            usable.append(_UsableIntent(intent, wordings))
    return usable


def _pairs(kg: Kg, seed: int, split: PairSplit, count: int) -> Iterator[Pair]:
    """From one pattern after the other, until all are exhausted."""
    rng = random.Random(f"{seed} {split}")
    questions: set[str] = set()
    usable = _usable_intents(kg, split)
    while usable:
        for pattern in list(usable):
            if len(questions) >= count:
                return
            pair = _new_pair(kg, rng, pattern, questions)
            if pair is None:
                usable.remove(pattern)
            else:
                questions.add(pair.question)
                yield replace(pair, id=f"{split}-{len(questions)}", split=split)


def _new_pair(
    kg: Kg, rng: random.Random, pattern: _UsableIntent, known_questions: set[str]
) -> Pair | None:
    """A pair of one pattern, without its id and split; None after too many tries."""
    intent = pattern.intent
    for _ in range(_TRIES):
        values = _draw_values(intent, kg.pools, rng)
        wording = rng.choice(pattern.wordings)
        question = ask(wording, values)
        if question in known_questions or len(set(values.values())) < len(intent.draw):
            continue
        program = canonical(intent.fill(values))
        query_time = values.get("query_time", QUERY_TIME)
        if program and (program == NOTHING or kg.returned(program, query_time).complete):
            return Pair(
                id="",
                domain=str(intent.domain),
                question=question,
                query_time=query_time,
                program=program,
                source="template",
                intent=intent.name,
                wording=wording.text,
            )
    return None


def _draw_values(intent: Intent, pools: Pools, rng: random.Random) -> Draw:
    """What one draw puts into the places of a pattern; "movie other" fills the place `other`."""
    values: Draw = {}
    for name in intent.draw:
        pool, _, place = name.partition(" ")
        draw = rng.choice(pools[pool])
        if place:
            values[place] = draw[pool]
        else:
            values.update(draw)
    return values
