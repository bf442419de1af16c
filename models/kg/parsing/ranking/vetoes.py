"""Vetoes: answers that must be wrong, whatever their features say."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from models.english.likeness import LEAST_PART
from models.kg.lexicon.positions import Positions, union_of
from models.kg.lexicon.types import MUSICIAN, PERSON, QuestionOperator, ValueType
from models.kg.parsing.answers import Age, Count, Exists, FalsePremise, Than, Values
from models.kg.parsing.candidates import Candidate
from models.kg.parsing.coverage import Coverage
from models.kg.parsing.ranking.features import things_of
from models.kg.parsing.ranking.question_types import AskedTypes
from models.kg.parsing.spans import Thing
from utils.text import content_words

_NAMED_IN_PART = (PERSON, MUSICIAN)  # a surname names a person

_QUESTION_WORDS = frozenset("who whom whose what when where which how why".split())
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
        self._words_for = self._lexicon.question_words

    def rules_out(self, candidate: Candidate, answer: str) -> bool:
        """Whether the answer must be wrong, by one of the reasons below."""
        return any(veto(self, candidate) for veto in _OF_CANDIDATES) or (
            self._gives_values(candidate)
            and any(veto(self, candidate, answer) for veto in _OF_VALUES)
        )

    @staticmethod
    def _gives_values(candidate: Candidate) -> bool:
        """Whether its answer is what a key says of a thing, other than the thing's own name."""
        is_values = isinstance(candidate.composer, Values)
        return is_values and not candidate.bases[0].relation.values.own_name

    # ---- by what the candidate reads

    def _leaves_a_quotation(self, candidate: Candidate) -> bool:
        """Whether it leaves a quoted name unread, as in "the members during the "Thriller" era", or
        takes it for a part of another name."""
        partial = union_of(thing.positions for thing in things_of(candidate) if thing.partial)
        for words in self._spans.quotations:
            if not words & self._spans.content <= candidate.explained or words.meets(partial):
                return True
        return False

    def _leaves_a_named_thing(self, candidate: Candidate) -> bool:
        """Whether it leaves a whole name unread: "who directed Titanic, and when was Inception
        released?" has no answer about one of them."""
        unread = self._coverage.unexplained(candidate)
        for thing in self._spans.things:
            is_whole = thing.score == 1 and not thing.partial and not thing.doubtful
            if is_whole and not thing.type.is_number and thing.positions <= unread:
                return True
        return False

    def _leaves_a_question(self, candidate: Candidate) -> bool:
        """Whether it reads nothing of one of two questions: "how long is Titanic and who is the CEO
        of Apple?"."""
        unread = self._coverage.unexplained(candidate)
        for half in self._halves:
            if half and half <= unread:
                return True
        return False

    @cached_property
    def _halves(self) -> tuple[frozenset[int], ...]:
        """The content words before and after "and who", "and when" and so on."""
        words = self._spans.words
        for i, (word, following) in enumerate(pairwise(words)):
            if word == "and" and following in _QUESTION_WORDS:
                content = self._spans.content
                return (
                    frozenset(place for place in content if place < i),
                    frozenset(place for place in content if place > i),
                )
        return ()

    def _is_uncommon(self, thing: Thing) -> bool:
        words = self._spans.words
        return not all(self._lexicon.is_english(words[i]) for i in thing.positions)

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
        """The candidates about each thing, each with the words that it leaves over; without those
        of false premises, and the joined ones, which read words as facts of something else."""
        readings: defaultdict[Thing, list[tuple[Candidate, Positions]]] = defaultdict(list)
        for candidate in self._candidates:
            if not candidate.joined and not candidate.rule.finds_false_premise:
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
        """Whether one of its names is common words that are a small part of a name, and no other
        word says what is meant: "bread" is no company, but "the company bread" may be one."""
        return not all(self._is_evident(thing) for thing in things_of(candidate))

    def _is_evident(self, thing: Thing) -> bool:
        is_large_part = thing.score > LEAST_PART and len(thing.positions) > 1
        if not thing.partial or is_large_part or thing.type in _NAMED_IN_PART:
            return True
        if self._is_uncommon(thing):
            return True
        places = self._spans.match.find(self._lexicon.types.get(thing.type, ()))
        return any(not place.meets(thing.positions) for place in places)

    def _is_of_a_type_never_asked_for(self, candidate: Candidate) -> bool:
        """Whether this form of question never asks for its type of answer."""
        return candidate.type in self._types.never

    def _is_out_of_date(self, candidate: Candidate) -> bool:
        """Whether what was once is its answer to "the current …"."""
        asks_for_current = not set(self._words_for.current).isdisjoint(self._spans.words)
        return asks_for_current and any(base.relation.times.past for base in candidate.bases)

    def _is_of_one_of_two(self, candidate: Candidate) -> bool:
        """Whether it reads one of two things that are compared."""
        is_of_one = len(candidate.bases) == 1
        return self._spans.compares and is_of_one and candidate.type is not ValueType.POLAR

    def _is_no_choice(self, candidate: Candidate) -> bool:
        """Whether it gives a figure where the question asks which or who of two."""
        asks_for_one_of_two = self._spans.chooses and self._types.form_name in ("which", "who")
        return asks_for_one_of_two and candidate.type.is_ordered

    def _leaves_a_superlative(self, candidate: Candidate) -> bool:
        """Whether it gives a figure and leaves "highest" unread."""
        is_figure = candidate.type.is_numeric and isinstance(candidate.composer, (Values, Age))
        return is_figure and self._coverage.unexplained(candidate).meets(self._superlatives)

    def _leaves_a_word_beside_the_name(self, candidate: Candidate) -> bool:
        """Whether it leaves a word unread that may belong to the name that the question is about:
        "Is Dunkirk Two the original title?"."""
        base = candidate.bases[0]
        if not (base.relation.values.own_name and self._form.polar):
            return False
        beside_name = {base.thing.positions.first - 1, base.thing.positions.last + 1}
        return not self._coverage.unexplained(candidate).isdisjoint(beside_name)

    def _leaves_a_limit(self, candidate: Candidate) -> bool:
        """Whether it says that there is such a thing, or none, and leaves a word unread that limits
        which: "quarterly"."""
        composers = (Exists, Than, FalsePremise) if self._form.polar else (Exists, Than)
        says_whether_any = isinstance(candidate.composer, composers)
        return says_whether_any and bool(self._coverage.unexplained(candidate))

    def _leaves_a_decisive_word(self, candidate: Candidate) -> bool:
        """Whether it leaves a word unread that changes the meaning: "not", "except"."""
        relation = candidate.bases[0].relation
        unexplained = self._coverage.unexplained(candidate)
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

    # ---- by the values that it gives

    def _is_at_another_time(self, candidate: Candidate, answer: str) -> bool:
        """Whether it gives what was until some time, uncounted."""
        counts = QuestionOperator.COUNT in self._spans.operators
        return bool(candidate.bases[0].relation.times.until) and not counts

    def _has_no_number(self, candidate: Candidate, answer: str) -> bool:
        """Whether it has no digit where a number is asked for."""
        wanted = self._types.wanted
        asks_for_number = ValueType.NUMBER in wanted or ValueType.MONEY in wanted
        return asks_for_number and not any(character.isdigit() for character in answer)

    def _repeats_a_name(self, candidate: Candidate, answer: str) -> bool:
        """Whether it is a name of the question, of which it may choose one."""
        things = {base.thing for base in candidate.bases}
        if not self._spans.chooses:
            things |= self._certain_things
        mentions = {frozenset(content_words(thing.mention)) for thing in things}
        return frozenset(content_words(answer)) in mentions

    @cached_property
    def _certain_things(self) -> frozenset[Thing]:
        """The things that the question surely names."""
        return frozenset(
            thing for thing in self._spans.things if not thing.doubtful and not thing.type.is_number
        )


# What prevents no wrong answer on real questions is no veto (docs/LOG.md), unless it forbids what
# is wrong by its form.
_OF_CANDIDATES: tuple[Callable[[Vetoes, Candidate], bool], ...] = (
    Vetoes._has_no_evidence_of_name,
    Vetoes._is_of_a_type_never_asked_for,
    Vetoes._is_out_of_date,
    Vetoes._is_of_one_of_two,
    Vetoes._is_no_choice,
    Vetoes._leaves_a_superlative,
    Vetoes._leaves_a_word_beside_the_name,
    Vetoes._leaves_a_limit,
    Vetoes._leaves_a_decisive_word,
    Vetoes._leaves_a_quotation,
    Vetoes._leaves_a_named_thing,
    Vetoes._leaves_a_question,
    Vetoes._is_meant_otherwise,
)
_OF_VALUES: tuple[Callable[[Vetoes, Candidate, str], bool], ...] = (
    Vetoes._is_at_another_time,
    Vetoes._has_no_number,
    Vetoes._repeats_a_name,
)
