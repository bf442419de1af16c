"""Rules for two bases: which has more, their difference, what they share."""

from collections.abc import Iterator
from dataclasses import replace

from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import BIRTH, NUMERIC
from models.kg.parsing import answers
from models.kg.parsing.answers import Measure
from models.kg.parsing.base import Base
from models.kg.parsing.candidates import COMPARED, NAMED, Candidate, Rule

_DATES = {"span": "date", "year": "date"}  # types that can be compared with a date
_IN_TIME = (("first", "min"), ("latest", "max"), ("before", "min"), ("after", "max"))
_DIRECTIONS = {"rise": "min", "fall": "max"}  # the first of two figures is less, or greater
_OF_A_DAY = ("open", "close")  # figures of one day, in the order of time
_SHARED = frozenset(("list", "text", *NAMED))
Two = tuple[Base, Base]


class Pairs(Rule):
    def of(self, left: Base, right: Base) -> Iterator[Candidate]:
        same = (left.thing.type, left.thing.name) == (right.thing.type, right.thing.name)
        if left.thing == right.thing:
            yield from self._two_times(left, right)
            yield from self._two_keys(left, right)
        elif same or left.thing.used & right.thing.used:
            return
        elif _alike(left, right):
            yield from self._two_things(left, right)
        elif "age" in self.spoken and self.spans.form.then:
            yield from self._aged(left, right)
        elif left.thing.type == right.thing.type == "person" and not (left.inner or right.inner):
            apart = self.spans.chooses or self.spans.lexicon.blocking & set(self.spans.words)
            if left.relation.target == right.relation.target == "movie" and not apart:
                yield self.made("of both", answers.Common("movie"), (left, right))

    def _two_things(self, left: Base, right: Base) -> Iterator[Candidate]:
        relation = left.relation
        if not (relation.source.endswith("year") or relation.also or relation.read):
            first, second = sorted((left, right), key=lambda b: min(b.thing.used))
            yield from self._weighed((first, second), (first.thing.label, second.thing.label))
            yield from self._shared((first, second))

    def _aged(self, left: Base, right: Base) -> Iterator[Candidate]:
        """The age of somebody at an event: "how old was she when it came out"."""
        born = [base for base in (left, right) if BIRTH in base.relation.id]
        used = left.thing.used | right.thing.used
        single = len(born) == 1 and self.spans.alone(born[0].thing.type, used)
        if single and left.relation.target == right.relation.target == "date":
            yield self.made("age at", answers.Difference("age"), (left, right), "age")

    def _two_times(self, left: Base, right: Base) -> Iterator[Candidate]:
        """One figure of a thing on two days."""
        same = left.relation is right.relation and left.period == right.period == "day"
        if same and left.times != right.times:
            own = {left: left.used - right.used, right: right.used - left.used}
            first, second = sorted(own, key=lambda base: min(own[base], default=0))
            days = (own[first], own[second])
            yield from self._weighed((first, second), tuple(map(self.spans.said, days)))
            each = answers.Values(first.relation.target, all_of=True, days=2)
            yield self.made("each time", each, (first, second))
            if "change" in self.spoken and first.relation.target in NUMERIC:
                two = (first, second) if first.times < second.times else (second, first)
                percent, kind = "percent" in self.spoken, first.relation.target
                apart = answers.Difference(kind, percent=percent, more=self._direction)
                yield self.made("difference", apart, two, "change", *_DIRECTIONS, "percent")

    def _two_keys(self, left: Base, right: Base) -> Iterator[Candidate]:
        """Two figures of one thing: their difference, their sum, whether the first is greater."""
        kind, other = (_DATES.get(b.relation.target, b.relation.target) for b in (left, right))
        same = (left.relation.key, left.key) == (right.relation.key, right.key)
        same |= bool(left.used & right.used - left.thing.used - self.spans.timed)  # "forward P/E"
        spans = "span" in (left.relation.target, right.relation.target)
        same |= left.relation.target != right.relation.target and not spans  # a day and its year
        if kind not in COMPARED or kind != other or same:
            return
        first, second = sorted((left, right), key=_first_word)
        in_time = {base.relation.key.name: base for base in (left, right)}
        direction = self._direction if in_time.keys() == set(_OF_A_DAY) else ""
        if direction:
            first, second = (in_time[name] for name in _OF_A_DAY)
        two = (first, second)
        for name, apart in (("difference", kind), ("age", "age"), ("change", kind)):
            if name in self.spoken:
                how = answers.Difference(apart, last=apart == "age", more=direction)
                yield self.made("two keys", how, two, name, *_DIRECTIONS, type=how.type)
        if "sum" in self.spoken and kind == "number":
            yield self.made("total", answers.Total(kind), two, "sum")
        for name in ("max", "min"):
            if name in self.spoken and self.spans.form.polar:
                more = answers.Most(("", ""), name == "min", type="polar")
                yield self.made("two keys", more, two, name)

    @property
    def _direction(self) -> str:
        """Which of two figures in time is greater, if the question says it: "rise", "fall"."""
        return next((more for name, more in _DIRECTIONS.items() if name in self.spoken), "")

    def _weighed(self, two: Two, names: tuple[str, ...]) -> Iterator[Candidate]:
        """Which of two has more or less of a key; the difference; the sum; equality."""
        relation = two[0].relation
        kind, measure = relation.target, _measure(two[0], "latest" in self.spoken)
        coded = kind in ("text", "language", "country", "result") and relation.source != "thing"
        if coded and not relation.countable:
            return
        yield from self._compared(two, names, measure)
        if "difference" in self.spoken and not relation.source.endswith("team"):
            more = next((operator for operator, _, _ in self._comparing(two)), "")
            apart = answers.Difference(kind, measure, relation.absent, more=more)
            yield self.made("difference", apart, two, "difference")
        used = two[0].thing.used | two[1].thing.used
        figures = kind in NUMERIC and measure is Measure.VALUE
        if figures and self.spans.alone(two[0].thing.type, used):
            for name, mean in (("sum", False), ("average", True)):
                if name in self.spoken:
                    yield self.made("total", answers.Total(kind, mean), two, name)

    def _compared(self, two: Two, names: tuple[str, ...], measure: Measure) -> Iterator[Candidate]:
        totals = self.spoken.get("sum", ()) if measure is not Measure.VALUE else ()
        for name, used, operator in self._comparing(two):
            most = answers.Most(names, name == "min", measure, two[0].relation.absent)
            used = used.union(*totals)
            if self.spans.chooses or not self.spans.form.polar:
                yield self.made("most", most, two, operator, used=used)
            if self.spans.form.polar:
                yield self.made("less", replace(most, type="polar"), two, operator, used=used)

    def _comparing(self, two: Two) -> Iterator[tuple[str, Positions, str]]:
        """Whether the most or least is asked for, by which words, and their operator; "adjective"
        if they imply the key."""
        relation, lexicon, spoken = two[0].relation, self.spans.lexicon, self.spoken
        found = [
            (adjective.operator, self.spans.match.find(adjective.phrases), "adjective")
            for adjective in lexicon.adjectives_of(relation)
        ]
        if not any(hits for _, hits, _ in found):  # "prettier" says what is better
            lower = lexicon.lower_is_more(relation)
            sizes = () if relation.target == "year" else (("max", "min"), ("min", "max"))
            for name, other in sizes:
                found.append((other if lower else name, spoken.get(name, []), name))
            if relation.target in ("date", "year"):
                times = _IN_TIME if self.spans.form.polar else _IN_TIME[:2]
                found += [(operator, spoken.get(name, []), name) for name, operator in times]
        taken = two[0].thing.used | two[1].thing.used
        for operator, hits, name in found:
            used = NOTHING.union(*(hit for hit in hits if not hit & taken))
            if used:
                yield operator, used, name

    def _shared(self, two: Two) -> Iterator[Candidate]:
        """What two things share, or whether they share anything."""
        relation = two[0].relation
        several = relation.target in _SHARED and not (relation.must or relation.pick)
        if several and "both" in self.spoken:
            kind = "polar" if self.spans.form.polar else relation.target
            yield self.made("common", answers.Common(kind), two, "both")


def _first_word(base: Base) -> int:
    return min(base.used - base.thing.used, default=0)


def _measure(base: Base, latest: bool) -> Measure:
    """The quantity of a thing for a relation."""
    relation = base.relation
    numeric = relation.target in NUMERIC
    if relation.target in ("list", *NAMED) or (relation.countable and not numeric):
        return Measure.COUNT
    if numeric and latest and relation.dated and not base.period:
        return Measure.LAST
    if numeric and not relation.countable and (relation.dated or base.period == "several"):
        return Measure.SUM
    return Measure.VALUE


def _alike(left: Base, right: Base) -> bool:
    """Whether two bases read the same key of two things, and so can be compared."""
    if left.inner is not None or right.inner is not None:
        return False
    mine, other = left.relation, right.relation
    same = mine.id == other.id and (mine.source == "thing" or mine.key == other.key)
    same &= left.second == right.second
    return same and (left.times, left.where) == (right.times, right.where)
