"""Rules for yes/no questions: whether a value is what the question names."""

from collections.abc import Iterator

from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.parsing import answers
from models.kg.parsing.answers import Composer
from models.kg.parsing.base import Base
from models.kg.parsing.bases import NUMBERS
from models.kg.parsing.candidates import COMPARED, NAMED, Candidate, Rule
from models.kg.parsing.spans import WHOLE_NAME

_NEAR = 3  # words between "before" and its bound
_IN_TIME = (("before", -1), ("until", -1), ("after", 1), ("since", 1))


class Verify(Rule):
    def of(self, base: Base) -> Iterator[Candidate]:
        relation = base.relation
        for composer, used, rule in self._named(base):
            yield self.made(rule, composer, base, used=used)
        if relation.target in COMPARED:
            yield from self._bounded(base)
        lists = relation.countable or relation.target in ("list", *NAMED) or relation.dated
        if lists and base.period != "day" and not relation.source.endswith("year"):
            yield self.made("any", answers.Exists(), base)

    def _named(self, base: Base) -> Iterator[tuple[Composer, Positions, str]]:
        """Names and coded values of the question."""
        relation, codes, spans = base.relation, base.relation.key.codes, self.spans
        if relation.own_name:
            if base.thing.score < WHOLE_NAME:
                return
            yield answers.Is(base.thing.said, codes, relation.negated), NOTHING, "is itself"
        for value, phrases in spans.lexicon.values.get(relation.key.name, {}).items():
            for used in spans.match.find(phrases):
                yield answers.Is(value, codes), used, "is value"
        if "than" in spans.words:  # "taller than the tower": a bound, not a value
            return
        if relation.target not in (*COMPARED, "result") and codes != "venue":
            for other in spans.things:
                place = other.type.endswith("team")  # "born in Chicago"
                if not (other.used & base.used or other.type in NUMBERS or place):
                    yield answers.Is(other.name, codes), other.used, "is other"

    def _bounded(self, base: Base) -> Iterator[Candidate]:
        """Whether a date or number is before or after, above or below one in the question."""
        dated = base.relation.target in ("date", "year")
        sides = _IN_TIME if dated else (("below", -1), ("above", 1))
        for bound, used in self._bounds() if dated else self.spans.amounts:
            if used & base.thing.used:
                continue
            beside = False
            for name, sign in sides:
                hits = [u for u in self.spoken.get(name, ()) if 0 < min(used) - max(u) <= _NEAR]
                if hits:
                    beside = True
                    than = answers.Than(str(bound), sign)
                    yield self.made("than", than, base, name, used=used.union(*hits))
            if dated and not beside:
                yield self.made("than", answers.Than(str(bound), 0), base, used=used)
        signed = self.spans.lexicon.signed(base.relation)
        for name, sign in (("positive", 1), ("negative", -1)) if signed else ():
            for used in self.spans.match.find(self.spans.lexicon.question[name]):
                yield self.made("than", answers.Than("0", sign), base, used=used)

    def _bounds(self) -> list[tuple[str, Positions]]:
        """Years, days and months."""
        found = [(str(year), used) for year, used in self.spans.years]
        for time, used in self.spans.times:
            if time.year is None:
                day = time.period.first.isoformat()
                found.append((day if time.is_day else day[:7], used))
        return found
