"""The features of a candidate for the log-linear models.

Fine-grained ones (form of question and type of answer: `log_linear._FINE`) are excluded from the
confidence model, for which there are too few questions.
"""

from collections.abc import Sequence
from functools import cached_property

from models.kg.execution.execute import StatementResult
from models.kg.lexicon.matching import NOTHING, Positions
from models.kg.lexicon.relations import NUMERIC
from models.kg.parsing.answers import Count, Values
from models.kg.parsing.bases import NUMBERS
from models.kg.parsing.candidates import COMPARED, NAMED, Candidate
from models.kg.parsing.rules import Rules
from models.records import INVALID
from utils.text import content_words

_LOOSE = ("text", "list", "which", "polar")  # types compatible with any question
_LONG = 4  # words


class Features:
    """The features of the candidates of one question."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._spans = rules.spans
        self._lexicon = rules.spans.lexicon
        self._form = rules.spans.form
        own = (p for p in rules.spans.lexicon.phrases if " " not in p)
        self._known = frozenset().union(*rules.spans.match.find(own))
        self._filters = rules.spans.match.find(self._lexicon.filters)
        self._kinds = {
            kind: {self._lexicon.stemmer.stem(word) for word in said if " " not in word}
            for kind, said in self._lexicon.types.items()
        }

    @cached_property
    def _thing_words(self) -> Positions:
        """The words for kinds of things, where such a thing is asked for: "which river"."""
        if self._lexicon.general["forms"].get(self._form.name):  # for a number, a person
            return NOTHING
        return NOTHING.union(*self._spans.match.find(self._lexicon.types["thing"]))

    def of(self, candidate: Candidate, outcomes: Sequence[StatementResult]) -> dict[str, float]:
        """The features that are not 0."""
        left = self._rules.unexplained(candidate)
        found = {
            "bias": 1.0,
            **self._coverage(candidate, left),
            **self._agreement(candidate),
            **self._relation(candidate),
            **self._names(candidate),
            **self._ignored(candidate),
            **self._results(candidate, outcomes),
        }
        return {name: float(value) for name, value in found.items() if value}

    def rules_out(self, candidate: Candidate, answer: str) -> bool:
        """Whether the answer must be wrong: of a type or kind that this form of question never
        asks for, without a digit or letter where one is asked for, named in the question, with an
        unexplained negation or unit, or maybe out of date."""
        if self._unfit(candidate) or self._incomplete(candidate):
            return True
        relation = candidate.bases[0].relation
        if not isinstance(candidate.composer, Values) or relation.own_name:
            return False
        if relation.until and "count" not in self._spans.operators:
            return True
        return self._no_value(candidate, answer) or self._repeats(candidate, answer)

    def _unfit(self, candidate: Candidate) -> bool:
        """Whether the question never asks for such an answer."""
        form, kind, asked = self._form.name, candidate.type, self._lexicon.question
        if kind in self._lexicon.general["never"].get(form, ()):
            return True
        if set(asked["current"]) & set(self._spans.words):
            if any(base.relation.past for base in candidate.bases):
                return True
        if isinstance(candidate.composer, Count) and form == "how much":
            return True
        if isinstance(candidate.composer, Values) and self._spans.match.find(asked["by how much"]):
            return True
        if self._spans.compares and len(candidate.bases) == 1 and kind != "polar":
            return True  # a figure of one of two
        return self._spans.chooses and form in ("which", "who") and kind in COMPARED

    def _incomplete(self, candidate: Candidate) -> bool:
        """Whether it leaves a word unexplained that changes the meaning, or that may belong to the
        name that the question is about: "Is Dunkirk Two the original title?"."""
        left, base = self._rules.unexplained(candidate), candidate.bases[0]
        beside = {min(base.thing.used) - 1, max(base.thing.used) + 1}
        if base.relation.own_name and self._form.polar and left & beside:
            return True
        if not isinstance(candidate.composer, (Values, Count)):
            left |= self._rules.context(candidate)
        negated = candidate.type == "polar" or base.relation.negated
        blocking = self._lexicon.lacking if negated else self._lexicon.blocking
        own = self._lexicon.types.get(base.relation.target, ())  # "year", where one is asked for
        return not blocking.difference(own).isdisjoint(self._spans.words[i] for i in left)

    def _no_value(self, candidate: Candidate, answer: str) -> bool:
        """Whether it has no digit where a number is asked for, or begins with one where a person or
        a place is; a film may be called "1917". An infobox's "None" is no answer to "does …?"."""
        wanted = self._lexicon.general["forms"].get(self._form.name, ())
        if {"number", "money"} & set(wanted) and not any(c.isdigit() for c in answer):
            return True
        if self._form.polar and answer == INVALID:
            return True
        named = candidate.type in NAMED or not answer[:1].isdigit()
        return ("person" in wanted or self._form.asked in self._thing_words) and not named

    def _repeats(self, candidate: Candidate, answer: str) -> bool:
        """Whether it is a year, a day or a name of the question."""
        times = {str(year) for year, _ in self._spans.years}
        if candidate.rule.endswith("value"):  # in an order, the day may be a bound
            times |= {str(time.period.first) for time, _ in self._spans.times if time.is_day}
        if answer in times and not self._spans.chooses:
            return True
        named = {base.thing for base in candidate.bases}
        if not self._spans.chooses:
            named.update(t for t in self._spans.things if not t.doubtful and t.type not in NUMBERS)
        said = set(content_words(answer))
        return any(said == set(content_words(thing.said)) for thing in named)

    def _coverage(self, candidate: Candidate, left: Positions) -> dict[str, float]:
        words, context = self._spans.words, self._rules.context(candidate)
        return {
            "left": min(len(left), 6),
            "left none": not left,
            "left number": any(c.isdigit() for i in left for c in words[i]),
            "left known": len(left & self._known),
            "left unknown": sum(not self._lexicon.knows(words[i]) for i in left),
            "context": len(context),
            "asked in context": self._form.asked in context,
            "asked left": self._form.asked in left,
            "asked thing": candidate.type in COMPARED and self._form.asked in self._thing_words,
        }

    def _agreement(self, candidate: Candidate) -> dict[str, float]:
        """Whether the form of the question agrees with the type of the answer."""
        form, kind = self._form.name, candidate.type
        found = {f"form:{form}|{kind}": 1.0, f"form:{form}|rule:{candidate.rule}": 1.0}
        wanted = self._lexicon.general["forms"].get(form)
        if wanted:
            fits = kind in wanted
            found["form fits" if fits else "form loose" if kind in _LOOSE else "form unfit"] = 1.0
        if form == "polar" and kind != "polar":
            found["polar unfit"] = not self._spans.chooses and "there" not in self._spans.words
        counted = candidate.rule.endswith("count")
        told = candidate.bases[0].relation.target if counted else kind
        own = frozenset(i for base in candidate.bases for i in base.thing.used)
        kinds = self._kinds.get(told, set())
        said = any(s in kinds for i, s in enumerate(self._spans.stems) if i not in own)
        found["type said"] = said
        found["type unsaid"] = not said and told in ("movie", "song")
        return found

    def _relation(self, candidate: Candidate) -> dict[str, float]:
        base = candidate.bases[0]
        relation = base.relation
        found = {
            f"rule:{candidate.rule}": 1.0,
            f"relation:{relation.family}": 1.0,
            "anchor": min(base.anchor, _LONG),
            "join": base.inner is not None,
        }
        if base.inner is not None:
            found[f"inner:{base.inner.relation.family}"] = 1.0
        if base.period:
            found[f"period:{base.period}"] = 1.0
        return found

    def _names(self, candidate: Candidate) -> dict[str, float]:
        """The confidence of entity linking."""
        named = [*(t for b in candidate.bases for t in (b.thing, b.second)), candidate.other]
        things = [thing for thing in dict.fromkeys(named) if thing is not None]
        found: dict[str, float] = {}
        for thing in things:
            rivals = [t for t in self._spans.things if t.used & thing.used and t.type != thing.type]
            for name, value in (
                ("name doubtful", thing.doubtful),
                ("name unlike", 5 * (1 - thing.score)),
                ("name words", min(len(thing.used), _LONG) / len(things)),
                (f"rival:{thing.type}", bool(rivals)),
            ):
                found[name] = found.get(name, 0.0) + value
        return found

    def _ignored(self, candidate: Candidate) -> dict[str, float]:
        """A filter or a choice of the question that the candidate ignores."""
        unused = any(not hit <= candidate.used for hit in self._filters if len(hit) > 1)
        choice = self._spans.chooses and candidate.rule not in ("most", "less")
        return {"filter unused": unused, "or": choice, f"or:{candidate.type}": choice}

    def _results(
        self, candidate: Candidate, outcomes: Sequence[StatementResult]
    ) -> dict[str, float]:
        """Properties of the results."""
        last = outcomes[-1:] if "order" in candidate.rule else outcomes  # after all the rows
        values = [value for outcome in last for value in outcome.values]
        found: dict[str, float] = {"empty": not values}
        if isinstance(candidate.composer, Values) and candidate.composer.most is None:
            joined = candidate.bases[0].inner is not None
            equal = joined and candidate.type in NUMERIC  # figures of several things
            many = len(values if equal else set(map(str, values))) > 1
            several = self._form.plural or candidate.rule.startswith("each")
            found["many unasked"] = many and not several
            found[f"{'many' if many else 'one'}:{candidate.type}"] = 1.0
            found["join many"] = many and joined
        for base, outcome in zip(candidate.bases, outcomes, strict=False):
            if base.days and "close" not in str(base.relation.where):
                days = {str(row.get("date")) for row in outcome.rows}
                found["days missing"] = not days.issuperset(base.days)
        countable = all(base.relation.countable for base in candidate.bases)
        found["uncountable"] = isinstance(candidate.composer, Count) and not countable
        return found
