"""Rules for one base: its values, their number, sum and mean, an age."""

from collections.abc import Iterator
from dataclasses import replace

from models.kg.execution.fetch.infobox import find_key
from models.kg.language.ast import Program
from models.kg.lexicon.matching import NOTHING
from models.kg.lexicon.relations import BIRTH, NUMERIC
from models.kg.parsing import answers
from models.kg.parsing.base import Base
from models.kg.parsing.candidates import NAMED, Candidate, Rule
from models.kg.schema.operations import Reduce

_REDUCTIONS = {"sum": Reduce.SUM, "average": Reduce.AVG, "max": Reduce.MAX, "min": Reduce.MIN}
# How figures of several days are combined if the question does not say it.
_SUMS = "volume goals opponent_goals points opponent_points reb ast stl blk tov pf fgm fg3m ftm"
_IMPLIED = {"high": "max", "low": "min", **dict.fromkeys(_SUMS.split(), "sum")}


class Single(Rule):
    def of(self, base: Base) -> Iterator[Candidate]:
        relation = base.relation
        if relation.read:
            return
        if closed := list(self._closed(base)):
            yield from closed
            return
        yield from self._values(base)
        yield from self._parts(base)
        yield from self._counted(base)
        if BIRTH in relation.id and "age" in self.spoken:
            yield from self._aged(base)
        if relation.target == "result":
            for value, lost in (("W", False), ("L", True)):
                for used in self.spans.match.find(self.spans.lexicon.values["result"][value]):
                    winner = answers.Winner(base.thing.name, lost)
                    yield self.made("winner", winner, base, used=used)
        yield from self._reduced(base)
        yield from self._margin(base)
        yield from self._premise(base)

    def _margin(self, base: Base) -> Iterator[Candidate]:
        """By how much a team won or lost one game; a false premise if it did the other."""
        other = f"opponent_{base.relation.key.name}"
        known = other in base.relation.function.key_names
        if not known or "difference" not in self.spoken or base.period == "several":
            return
        results, find = self.spans.lexicon.values["result"], self.spans.match.find
        won, lost = find(results["W"]), find(results["L"])
        used, words = NOTHING.union(*(won or lost)), self.spans.words
        asked = self.spans.lexicon.question
        beaten = any(words[i] in asked["beaten"] and words[i + 1 : i + 2] == ["by"] for i in used)
        decided = "either" if find((*asked["margin"], *asked["by how much"])) else ""
        more = ("max" if won and not beaten else "min") if used else decided
        both = Program((base.query(), replace(base, key=other).query()))
        margin = answers.Difference("number", more=more)
        yield self.made("margin", margin, base, "difference", program=both, used=used)

    def _premise(self, base: Base) -> Iterator[Candidate]:
        """A false premise: a game was not won, or lost, as "they beat" or "Boston's win" says."""
        team, spans, own = base.thing, self.spans, self.spans.lexicon.question["own"]
        of_game = team.type.endswith("team") and base.period == "day" and not spans.form.polar
        for value, phrases in spans.lexicon.values["premise"].items() if of_game else ():
            for used in spans.match.find(phrases):
                start = min(used) - 1
                before = [t for t in spans.things if t.type == team.type and max(t.used) <= start]
                last = max(before, key=lambda t: max(t.used), default=team)
                owned = spans.words[start] in own and all(t.name == team.name for t in before)
                if last.name == team.name and (start in last.used or owned):
                    yield self.made("clash", answers.Clash(value, ("result",)), base, used=used)

    def _closed(self, base: Base) -> Iterator[Candidate]:
        """A false premise: the price of a day of the week on which no stock is traded."""
        said = {self.spans.words[i] for i in base.used - base.thing.used}
        relative = self.spoken.keys() & {"after", "before", "since", "until"}
        closed = base.period == "day" and said & set(self.spans.lexicon.question["closed"])
        if closed and not relative and base.relation.function.name == "get_stock_price":
            yield self.made("closed", answers.FalsePremise(impossible=True), base)

    def _aged(self, base: Base) -> Iterator[Candidate]:
        """The age of somebody now, or at death."""
        now, died = self.spans.asked.at, None
        dead = self.spans.match.find(self.spans.lexicon.facts["death_date"])
        if base.relation.source == "thing" and (dead or not self.spans.form.then):
            facts = self.spans.page(base.thing.name)
            died = find_key("death_date", [key for key, value in facts.items() if value])
        if died:
            lived = Program((base.query(), replace(base, key=died).query()))
            yield self.made("age", answers.Difference("age"), base, "age", program=lived)
        elif now and not self._of_another_time(base):
            yield self.made("age", answers.Age(now.date().isoformat()), base, "age")

    def _of_another_time(self, base: Base) -> bool:
        """Whether the question asks for the age at another time: "in 1997", "when it came out"."""
        today = self.spans.asked.at.date() if self.spans.asked.at else None
        times = [used for time, used in self.spans.times if time.period.last != today]
        times += [used for _, used in self.spans.years]
        return self.spans.form.then or any(not used & base.used for used in times)

    def _values(self, base: Base) -> Iterator[Candidate]:
        """All values, or the one that its relation picks."""
        relation, kind = base.relation, base.relation.target
        values = answers.Values(kind, all_of=bool(relation.also))
        if relation.pick:
            last = relation.key.name if relation.pick == "last" and kind == "span" else ""
            yield self.made("value", replace(values, most=1, last=last), base)
        elif base.period == "several" and relation.edge:
            edge = base.sorted("date", 1, descending=relation.edge == "last")
            yield self.made("edge in order", values, base, program=edge)
            for used in self.spans.match.find(self.spans.lexicon.question["daily"]):
                yield self.made("each time", replace(values, days=len(base.days)), base, used=used)
        elif base.period != "several" or kind not in NUMERIC:
            yield self.made("value", values, base)
            if base.inner and kind == base.thing.type and "other" in self.spoken:
                others = replace(values, without=base.thing.name)
                yield self.made("value", others, base, "other")

    def _parts(self, base: Base) -> Iterator[Candidate]:
        """Some of the values: the first few, those of a series; the year of a date."""
        kind, things = base.relation.target, self.spans.things
        if base.relation.pick or kind in NUMERIC:
            return
        values = answers.Values(kind, all_of=bool(base.relation.also))
        for series in things if kind == "movie" else ():
            if series.type == "series" and not series.used & base.used:
                of_it = replace(values, within=series.name)
                yield self.made("of series", of_it, base, used=series.used)
        if kind == "date" and "year" in self.spoken:
            yield self.made("year of date", answers.Values("year"), base, "year")
        for number, said in self.spans.numbers:
            if not said & base.thing.used:
                yield self.made("first values", replace(values, most=number), base, used=said)

    def _counted(self, base: Base) -> Iterator[Candidate]:
        """The number of values; of a number, the number itself."""
        relation, kind = base.relation, base.relation.target
        if "count" not in self.spoken:
            return
        lists = relation.countable or relation.dated or kind in ("list", *NAMED)
        if kind in NUMERIC and not relation.dated:
            yield self.made("value, count", answers.Values(kind), base, "count", type="number")
        elif lists or (relation.source == "thing" and kind == "text"):
            rows = relation.key.name in ("date", "year") or kind in ("text", "money")
            count = answers.Count(rows, text=relation.source == "thing")
            yield self.made("count", count, base, "count", "sum")

    def _reduced(self, base: Base) -> Iterator[Candidate]:
        """The total, mean, highest and lowest figure of several days; the day of the highest."""
        relation, kind = base.relation, base.relation.target
        if kind not in NUMERIC or not (base.period == "several" or relation.dated):
            return
        asked = {n for n in _REDUCTIONS if self.asks(base, n)} | {_IMPLIED.get(relation.key.name)}
        if base.period == "year" and "count" in self.spoken:  # "how much did it pay in 2023?"
            asked.add("sum")
        if kind == "money" and not relation.dated:  # no sum of prices
            asked.discard("sum")
        for name, reduce in _REDUCTIONS.items():
            if name in asked:
                program = Program((base.query(reduce=reduce),))
                values = answers.Values(kind, rows=True)
                yield self.made("reduced", values, base, name, program=program)
        for name in ("max", "min") if "date" in relation.function.key_names else ():
            if name in asked:
                program = base.sorted(relation.key.name, 1, descending=name == "max", read="date")
                day = answers.Values("date")
                yield self.made("day of extreme", day, base, name, program=program)
