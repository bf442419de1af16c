"""The features of a candidate for the log-linear models. `models/ranking/features.toml` declares
them."""

from collections.abc import Iterator, Sequence
from typing import Any

from models.kg.execution.outcome import Outcome
from models.kg.lexicon.positions import union_of
from models.kg.lexicon.types import ValueType
from models.kg.parsing.answers import Count, Values
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.form import POLAR
from models.kg.parsing.ranking.question_types import AskedTypes
from models.kg.parsing.spans import Thing

# Types that are compatible with any question.
_LOOSE = (ValueType.TEXT, ValueType.LIST, ValueType.WHICH, ValueType.POLAR)
_MAX_WORDS = 4  # of a phrase or name; longer ones count no more
_MAX_UNEXPLAINED = 6


class Features:
    """The features of the candidates of one question."""

    def __init__(self, coverage: Coverage, types: AskedTypes) -> None:
        self._coverage = coverage
        self._types = types
        self._spans = coverage.spans
        self._lexicon = coverage.spans.lexicon
        self._form = coverage.spans.form
        single_words = [phrase for phrase in self._lexicon.phrases if " " not in phrase]
        self._phrase_words = union_of(self._spans.match.find(single_words))
        self._filter_places = self._spans.match.find(self._lexicon.filter_phrases)
        self._stems_of_types = {
            kind: {self._lexicon.stemmer.stem(word) for word in words if " " not in word}
            for kind, words in self._lexicon.types.items()
        }

    def features_of(self, candidate: Candidate, outcomes: Sequence[Outcome]) -> dict[str, float]:
        """The features that are not 0."""
        features = {
            "bias": 1.0,
            **self._coverage_features(candidate),
            **self._agreement_features(candidate),
            **self._relation_features(candidate),
            **self._name_features(candidate),
            **self._ignored_features(candidate),
            **self._result_features(candidate, outcomes),
        }
        return {name: float(value) for name, value in features.items() if value}

    def _coverage_features(self, candidate: Candidate) -> dict[str, float]:
        """Which words of the question are left over."""
        words = self._spans.words
        unexplained = self._coverage.unexplained(candidate)
        context = self._coverage.context(candidate)
        with_digit = [i for i in unexplained if any(c.isdigit() for c in words[i])]
        unknown = [i for i in unexplained if not self._lexicon.knows(words[i])]
        return {
            "left": min(len(unexplained), _MAX_UNEXPLAINED),
            "left none": not unexplained,
            "left number": bool(with_digit),
            "left known": len(unexplained & self._phrase_words),
            "left unknown": len(unknown),
            "context": len(context),
            "asked in context": self._form.focus in context,
            "asked left": self._form.focus in unexplained,
            "asked thing": candidate.type.is_ordered and self._types.asks_for_thing,
        }

    def _agreement_features(self, candidate: Candidate) -> dict[str, float]:
        """Whether the form of the question agrees with the type of the answer."""
        form = self._types.form_name
        kind = candidate.type
        features = {
            f"form:{form}|{kind}": 1.0,
            f"form:{form}|rule:{candidate.rule_label}": 1.0,
        }
        if self._types.wanted:
            features[self._fit(kind)] = 1.0
        if form == POLAR and kind is not ValueType.POLAR:
            asks_for_choice = self._spans.chooses or "there" in self._spans.words
            features["polar unfit"] = not asks_for_choice
        names_type = self._names_type_of(candidate)
        features["type said"] = names_type
        may_need_type = self._type_of_values(candidate) in (ValueType.MOVIE, ValueType.SONG)
        features["type unsaid"] = may_need_type and not names_type
        return features

    def _fit(self, kind: ValueType) -> str:
        if kind in self._types.wanted:
            return "form fits"
        return "form loose" if kind in _LOOSE else "form unfit"

    def _type_of_values(self, candidate: Candidate) -> ValueType:
        """The type of the values; of a count, of what is counted."""
        return candidate.bases[0].relation.target if candidate.rule.counts else candidate.type

    def _names_type_of(self, candidate: Candidate) -> bool:
        """Whether a word of the question, beside the names, is one for the type of the values."""
        stems_of_type = self._stems_of_types.get(self._type_of_values(candidate), set())
        names = union_of(base.thing.positions for base in candidate.bases)
        return any(
            stem in stems_of_type for i, stem in enumerate(self._spans.stems) if i not in names
        )

    def _relation_features(self, candidate: Candidate) -> dict[str, float]:
        """The rule and the relation."""
        base = candidate.bases[0]
        features = {
            f"rule:{candidate.rule_label}": 1.0,
            f"relation:{base.relation.family}": 1.0,
            "anchor": min(base.anchor_length, _MAX_WORDS),
            "join": base.inner is not None,
        }
        if base.inner is not None:
            features[f"inner:{base.inner.relation.family}"] = 1.0
        if base.scope:
            features[f"period:{base.scope}"] = 1.0
        return features

    def _name_features(self, candidate: Candidate) -> dict[str, float]:
        """The confidence of entity linking."""
        things = list(dict.fromkeys(things_of(candidate)))
        features: dict[str, float] = {}
        for thing in things:
            has_rival = any(
                other.type != thing.type and other.positions.meets(thing.positions)
                for other in self._spans.things
            )
            for name, value in (
                ("name doubtful", float(thing.doubtful)),
                ("name unlike", 5 * (1 - thing.score)),
                ("name words", min(len(thing.positions), _MAX_WORDS) / len(things)),
                (f"rival:{thing.type}", float(has_rival)),
            ):
                features[name] = features.get(name, 0.0) + value
        return features

    def _ignored_features(self, candidate: Candidate) -> dict[str, float]:
        """A filter or a choice of the question that the candidate ignores."""
        long_filters = [place for place in self._filter_places if len(place) > 1]
        ignores_filter = any(not place <= candidate.explained for place in long_filters)
        ignores_choice = self._spans.chooses and not candidate.rule.chooses
        return {
            "filter unused": ignores_filter,
            "or": ignores_choice,
            f"or:{candidate.type}": ignores_choice,
        }

    def _result_features(
        self, candidate: Candidate, outcomes: Sequence[Outcome]
    ) -> dict[str, float]:
        """Properties of the results."""
        read_outcomes = outcomes[-1:] if candidate.rule.orders else outcomes  # after all the rows
        values: list[Any] = []
        for outcome in read_outcomes:
            values += outcome.values
        features: dict[str, float] = {"empty": not values}
        composer = candidate.composer
        if isinstance(composer, Values) and composer.limit is None:
            is_joined = candidate.bases[0].inner is not None
            count = len(set(map(str, values)))
            if is_joined and candidate.type.is_numeric:  # figures of several things
                count = len(values)
            has_many = count > 1
            is_per_time = candidate.rule is RuleName.EACH_TIME and not candidate.joined
            features["many unasked"] = has_many and not self._form.plural and not is_per_time
            features[f"{'many' if has_many else 'one'}:{candidate.type}"] = 1.0
            features["join many"] = has_many and is_joined
        for base, outcome in zip(candidate.bases, outcomes, strict=False):
            compares_prices = any(condition.names("close") for condition in base.relation.filters)
            if base.days and not compares_prices:
                days = {str(row.get("date")) for row in outcome.rows}
                features["days missing"] = not days.issuperset(base.days)
        is_countable = all(base.relation.values.countable for base in candidate.bases)
        features["partly known"] = any(map(_is_partly_known, outcomes))
        features["uncountable"] = isinstance(composer, Count) and not is_countable
        return features


def _is_partly_known(outcome: Outcome) -> bool:
    """Whether some of the rows that were sorted or aggregated have no value."""
    shares = (outcome.sorted_share, outcome.reduced_share)
    return any(share is not None and share.is_partial for share in shares)


def things_of(candidate: Candidate) -> Iterator[Thing]:
    """The things that a candidate names."""
    for base in candidate.bases:
        yield base.thing
        if base.second is not None:
            yield base.second
    if candidate.other is not None:
        yield candidate.other
