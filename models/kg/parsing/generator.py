"""Generates the candidates of a question, bottom up: things, bases, then one more operation."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations

from models.kg.language.ast import Program
from models.kg.lexicon.types import OPEN_ENTITY
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.bases import Bases
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.open_domain import OpenBases
from models.kg.parsing.rules.ages import AgeRules
from models.kg.parsing.rules.compared import ComparisonRules
from models.kg.parsing.rules.counts import CountRules, ReductionRules
from models.kg.parsing.rules.games import MarginRules, ResultPremiseRules, WinnerRules
from models.kg.parsing.rules.grammys import GrammyRules
from models.kg.parsing.rules.joins import Joins
from models.kg.parsing.rules.ordered import OrderRules
from models.kg.parsing.rules.plain_values import ValueRules
from models.kg.parsing.rules.premises import ClashRules, ClosedDayRules, NoRowsRules
from models.kg.parsing.rules.yes_no import YesNoRules
from models.kg.parsing.spans import Spans, Thing

MAX_BASES = 150  # per question, and as many joined ones; those that explain most words are kept
MAX_CANDIDATES = 80  # per question
_UNLIKE = 10  # penalty of a candidate whose name is spelled differently
# Rules about the values of one base, in the order in which their candidates are listed.
_RULES_OF_VALUES = (
    ValueRules,
    CountRules,
    GrammyRules,
    AgeRules,
    WinnerRules,
    ReductionRules,
    MarginRules,
    ResultPremiseRules,
)


class CandidateGenerator:
    """The candidates of one question."""

    def __init__(self, spans: Spans, coverage: Coverage) -> None:
        self._spans = spans
        self._coverage = coverage
        self._bases = Bases(spans)
        self._open_bases = OpenBases(spans)
        self._joins = Joins(spans, self._bases)
        self._yes_no = YesNoRules(spans, self._bases)
        self._closed_days = ClosedDayRules(spans, self._bases)
        self._value_rules = [rule(spans, self._bases) for rule in _RULES_OF_VALUES]
        self._ordered = OrderRules(spans, self._bases)
        self._no_rows = NoRowsRules(spans, self._bases)
        self._clashes = ClashRules(spans, self._bases, coverage)
        self._comparisons = ComparisonRules(spans, self._bases)

    def candidates(self) -> list[Candidate]:
        """At most `MAX_CANDIDATES`; those that explain most words come first."""
        distinct: dict[tuple[Program, Composer], Candidate] = {}
        for candidate in self._all():
            key = (candidate.program, candidate.composer)
            known = distinct.get(key)
            if known is None or len(candidate.explained) > len(known.explained):
                distinct[key] = candidate
        return sorted(distinct.values(), key=self._order)[:MAX_CANDIDATES]

    def _order(self, candidate: Candidate) -> tuple[float, int]:
        """Few unexplained words and sure names first; then long phrases."""
        doubt = 0.0
        for thing in {base.thing for base in candidate.bases}:
            doubt += _UNLIKE * (1 - thing.score)
            if thing.doubtful:
                doubt += 1
        anchors = sum(base.anchor_length for base in candidate.bases)
        return len(self._coverage.unexplained(candidate)) + doubt, -anchors

    def _all(self) -> Iterator[Candidate]:
        bases: list[Base] = []
        for thing in self._spans.things:
            bases += self._bases_of(thing)
        bases = _best(bases)
        joined: list[Base] = []
        for base in bases:
            yield from self._of_one(base)
            yield from self._false_premises(base, bases)
            joined += self._joins.joined_bases(base)
        for base in _best(joined):
            yield from self._of_joined(base)
        for one, other in combinations(bases, 2):
            yield from self._comparisons.candidates_of(one, other)

    def _bases_of(self, thing: Thing) -> Iterator[Base]:
        if thing.type == OPEN_ENTITY:
            return self._open_bases.bases_of(thing)
        return self._bases.bases_of(thing)

    def _of_one(self, base: Base) -> Iterator[Candidate]:
        if base.implied:  # comparing words need two bases
            return
        on_closed_day = list(self._closed_days.candidates_of(base))
        if on_closed_day:
            yield from on_closed_day
            return
        if self._spans.form.polar:
            yield from self._yes_no.candidates_of(base)
        if not base.relation.values.read_key:
            yield from self._of_values(base)
        yield from self._ordered.candidates_of(base)

    def _of_values(self, base: Base) -> Iterator[Candidate]:
        for rule in self._value_rules:
            yield from rule.candidates_of(base)

    def _of_joined(self, base: Base) -> Iterator[Candidate]:
        if base.implied:
            yield from self._ordered.extreme(base)
        for candidate in self._of_one(base):
            yield replace(candidate, joined=True)

    def _false_premises(self, base: Base, bases: list[Base]) -> Iterator[Candidate]:
        wider = [other for other in bases if _is_wider(other, base)]
        if not any(_is_meant_instead(other, base) for other in wider):
            yield from self._no_rows.candidates_of(base)
        if not wider:
            yield from self._clashes.candidates_of(base)


def _best(bases: Iterable[Base]) -> list[Base]:
    """The bases that explain most words."""
    return sorted(bases, key=lambda base: -len(base.explained))[:MAX_BASES]


def _is_wider(base: Base, other: Base) -> bool:
    """Whether `base` reads the same call with fewer filters: nominees instead of winners."""
    if base.argument != other.argument or base.relation.function != other.relation.function:
        return False
    return set(base.relation.filters) < set(other.relation.filters)


def _is_meant_instead(wider: Base, base: Base) -> bool:
    """Whether the wider base has a word that the narrower one does not explain: "nominated", where
    "Oscar" alone would be an award."""
    if base.relation.filter_value != wider.relation.filter_value:
        return False
    return not wider.explained <= base.explained
