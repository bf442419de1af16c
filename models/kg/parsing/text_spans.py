"""The words of a question, and the spans that need no KG: times, numbers, operators."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from models.english.quantity_words import (
    DIGITS_AND_COMMAS,
    ONE_AS_ARTICLE,
    ORDINAL_ENDING,
    SCALES,
    any_of,
    number_words,
    ordinal_words,
    written_number,
)
from models.english.question import QuestionText
from models.english.times import TimePhrase, find_times
from models.kg.lexicon.lexicon import Lexicon
from models.kg.lexicon.matching import Matcher
from models.kg.lexicon.positions import Positions, positions_of, union_of
from models.kg.lexicon.types import QuestionOperator
from models.kg.parsing.form import Form
from utils.text import FUNCTION_WORDS

_YEAR = re.compile(r"(?:18|19|20)\d\d")
ORDINAL = re.compile(rf"(\d{{1,3}}){ORDINAL_ENDING}")
ORDINAL_WORDS = ordinal_words(2, 10)  # "first" is an operator
_NUMBER_WORDS = number_words(1, 12)
_UNREAD_SCALES = frozenset(("hundred", "mn", "t"))
_QUOTATION = re.compile(r'["“]([^"“”]+)["”]')
_NEAR = 4  # words from a ceremony's number to the award or the year
_SMALL = 100  # smaller numbers may state how many values are requested


@dataclass
class TextSpans:
    """The words of one question, and the spans that need no KG."""

    question: QuestionText
    lexicon: Lexicon

    @cached_property
    def corrected(self) -> QuestionText:
        """The question without misspellings of the lexicon's words, in as many words."""
        return QuestionText.of(self.lexicon.corrected(self.question.text), self.question.asked_at)

    @cached_property
    def words(self) -> list[str]:
        return [word.text for word in self.question.words]

    @cached_property
    def stems(self) -> list[str]:
        return [self.lexicon.stemmer.stem(word.text) for word in self.corrected.words]

    @cached_property
    def match(self) -> Matcher:
        return Matcher(self.stems, self.lexicon.stemmer)

    @cached_property
    def form(self) -> Form:
        return Form(self.corrected, self.lexicon)

    @cached_property
    def content(self) -> Positions:
        """The content words."""
        return Positions(i for i, word in enumerate(self.words) if word not in FUNCTION_WORDS)

    @cached_property
    def operators(self) -> dict[QuestionOperator, list[Positions]]:
        """The places of each operator that occurs."""
        places = {
            operator: self.match.find(phrases)
            for operator, phrases in self.lexicon.operators.items()
        }
        return {operator: hits for operator, hits in places.items() if hits}

    def places_of(self, operator: QuestionOperator) -> Sequence[Positions]:
        """The places of an operator; none if it does not occur."""
        return self.operators.get(operator, ())

    @cached_property
    def compares(self) -> bool:
        """Whether it asks which of two has more or less of something."""
        if not self.chooses:
            return False
        times = (*self.places_of(QuestionOperator.LATEST), *self.places_of(QuestionOperator.FIRST))
        sizes = (*self.places_of(QuestionOperator.MAX), *self.places_of(QuestionOperator.MIN))
        return any(not any(size <= time for time in times) for size in sizes)

    @cached_property
    def chooses(self) -> bool:
        """Whether it names alternatives; "yes or no" and "or so" name none."""
        idle_phrases = (*self.lexicon.question_words.tags, *self.lexicon.filler)
        idle = union_of(self.match.find(idle_phrases))
        return any(word == "or" and i not in idle for i, word in enumerate(self.words))

    @cached_property
    def comparatives(self) -> Positions:
        """The words that compare two things: "higher"."""
        return union_of(self.match.find(self.lexicon.question_words.comparatives))

    @cached_property
    def times(self) -> list[tuple[TimePhrase, Positions]]:
        phrases = find_times(self.corrected)
        return [(time, positions_of(time.span.first, time.span.end)) for time in phrases]

    @cached_property
    def time_words(self) -> Positions:
        """The words of all times."""
        return union_of(positions for _, positions in (*self.times, *self.years))

    @cached_property
    def quotations(self) -> list[Positions]:
        """The words of each quotation: titles and other names."""
        quotations = _QUOTATION.finditer(self.question.text)
        return [self._words_between(*quotation.span(1)) for quotation in quotations]

    @cached_property
    def numbers(self) -> list[tuple[int, Positions]]:
        """Small integers: how many values are requested."""
        numbers: list[tuple[int, Positions]] = []
        for i, word in enumerate(self.words):
            if word in _NUMBER_WORDS:
                numbers.append((_NUMBER_WORDS[word], Positions((i,))))
            elif word.isdecimal() and 0 < int(word) < _SMALL:
                numbers.append((int(word), Positions((i,))))
        return numbers

    @cached_property
    def ordinals(self) -> list[tuple[int, Positions]]:
        """Ordinals: "second", "12th"."""
        ordinals: list[tuple[int, Positions]] = []
        for i, word in enumerate(self.words):
            in_digits = ORDINAL.fullmatch(word)
            number = int(in_digits[1]) if in_digits else ORDINAL_WORDS.get(word, 0)
            if number:
                ordinals.append((number, Positions((i,))))
        return ordinals

    @cached_property
    def amounts(self) -> list[tuple[float, Positions]]:
        """Numbers as written, which may be a bound: "$1.5 billion", "a million"."""
        scales = {name: SCALES[name] for name in SCALES.keys() - _UNREAD_SCALES}
        scales |= self.lexicon.general.kg_units
        scale = rf"({any_of(scales)})\b"
        number_word = any_of({**_NUMBER_WORDS, **ONE_AS_ARTICLE})
        pattern = rf"({DIGITS_AND_COMMAS})(?:\s*{scale})?|\b({number_word})\s+{scale}"
        pattern = rf"(?:{pattern})(?!\s+and (?:a half|\w+ minutes))"  # not "3" of "3 and a half"
        amounts: list[tuple[float, Positions]] = []
        for match in re.finditer(pattern, self.question.text, re.I | re.A):
            digits, scale_of_digits, word, scale_of_word = match.groups()
            number = written_number((digits or word).lower()) or 0.0
            factor = scales.get((scale_of_digits or scale_of_word or "").lower(), 1)
            amounts.append((number * factor, self._words_between(*match.span())))
        return amounts

    def _words_between(self, start: int, end: int) -> Positions:
        """The words that touch the characters from `start` to before `end`."""
        return Positions(
            i for i, word in enumerate(self.question.words) if word.start < end and word.end > start
        )

    @cached_property
    def years(self) -> list[tuple[int, Positions]]:
        """Years, as written, or as the number of a ceremony: "the 70th Oscars"."""
        years = [
            (int(word), Positions((i,)))
            for i, word in enumerate(self.words)
            if _YEAR.fullmatch(word)
        ]
        if years:
            return years
        for number, positions in self.ordinals:
            year = self._year_of_ceremony(number, positions)
            if year is not None:
                years.append((year, positions))
        return years

    def _year_of_ceremony(self, number: int, positions: Positions) -> int | None:
        """The year of the ceremony whose award is named behind its number."""
        start = positions.last + 1
        near = self.stems[start : start + _NEAR]
        for award, offset in self.lexicon.general.ceremonies.items():
            if self.lexicon.stemmer.stem(award) in near:
                return offset + number
        return None

    def with_ceremony(self, year: Positions) -> Positions:
        """A year with the number of its ceremony: "61st Grammys (2018)"."""
        before = range(max(year.first - _NEAR, 0), year.first)
        return year.union(i for i in before if ORDINAL.fullmatch(self.words[i]))

    def until_before(self, year: Positions) -> Positions:
        """The word before a year that makes it a bound: "until the 62nd Grammys (2019)"."""
        places = self.places_of(QuestionOperator.UNTIL)
        return union_of(place for place in places if year.follows(place, within=_NEAR))

    def text_of(self, positions: Positions) -> str:
        """The folded words at some positions, in order."""
        return " ".join(self.words[i] for i in sorted(positions))
