"""Enumerates the candidates of a question, bottom up: things, bases, then one more operation."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from itertools import combinations

from models.kg.language.ast import Program
from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import Relation
from models.kg.parsing import answers
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Bases
from models.kg.parsing.candidates import NAMED, Candidate
from models.kg.parsing.open_domain import OpenBases
from models.kg.parsing.ordered import Ordered
from models.kg.parsing.pairs import Pairs
from models.kg.parsing.single import Single
from models.kg.parsing.spans import WHOLE_NAME, Spans, Thing
from models.kg.parsing.verify import Verify
from utils.text import FUNCTION_WORDS

MOST_BASES = 150  # per question, and as many joined ones; those that explain most words are kept
MOST = 80  # candidates per question
_UNLIKE = 10  # penalty of a candidate whose name is spelled differently


class Rules:
    """The candidates of one question. A new rule is a class in a file of its own, called here."""

    def __init__(self, spans: Spans) -> None:
        self.spans = spans
        self._bases, self._open = Bases(spans), OpenBases(spans)
        self._single = Single(spans, self._bases)
        self._ordered = Ordered(spans, self._bases)
        self._verify = Verify(spans, self._bases)
        self._pairs = Pairs(spans, self._bases)
        self._contexts: dict[str, Positions] = {}

    def candidates(self) -> list[Candidate]:
        """At most `MOST` candidates; those that explain most words come first."""
        found: dict[tuple[Program, Composer], Candidate] = {}
        for candidate in self._all():
            key = (candidate.program, candidate.composer)
            known = found.get(key)
            if known is None or len(candidate.used) > len(known.used):
                found[key] = candidate
        return sorted(found.values(), key=self._order)[:MOST]

    def _order(self, candidate: Candidate) -> tuple[float, int]:
        things = {base.thing for base in candidate.bases}
        unsure = sum(thing.doubtful + _UNLIKE * (1 - thing.score) for thing in things)
        anchors = sum(base.anchor for base in candidate.bases)
        return len(self.unexplained(candidate)) + unsure, -anchors

    def unexplained(self, candidate: Candidate) -> Positions:
        """The words that neither the candidate nor its context explains."""
        return self.spans.content - candidate.used - self._filler - self.context(candidate)

    def context(self, candidate: Candidate) -> Positions:
        """The words around a candidate's phrases that have no meaning of their own there."""
        bases = [b for base in candidate.bases for b in (base, base.inner) if b is not None]
        found = NOTHING.union(*(self._around(base.relation) for base in bases))
        return (found & self.spans.content) - candidate.used - self._filler

    def _around(self, relation: Relation) -> Positions:
        if relation.id not in self._contexts:
            hits = self.spans.match.find(relation.context)
            self._contexts[relation.id] = NOTHING.union(*hits)
        return self._contexts[relation.id]

    @cached_property
    def _filler(self) -> Positions:
        return NOTHING.union(*self.spans.match.find(self.spans.lexicon.filler))

    def _all(self) -> Iterator[Candidate]:
        every = [base for thing in self.spans.things for base in self._of(thing)]
        bases = _best(every)
        for base in bases:
            yield from self._one(base)
            wider = [other for other in bases if _wider(other, base)]
            if not any(_replaces(other, base) for other in wider):
                yield from self._absent(base)
            if not wider:
                yield from self._clashes(base)
        for joined in _best(each for base in bases for each in self._joins(base)):
            yield from self._joined(joined)
        for left, right in combinations(bases, 2):
            yield from self._pairs.of(left, right)

    def _of(self, thing: Thing) -> Iterator[Base]:
        if thing.type == "thing":
            return self._open.of(thing, thing.used, thing.name)
        return self._bases.of(thing)

    def _one(self, base: Base) -> Iterator[Candidate]:
        if base.implied:  # comparing words need two bases
            return
        if self.spans.form.polar:
            yield from self._verify.of(base)
        yield from self._single.of(base)
        yield from self._ordered.of(base)

    def _joined(self, base: Base) -> Iterator[Candidate]:
        if base.implied:
            yield from self._ordered.extreme(base)
        for candidate in self._one(base):
            yield replace(candidate, rule=f"join, {candidate.rule}")

    def _joins(self, base: Base) -> Iterator[Base]:
        """The relations of the things that a base's values name."""
        relation = base.relation
        if base.inner is not None or relation.source == "thing" or relation.also or relation.read:
            return
        for outer, found in self._bases.anchored(relation.target, base.used):
            if outer.must or outer.fixed or outer.free or outer.pair:
                continue
            filters = {outer.filtered, relation.filtered}
            same = outer.function is relation.function and ("" in filters or len(filters) == 1)
            others = "other" in self.spans.operators and outer.target == base.thing.type
            if same and not others and not (found.implied and outer.source == relation.source):
                continue  # the rows of one call hold both keys
            yield Base(
                outer, base.thing, base.used | found.used, found.words + base.anchor,
                base.query(), inner=base, implied=found.implied,
            )  # fmt: skip

    def _absent(self, base: Base) -> Iterator[Candidate]:
        """A false premise: there are no rows of things whose names match exactly."""
        named = [thing for thing in (base.thing, base.second) if thing is not None]
        if not base.implied and all(t.score == 1.0 and not t.doubtful for t in named):
            yield self._single.made("invalid", answers.FalsePremise(), base)

    def _clashes(self, base: Base) -> Iterator[Candidate]:
        """False premises: another name in the question that is absent from complete rows."""
        program, kind = Program((base.query(),)), base.thing.type
        free = FUNCTION_WORDS | self.spans.lexicon.cues(kind)
        described = self._bases.described(base)
        counted = "count" in self.spans.operators  # none is an answer
        for other in self.spans.things:
            if other.used & base.used or other.doubtful:
                continue
            used = base.used | other.used
            telling = any(self.spans.words[i] not in free for i in other.used)
            whole = telling and other.score >= WHOLE_NAME
            if kind.endswith("year") and other.type in NAMED and whole and not counted:
                clash = answers.Clash(other.name)
                yield Candidate(program, clash, "invalid", used, "clash", (base,), other)
            beside = other.type in described and whole and self._describes(other, base.thing)
            if beside and self.spans.alone(kind, used):
                clash = answers.Clash(other.name, tuple(described[other.type]))
                found = Candidate(program, clash, "invalid", used, "described", (base,), other)
                if not self.unexplained(found):
                    yield found

    def _describes(self, other: Thing, work: Thing) -> bool:
        """Whether a name stands next to a work: "the Ridley Scott film", "that he directed"."""
        lexicon, stem = self.spans.lexicon, self.spans.lexicon.stemmer.stem
        known = (*lexicon.types[work.type], *lexicon.files["movie"]["filters"]["job"]["Director"])
        free = {stem(word) for text in (*known, *lexicon.filler) for word in text.split()}
        first, second = sorted((other.used, work.used), key=min)
        between = set(range(max(first) + 1, min(second))) & self.spans.content
        return all(self.spans.stems[i] in free for i in between)


def _best(bases: Iterable[Base]) -> list[Base]:
    return sorted(bases, key=lambda base: -len(base.used))[:MOST_BASES]


def _wider(base: Base, other: Base) -> bool:
    """Whether a base has the rows of another one and more: nominees, where that has winners."""
    same = (base.argument, base.relation.function) == (other.argument, other.relation.function)
    return same and set(base.relation.where) < set(other.relation.where)


def _replaces(wider: Base, base: Base) -> bool:
    """Whether the wider one is meant: "nominated", where "Oscar" alone would be an award."""
    same = base.relation.filtered == wider.relation.filtered
    return same and not wider.used <= base.used
