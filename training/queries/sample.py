"""Pairs drawn evenly over all program patterns, executed, and kept where the KG returns something
(instead of db3's pairs by GPT-4 and by hand, section 3.2)."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from training.kg import NOTHING, Kg
from training.progress import shown
from training.queries.facts import Drawn, Pools
from training.queries.intents import Intent, Wording, ask, intents
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
        query_time: when questions are asked; those of "yesterday" have their own.
    """

    pairs: int = 6000
    held_out: int = 300
    seed: int = 0
    query_time: str = QUERY_TIME


def draw_pairs(kg: Kg, how: Drawing) -> list[Pair]:
    """Pairs of both splits, no question twice; fewer than asked for where the KG has no more."""
    train, held_out = _Drawer(kg, how, "train"), _Drawer(kg, how, "held_out")
    return [
        *shown(train.pairs(how.pairs), "pairs", how.pairs),
        *shown(held_out.pairs(how.held_out), "held-out pairs", how.held_out),
    ]


class _Drawer:
    """Draws the pairs of one split."""

    def __init__(self, kg: Kg, how: Drawing, split: Split) -> None:
        self._kg, self._how, self._split = kg, how, split
        self._rng = random.Random(f"{how.seed} {split}")
        self._asked: set[str] = set()

    def pairs(self, count: int) -> Iterator[Pair]:
        """At most `count`, from one pattern after the other until all are exhausted."""
        held_out = self._split == "held_out"
        usable = [
            (intent, wordings)
            for intent in intents()
            if all(name.split()[0] in self._kg.pools for name in intent.draw)
            and (wordings := [w for w in intent.wordings if w.held_out == held_out])
        ]
        while usable and len(self._asked) < count:
            for intent, wordings in list(usable):
                if len(self._asked) >= count:
                    return
                pair = self._one(intent, wordings)
                if pair is None:
                    usable.remove((intent, wordings))
                else:
                    self._asked.add(pair.question)
                    yield replace(pair, id=f"{self._split}-{len(self._asked)}", split=self._split)

    def _one(self, intent: Intent, wordings: Sequence[Wording]) -> Pair | None:
        """A new pair of one pattern, without its id and split; None after too many tries."""
        for _ in range(_TRIES):
            values = draw_values(intent, self._kg.pools, self._rng)
            wording = self._rng.choice(wordings)
            question = ask(wording, values)
            if question in self._asked or len(set(values.values())) < len(intent.draw):
                continue
            program = intent.fill(values)
            query_time = values.get("query_time", self._how.query_time)
            if program != NOTHING:
                returned = self._kg.checker.returned(program, query_time)
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
