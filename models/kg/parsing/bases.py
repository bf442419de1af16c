"""Builds bases: a relation applied to a thing, restricted by times, leagues, roles."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from models.kg.english.days import DAY
from models.kg.english.times import TimePhrase, arguments, trading_days
from models.kg.language.ast import Condition, Scalar
from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import Relation
from models.kg.parsing.base import Base
from models.kg.parsing.spans import Spans, Thing
from models.kg.schema.operations import Op
from models.records import Domain
from utils.text import FUNCTION_WORDS

_EXCHANGES_CLOSE = 14  # hour, Pacific time, from which the figures of a day are known
NUMBERS = ("year", "grammy year", "number")  # types of things without KG entities
# The types that may describe a work, by which keys.
_DESCRIBED = {"movie": {"person": ["cast", "director"]}, "song": {"musician": ["author"]}}
_NEAR = 2  # words between "before" and its year


@dataclass(frozen=True, slots=True)
class Anchor:
    """How the question names a relation: by the words `used`, of which the longest phrase has
    `words`; `implied`: only by a comparative."""

    used: Positions
    words: int
    implied: bool


class Bases:
    """The bases of a question."""

    def __init__(self, spans: Spans) -> None:
        self._spans = spans
        self._named: dict[str, list[tuple[Relation, list[Positions]]]] = {}

    def of(self, thing: Thing) -> Iterator[Base]:
        """All bases of a thing, by the phrases in the question."""
        mentions = self._mentions(thing)
        for relation, found in self.anchored(thing.type, thing.used):
            behind = min(thing.used) > max(found.used)
            if relation.side and behind != (relation.side == "after"):
                continue
            name: Scalar = int(thing.name) if thing.type in NUMBERS else thing.name
            used = found.used | mentions
            base = Base(relation, thing, used, found.words, name, implied=found.implied)
            yield from self._restricted(base)

    def _mentions(self, thing: Thing) -> Positions:
        """The words that name a thing; of a team that plays another one, in all places."""
        alike = [t for t in self._spans.things if t.type == thing.type]
        same = [t for t in alike if t.name == thing.name]
        plays = thing.type.endswith("team") and len(same) < len(alike)
        return NOTHING.union(*(t.used for t in same)) if plays else thing.used

    def anchored(self, source: str, taken: Positions) -> Iterator[tuple[Relation, Anchor]]:
        """The relations of a type that words of the question name, apart from those `taken`."""
        if source not in self._named:
            match, lexicon = self._spans.match, self._spans.lexicon
            relations = lexicon.of_source.get(source, ())
            found = ((each, match.find(lexicon.anchors(each))) for each in relations)
            self._named[source] = [(each, hits) for each, hits in found if hits]
        for relation, hits in self._named[source]:
            anchor = self._anchor(relation, hits, taken)
            if anchor is not None:
                yield relation, anchor

    def _anchor(
        self, relation: Relation, found: list[Positions], taken: Positions
    ) -> Anchor | None:
        match = self._spans.match
        if relation.function.domain is Domain.SPORTS:
            taken = taken.union(*(used for _, used in self._spans.leagues))
        hits = [used for used in found if not used & taken]
        if not hits:
            return None
        needed = match.find(relation.needs)
        if relation.needs and not needed:
            return None
        content = self._spans.content
        anchor = max(len(used & content) for used in hits)
        own = match.find(relation.phrases)
        implied = not any(used in own for used in hits)
        return Anchor(frozenset().union(*hits, *needed), anchor, implied)

    def _restricted(self, base: Base) -> Iterator[Base]:
        relation = base.relation
        times = [(t, u) for t, u in self._spans.times if not u & base.thing.used]
        if relation.function.domain is Domain.SPORTS:
            base = self._in_league(base)
        if relation.free:
            for used, text in self._unexplained(base.used):
                yield base.only(relation.free, text, used)
        elif relation.pair:
            yield from self._paired(base)
        elif relation.fixed:
            yield replace(base, times=(relation.fixed,))
        elif relation.must:
            timed = [found for t, u in times if (found := self._timed(base, t, u))]
            if relation.countable and not relation.side:
                timed = [each for each in timed if each.period != "day"]
            yield from timed
            for each in timed:
                yield from self._against(each)
                yield from self._at_venue(each)
        else:
            yield base
            yield from self._until_now(base)
            yield from self._described(base)
            yield from self._paired(base)
            if relation.dated:
                yield from self._dated(base, times)

    def _until_now(self, base: Base) -> Iterator[Base]:
        """A bound that is no restriction: the KG's numbers end before."""
        for year, used in self._spans.years if base.relation.until else ():
            until = self._spans.until(used)
            if until and year >= base.relation.until:
                yield replace(base, used=base.used | until | self._spans.with_ceremony(used))

    def _paired(self, base: Base) -> Iterator[Base]:
        """A person's role in a film, or award for it."""
        other = {"movie": "person", "person": "movie"}.get(base.relation.source)
        known = any(p.entity == other for p in base.relation.function.parameters)
        for thing in self._spans.things if known and base.relation.target != other else ():
            if thing.type == other and not thing.used & base.used:
                both = replace(base, used=base.used | thing.used, second=thing)
                yield both
                yield from self._described(both)

    def _described(self, base: Base) -> Iterator[Base]:
        """A work described by a year or person: "Hannibal (2001)", "the Ridley Scott film"."""
        of, keys = self.described(base), base.relation.function.key_names
        date = "year" if "year" in keys else "release_date"
        described = [(k, t.name, t.used) for t in self._spans.things for k in of.get(t.type, ())]
        years = self._spans.years if base.thing.type in _DESCRIBED else ()
        described += [(date, str(year), used) for year, used in years]
        for key, value, used in described:
            if key in keys and not used & base.used:
                yield base.only(key, value, used)

    def described(self, base: Base) -> Mapping[str, Sequence[str]]:
        """The types of things that may describe the base's, and the keys of its rows for them."""
        every, keys = _DESCRIBED.get(base.thing.type, {}), base.relation.function.key_names
        return {kind: own for kind, own in every.items() if keys.issuperset(own)}

    def _against(self, base: Base) -> Iterator[Base]:
        """A game against another team that the question names later."""
        if "opponent" not in base.relation.function.key_names - {base.relation.key.name}:
            return
        for other in self._spans.things:
            same = other.type == base.thing.type and other.name != base.thing.name
            if same and min(other.used) > max(base.thing.used) and not other.used & base.used:
                yield base.only("opponent", other.name, other.used)

    def _at_venue(self, base: Base) -> Iterator[Base]:
        """Games at home, or away."""
        lexicon, match = self._spans.lexicon, self._spans.match
        played = base.relation.function.domain is Domain.SPORTS and base.relation.countable
        for value, phrases in lexicon.values["venue"].items() if played else ():
            for used in match.find(phrases):
                yield base.only("venue", value, used)

    def _in_league(self, base: Base) -> Base:
        known = "league" in base.relation.function.key_names
        for name, used in self._spans.leagues if known else ():
            base = base.only("league", name, used)
        return base

    def _timed(self, base: Base, time: TimePhrase, used: Positions) -> Base | None:
        """The rows of a time; None for a day whose figures are not known before it ends."""
        period, now = time.period, self._spans.asked.at
        days: tuple[str, ...] = ()
        if base.relation.function.domain is Domain.FINANCE and now is not None:
            early = base.relation.key.name != "open" and now.hour < _EXCHANGES_CLOSE
            if early and time.is_day and not period.edge and period.first >= now.date():
                return None
            if base.relation.key.name != "open":
                period = time.until(now.date())
            days = () if time.is_day else trading_days(period)
        elif not time.is_day:
            first, last = period.first, period.last
            if (last - first).days == 6 and first.weekday() == 0:
                first, last = first - DAY, last - DAY  # in the US a week begins on Sunday
            text = f"{first} to {last}"
            return replace(base, used=base.used | used, times=(text,), period="several")
        kind = "day" if time.is_day else "several"
        return replace(base, used=base.used | used, times=arguments(period), period=kind, days=days)

    def _dated(self, base: Base, times: list[tuple[TimePhrase, Positions]]) -> Iterator[Base]:
        """The rows of a year or another period, before or after one, or between two years."""
        key, operators = base.relation.dated, self._spans.operators
        years = [(y, u) for y, u in self._spans.years if not u & base.thing.used]
        if len(years) == 2:
            (a, first), (b, second) = years
            used = base.used.union(first, second, *operators.get("between", ()))
            bounds = (Condition(Op.GE, key, str(min(a, b))), Condition(Op.LE, key, str(max(a, b))))
            yield replace(base, used=used, period="year", where=bounds)
        yield from (b for time, said in times for b in self._around(base, time, said))
        if self._spans.asked.at is None:
            yield from (b for year, said in years for b in self._around(base, year, said))

    def _around(self, base: Base, time: TimePhrase | int, said: Positions) -> Iterator[Base]:
        key, year = base.relation.dated, time if isinstance(time, int) else time.year
        words = {self._spans.words[i] for i in said}
        vague = words & set(self._spans.lexicon.question["month_edges"])
        if year is not None:
            where: tuple[Condition, ...] = (Condition(Op.EQ, key, str(year)),)
        elif (
            isinstance(time, TimePhrase)
            and time.period.edge is None
            and not (vague and time.is_day)
        ):
            first, last = time.period.first.isoformat(), time.period.last.isoformat()
            where = (Condition(Op.GE, key, first), Condition(Op.LE, key, last))
        else:
            return
        yield replace(base, used=base.used | said, period="year", where=where)
        edges = (("before", Op.LT), ("until", Op.LE), ("after", Op.GT), ("since", Op.GE))
        bound = str(year) if year else where[0].value
        for name, op in edges:
            hits = self._spans.operators.get(name, ())
            near = [hit for hit in hits if 0 < min(said) - max(hit) <= _NEAR]
            behind = self._spans.operators.get("onward", ()) if name == "since" else ()
            near += [hit for hit in behind if min(hit) == max(said) + 1]
            if near:
                beyond = (Condition(op, key, bound),)
                yield replace(base, used=base.used.union(said, *near), period="year", where=beyond)

    def _unexplained(self, used: Positions) -> Iterator[tuple[Positions, str]]:
        """The runs of words without another known meaning; behind an article, their ends, too: of
        "the evil Queen Ravenna", "Queen Ravenna" is a name."""
        cues, run = self._spans.lexicon.cues("movie"), list[int]()
        for i in [*range(len(self._spans.words)), -1]:
            word = self._spans.words[i] if i >= 0 else ""
            if i >= 0 and i not in used and word not in cues and word not in FUNCTION_WORDS:
                run.append(i)
            elif run:
                described = self._spans.words[run[0] - 1] in ("the", "a", "an")
                for part in (run[cut:] for cut in range(len(run) if described else 1)):
                    yield frozenset(part), " ".join(self._spans.words[j] for j in part)
                run = []
