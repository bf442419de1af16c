"""Rules for false premises, except those about a game's result."""

from collections.abc import Iterator, Sequence

from models.kg.language.ast import Program
from models.kg.lexicon.positions import Positions
from models.kg.lexicon.types import MOVIE, QuestionOperator, ThingType, ValueType
from models.kg.parsing.answers import Clash, FalsePremise
from models.kg.parsing.base import Base, TimeScope
from models.kg.parsing.bases import Bases
from models.kg.parsing.candidates import Candidate, RuleName
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.rules.rule import Rule
from models.kg.parsing.spans import WHOLE_NAME, Spans, Thing

_GENRES = "genres"  # the key that lists them
_RELATIVE = (
    QuestionOperator.AFTER,
    QuestionOperator.BEFORE,
    QuestionOperator.SINCE,
    QuestionOperator.UNTIL,
)


class ClosedDayRules(Rule):
    """A false premise: the price of a day of the week on which no stock is traded."""

    def candidates_of(self, base: Base) -> Iterator[Candidate]:
        """The candidates of a base."""
        if base.relation.function.name != "get_stock_price" or base.scope is not TimeScope.DAY:
            return
        words = {self.spans.words[i] for i in base.explained - base.thing.positions}
        names_closed_day = not words.isdisjoint(self.spans.lexicon.question_words.closed_days)
        if names_closed_day and not any(self.has(operator) for operator in _RELATIVE):
            yield self.candidate(RuleName.CLOSED_DAY, FalsePremise(impossible=True), base)


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
