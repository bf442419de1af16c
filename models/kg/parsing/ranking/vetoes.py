"""Vetoes: answers that must be wrong, whatever their features say."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from models.kg.english.likeness import LEAST_PART
from models.kg.lexicon.positions import Positions, union_of
from models.kg.lexicon.types import MUSICIAN, PERSON, QuestionOperator, ValueType
from models.kg.parsing.answers import Age, Count, Values
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.ranking.features import things_of
from models.kg.parsing.ranking.question_types import AskedTypes
from models.kg.parsing.spans import Thing
from models.records import INVALID
from utils.text import content_words

_NAMED_IN_PART = (PERSON, MUSICIAN)  # a surname names a person

_SUPERLATIVE = (
    QuestionOperator.MAX,
    QuestionOperator.MIN,
    QuestionOperator.FIRST,
    QuestionOperator.LATEST,
)


class Vetoes:
    """Rules out answers to one question."""

    def __init__(
        self, coverage: Coverage, types: AskedTypes, candidates: Sequence[Candidate]
    ) -> None:
        """`candidates`: all of the question."""
        self._coverage = coverage
        self._types = types
        self._candidates = candidates
        self._spans = coverage.spans
        self._lexicon = coverage.spans.lexicon
        self._form = coverage.spans.form

    def rules_out(self, candidate: Candidate, answer: str) -> bool:
        """Whether the answer must be wrong: of a type or kind that this form of question never
        asks for, without a digit or letter where one is asked for, named in the question, with an
        unexplained negation, unit or quoted name, maybe out of date, or one of less than what the
        question asks for; or about something that the question may not name at all."""
        if self._has_no_evidence_of_name(candidate):
            return True
        if self._is_never_asked_for(candidate) or self._ignores_a_decisive_word(candidate):
            return True
        if self._leaves_a_quotation(candidate) or self._is_meant_otherwise(candidate):
            return True
        relation = candidate.bases[0].relation
        if not isinstance(candidate.composer, Values) or relation.values.own_name:
            return False
        if relation.times.until and QuestionOperator.COUNT not in self._spans.operators:
            return True
        return self._has_no_value(candidate, answer) or self._repeats_question(candidate, answer)

    def _leaves_a_quotation(self, candidate: Candidate) -> bool:
        """Whether it leaves a quoted name unread, as in "the members during the "Thriller" era", or
        takes it for a part of another name."""
        partial = union_of(thing.positions for thing in things_of(candidate) if thing.partial)
        for words in self._spans.quotations:
            if not words & self._spans.content <= candidate.explained or words.meets(partial):
                return True
        return False

    def _is_meant_otherwise(self, candidate: Candidate) -> bool:
        """Whether a fuller candidate about the same thing reads what this one leaves over, also if
        the KG has nothing for it: a dividend is no dividend yield, the latest score not last
        week's."""
        unread = self._unread(candidate)
        for other, unread_by_other in self._readings_of[candidate.bases[0].thing]:
            if candidate.explained < other.explained and unread_by_other < unread:
                return True
        return False

    @cached_property
    def _readings_of(self) -> Mapping[Thing, list[tuple[Candidate, Positions]]]:
        """The candidates about each thing, without those of false premises, each with the words
        that it leaves over."""
        readings: defaultdict[Thing, list[tuple[Candidate, Positions]]] = defaultdict(list)
        for candidate in self._candidates:
            if not candidate.rule.finds_false_premise:
                thing = candidate.bases[0].thing
                readings[thing].append((candidate, self._unread(candidate)))
        return readings

    def _unread(self, candidate: Candidate) -> Positions:
        """The content words that it leaves over, with all words of times that it reads in part."""
        unread = self._coverage.unexplained(candidate)
        for _, places in (*self._spans.times, *self._spans.years):
            time = places & self._spans.content
            if not time <= candidate.explained:
                unread |= time
        return unread

    def _has_no_evidence_of_name(self, candidate: Candidate) -> bool:
        """Whether its only names are common words that are a small part of a name, and no other
        word says what is meant: "bread" is no company, but "the company bread" may be one."""
        things = list(dict.fromkeys(things_of(candidate)))
        return bool(things) and not any(self._is_evident(thing) for thing in things)

    def _is_evident(self, thing: Thing) -> bool:
        if not thing.partial or thing.score > LEAST_PART or thing.type in _NAMED_IN_PART:
            return True
        words = self._spans.words
        if not all(self._lexicon.is_english(words[i]) for i in thing.positions):
            return True
        places = self._spans.match.find(self._lexicon.types.get(thing.type, ()))
        return any(not place.meets(thing.positions) for place in places)

    def _is_never_asked_for(self, candidate: Candidate) -> bool:
        """Whether the question never asks for such an answer."""
        if candidate.type in self._types.never:
            return True
        cues = self._lexicon.question_words
        asks_for_current = not set(cues.current).isdisjoint(self._spans.words)
        if asks_for_current and any(base.relation.times.past for base in candidate.bases):
            return True
        if isinstance(candidate.composer, Count) and self._types.form_name == "how much":
            return True
        is_values = isinstance(candidate.composer, Values)
        if is_values and self._spans.match.find(cues.by_how_much):
            return True
        is_of_one = len(candidate.bases) == 1
        if self._spans.compares and is_of_one and candidate.type is not ValueType.POLAR:
            return True  # a figure of one of two
        asks_for_one_of_two = self._spans.chooses and self._types.form_name in ("which", "who")
        return asks_for_one_of_two and candidate.type.is_ordered

    def _ignores_a_decisive_word(self, candidate: Candidate) -> bool:
        """Whether it leaves a word unexplained that changes the meaning, such as "second",
        "highest" or "the same", or that may belong to the name that the question is about: "Is
        Dunkirk Two the original title?"."""
        base = candidate.bases[0]
        relation = base.relation
        unexplained = self._coverage.unexplained(candidate)
        ordinals = union_of(positions for _, positions in self._spans.ordinals)
        if unexplained.meets(ordinals) or not self._joint_words <= candidate.explained:
            return True
        is_figure = candidate.type.is_numeric and isinstance(candidate.composer, (Values, Age))
        if is_figure and unexplained.meets(self._superlatives):
            return True
        if relation.values.own_name and self._form.polar:
            beside_name = {base.thing.positions.first - 1, base.thing.positions.last + 1}
            if not unexplained.isdisjoint(beside_name):
                return True
        if not isinstance(candidate.composer, (Values, Count)):
            unexplained |= self._coverage.context(candidate)
        may_be_negated = candidate.type is ValueType.POLAR or relation.values.negated
        decisive = self._lexicon.lacking if may_be_negated else self._lexicon.vetoing_words
        type_words = self._lexicon.types.get(relation.target, ())  # "year", where one is asked for
        decisive = decisive.difference(type_words)
        return any(self._spans.words[i] in decisive for i in unexplained)

    @cached_property
    def _superlatives(self) -> Positions:
        """The words that ask for one of several: "the highest-grossing film" asks for no figure."""
        return union_of(union_of(self._spans.places_of(each)) for each in _SUPERLATIVE)

    @cached_property
    def _joint_words(self) -> Positions:
        """The words that ask about two things together."""
        return union_of(self._spans.match.find(self._lexicon.question_words.jointly))

    def _has_no_value(self, candidate: Candidate, answer: str) -> bool:
        """Whether it has no digit where a number is asked for, or begins with one where a person or
        a place is; a film may be called "1917". An infobox's "None" is no answer to "does …?"."""
        wanted = self._types.wanted
        asks_for_number = ValueType.NUMBER in wanted or ValueType.MONEY in wanted
        if asks_for_number and not any(character.isdigit() for character in answer):
            return True
        if self._form.polar and answer == INVALID:
            return True
        asks_for_name = ValueType.PERSON in wanted or self._types.asks_for_thing
        is_number = answer[:1].isdigit() and not candidate.type.is_name
        return asks_for_name and is_number

    def _repeats_question(self, candidate: Candidate, answer: str) -> bool:
        """Whether it is a year, a day or a name of the question."""
        times = {str(year) for year, _ in self._spans.years}
        if candidate.rule.is_plain_value:  # in an order, the day may be a bound
            times |= {str(time.period.first) for time, _ in self._spans.times if time.is_day}
        if answer in times and not self._spans.chooses:
            return True
        things = {base.thing for base in candidate.bases}
        if not self._spans.chooses:
            things.update(
                thing
                for thing in self._spans.things
                if not thing.doubtful and not thing.type.is_number
            )
        answer_words = set(content_words(answer))
        return any(answer_words == set(content_words(thing.mention)) for thing in things)
