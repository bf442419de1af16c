"""Pairs drawn evenly over all program patterns, executed, and kept where the KG returns something
(in place of db3's pairs of GPT-4 and of hands, section 3.2)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from training.kg import NOTHING, Checker
from training.progress import Show
from training.queries.facts import Drawn, Pools
from training.queries.intents import Intent, Wording, ask
from training.records import Pair, Split

QUERY_TIME = "03/13/2024, 09:19:21 PT"
_TRIES = 40  # draws without a new pair after which a pattern is exhausted


@dataclass(frozen=True, slots=True)
class Drawing:
    """How pairs are drawn.

    Attributes:
        pairs: to train on.
        held_out: pairs to measure on, of held-out wordings.
        seed: of all that is random.
        query_time: when questions are asked, but those of "yesterday".
    """

    pairs: int = 6000
    held_out: int = 300
    seed: int = 0
    query_time: str = QUERY_TIME


def draw_pairs(
    intents: Sequence[Intent], pools: Pools, checker: Checker, how: Drawing, show: Show
) -> list[Pair]:
    """Pairs of both splits, no question twice; fewer than asked for where the KG has no more."""
    made: list[Pair] = []
    for split, count in (("train", how.pairs), ("held_out", how.held_out)):
        found = _drawn(split, count, intents, pools, checker, how)  # type: ignore[arg-type]
        for number, pair in enumerate(found, start=1):
            made.append(pair)
            show(number)
    return made


def _drawn(
    split: Split,
    count: int,
    intents: Sequence[Intent],
    pools: Pools,
    checker: Checker,
    how: Drawing,
) -> Iterator[Pair]:
    rng = random.Random(f"{how.seed} {split}")
    usable = [
        (intent, wordings)
        for intent in intents
        if all(name.split()[0] in pools for name in intent.draw)
        and (wordings := [w for w in intent.wordings if w.held_out == (split == "held_out")])
    ]
    asked: set[str] = set()
    while usable and len(asked) < count:
        for intent, wordings in list(usable):
            if len(asked) >= count:
                return
            pair = _one(intent, wordings, pools, checker, rng, asked, how)
            if pair is None:
                usable.remove((intent, wordings))
            else:
                asked.add(pair.question)
                yield replace(pair, id=f"{split}-{len(asked)}", split=split)


def _one(
    intent: Intent,
    wordings: Sequence[Wording],
    pools: Pools,
    checker: Checker,
    rng: random.Random,
    asked: set[str],
    how: Drawing,
) -> Pair | None:
    """A new pair of one pattern, without its id and split; None after too many tries."""
    for _ in range(_TRIES):
        values = draw_values(intent, pools, rng)
        wording = rng.choice(wordings)
        question = ask(wording, values)
        if question in asked or len(set(values.values())) < len(intent.draw):
            continue
        program, query_time = intent.fill(values), values.get("query_time", how.query_time)
        if program != NOTHING:
            returned = checker.returned(program, query_time)
            if not returned.complete or returned.text is None:
                continue
            program = returned.text
        told = (str(intent.domain), question, query_time, program)
        return Pair("", *told, "template", intent.name, wording.text)
    return None


def draw_values(intent: Intent, pools: Pools, rng: random.Random) -> Drawn:
    """What one draw puts into the places of a pattern; "movie other" fills the place `other`."""
    values: dict[str, str] = {}
    for name in intent.draw:
        pool, _, place = name.partition(" ")
        drawn: Mapping[str, str] = rng.choice(pools[pool])
        values.update({place: drawn[pool]} if place else drawn)
    return values
