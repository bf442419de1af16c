"""Pairs drawn evenly over all program patterns, executed, and kept where the KG returns something
(instead of db3's pairs by GPT-4 and by hand, section 3.2)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from training.kg import NOTHING, Kg, written
from training.queries.facts import Drawn, Pools
from training.queries.intents import Intent, Wording, ask, intents
from training.records import Pair, Split
from utils.progress import shown

QUERY_TIME = "03/13/2024, 09:19:21 PT"  # of all questions but those of "yesterday"
_TRIES = 40  # draws without a new pair after which a pattern is exhausted


def draw_pairs(kg: Kg, split: Split, count: int, seed: int = 0) -> list[Pair]:
    """At most `count` pairs of the wordings of a split, no question twice: fewer where the KG has
    no more."""
    return list(shown(_pairs(kg, seed, split, count), f"pairs, {split}", count))


def _pairs(kg: Kg, seed: int, split: Split, count: int) -> Iterator[Pair]:
    """From one pattern after the other, until all are exhausted."""
    rng = random.Random(f"{seed} {split}")
    asked: set[str] = set()
    usable = [
        (intent, wordings)
        for intent in intents()
        if all(name.split()[0] in kg.pools for name in intent.draw)
        and (wordings := [w for w in intent.wordings if w.held_out == (split == "held_out")])
    ]
    while usable:
        for intent, wordings in list(usable):
            if len(asked) >= count:
                return
            pair = _new_pair(kg, rng, intent, wordings, asked)
            if pair is None:
                usable.remove((intent, wordings))
            else:
                asked.add(pair.question)
                yield replace(pair, id=f"{split}-{len(asked)}", split=split)


def _new_pair(
    kg: Kg, rng: random.Random, intent: Intent, wordings: Sequence[Wording], asked: set[str]
) -> Pair | None:
    """A pair of one pattern, without its id and split; None after too many tries."""
    for _ in range(_TRIES):
        values = _drawn(intent, kg.pools, rng)
        wording = rng.choice(wordings)
        question = ask(wording, values)
        if question in asked or len(set(values.values())) < len(intent.draw):
            continue
        program = written(intent.fill(values))
        query_time = values.get("query_time", QUERY_TIME)
        if program and (program == NOTHING or kg.returned(program, query_time).complete):
            told = (str(intent.domain), question, query_time, program)
            return Pair("", *told, "template", intent.name, wording.text)
    return None


def _drawn(intent: Intent, pools: Pools, rng: random.Random) -> Drawn:
    """What one draw puts into the places of a pattern; "movie other" fills the place `other`."""
    values: dict[str, str] = {}
    for name in intent.draw:
        pool, _, place = name.partition(" ")
        drawn: Mapping[str, str] = rng.choice(pools[pool])
        values.update({place: drawn[pool]} if place else drawn)
    return values
