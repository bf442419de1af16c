"""Rules for false premises, except those about a game's result."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from models.english.days import DAY, is_trading_day
from models.kg.language.ast import Program
from models.kg.lexicon.positions import Positions
from models.kg.lexicon.types import MOVIE, QuestionOperator, ThingType, ValueType
from models.kg.parsing.answers import Clash, ClosedDay, FalsePremise
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.bases import Bases
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.rules.rule import Rule, program_of
from models.kg.parsing.spans import WHOLE_NAME, Spans, Thing

_GENRES = "genres"  # the key that lists them
_PRICES = ("get_stock_price", "get_stock_detailed_price")
_LONGEST_BREAK = 7 * DAY  # between two trading days
_RELATIVE = (
    QuestionOperator.AFTER,
    QuestionOperator.BEFORE,
    QuestionOperator.SINCE,
    QuestionOperator.UNTIL,
)


class ClosedDayRules(Rule):
    """A false premise: the price of a day on which exchanges are closed, between days on which the
    KG has prices."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if base.relation.function.name not in _PRICES or base.scope is not TimeScope.DAY:
            return
        day = _day_of(base)
        if day is None or is_trading_day(day) or any(map(self.has, _RELATIVE)):
            return
        before = replace(base, times=_days(day - _LONGEST_BREAK, day - DAY))
        after = replace(base, times=_days(day + DAY, day + _LONGEST_BREAK))
        yield self.candidate(
            RuleName.CLOSED_DAY, ClosedDay(), base, program=program_of(before, after)
        )


def _day_of(base: Base) -> date | None:
    """The one day of a base; None for the first or latest known one."""
    try:
        return date.fromisoformat(base.times[0]) if len(base.times) == 1 else None
    except ValueError:
        return None


def _days(first: date, last: date) -> tuple[str, str]:
    return first.isoformat(), last.isoformat()


class NoRowsRules(Rule):
    """A false premise: there are no rows of things whose names match exactly."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if base.implied:
            return
        things = [base.thing] if base.second is None else [base.thing, base.second]
        if all(thing.score == 1.0 and not thing.doubtful for thing in things):
            yield self.candidate(RuleName.NO_ROWS, FalsePremise(), base)


class ClashRules(Rule):
    """False premises: another name in the question that is absent from complete rows."""

    def __init__(self, spans: Spans, bases: Bases, coverage: Coverage) -> None:
        super().__init__(spans, bases)
        self._coverage = coverage

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        kind = base.thing.type
        describing_keys = self.bases.describing_keys(base)
        counts = self.has(QuestionOperator.COUNT)  # then none is an answer
        for other in self.spans.things:
            if other.doubtful or other.positions.meets(base.explained):
                continue
            may_clash = kind.is_year and other.type.has_title_or_person_name and not counts
            if may_clash and self._is_named_in_full(other, kind):
                yield self._clash(RuleName.CLASH, base, other, ())
            if other.type in describing_keys and self._is_named_in_full(other, kind):
                yield from self._false_description(base, other, describing_keys[other.type])
        if kind == MOVIE and _GENRES in base.relation.function.key_names:
            yield from self._false_genres(base)

    def _is_named_in_full(self, other: Thing, kind: ThingType) -> bool:
        """Whether a name is given in full, by words that tell something in such a question."""
        idle_words = self.spans.lexicon.idle_words(kind)
        tells = any(self.spans.words[i] not in idle_words for i in other.positions)
        return tells and other.score >= WHOLE_NAME

    def _clash(self, rule: RuleName, base: Base, other: Thing, keys: Sequence[str]) -> Candidate:
        clash = Clash(other.name, tuple(keys))
        explained = base.explained | other.positions
        program = Program((base.query(),))
        return Candidate(program, clash, ValueType.INVALID, explained, rule, (base,), other)

    def _false_description(
        self, base: Base, other: Thing, keys: Sequence[str]
    ) -> Iterator[Candidate]:
        """A work that somebody else made: "the Ridley Scott film Titanic"."""
        if not self._stands_beside(other.positions, base.thing):
            return
        if self.spans.names_no_other(base.thing.type, base.explained | other.positions):
            candidate = self._clash(RuleName.CLASH_OF_DESCRIPTION, base, other, keys)
            if not self._coverage.unexplained(candidate):
                yield candidate

    def _false_genres(self, base: Base) -> Iterator[Candidate]:
        """A film that is of another genre: "the western Titanic"."""
        film = base.thing.positions
        for genre, positions in self.bases.genres_beside(base):
            if positions.last < film.first and self._stands_beside(positions, base.thing):
                clash = Clash(genre, (_GENRES,))
                yield Candidate(
                    Program((base.query(),)),
                    clash,
                    ValueType.INVALID,
                    base.explained | positions,
                    RuleName.CLASH_OF_DESCRIPTION,
                    (base,),
                )

    def _stands_beside(self, described_by: Positions, work: Thing) -> bool:
        """Whether words stand next to a work: "the Ridley Scott film", "that he directed"."""
        lexicon = self.spans.lexicon
        directing = lexicon.filters["job"]["Director"]
        free_stems: set[str] = set()
        for text in (*lexicon.types[work.type], *directing, *lexicon.filler):
            free_stems.update(map(lexicon.stemmer.stem, text.split()))
        first, second = sorted((described_by, work.positions), key=min)
        between = self.spans.content.intersection(range(first.last + 1, second.first))
        return all(self.spans.stems[i] in free_stems for i in between)
