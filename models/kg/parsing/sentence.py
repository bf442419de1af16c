"""The words of a question, and spans that do not depend on the KG: times, numbers, operators."""

import re
from dataclasses import dataclass
from functools import cached_property

from models.kg.english.quantity_words import (
    ARTICLES,
    DIGITS_AND_COMMAS,
    ORDINAL_ENDING,
    SCALES,
    any_of,
    number_words,
    ordinal_words,
    written_number,
)
from models.kg.english.question import QuestionText
from models.kg.english.times import TimePhrase, find_times
from models.kg.lexicon.lexicon import Lexicon
from models.kg.lexicon.matching import NOTHING, Matcher, Positions
from models.kg.parsing.form import Form
from utils.text import FUNCTION_WORDS

_YEAR = re.compile(r"(?:18|19|20)\d\d")
ORDINAL = re.compile(rf"(\d{{1,3}}){ORDINAL_ENDING}")
ORDINAL_WORDS = ordinal_words(2, 10)  # "first" is an operator
_NUMBER_WORDS = number_words(1, 12)
_UNREAD_SCALES = frozenset(("hundred", "mn", "t"))
NEAR = 4  # words between a ceremony's number and the award
_SMALL = 100  # smaller numbers may state how many values are requested


@dataclass
class Sentence:
    """The words of one question."""

    asked: QuestionText
    lexicon: Lexicon

    @cached_property
    def corrected(self) -> QuestionText:
        """The question without misspellings of the lexicon's words, in as many words."""
        return QuestionText.of(self.lexicon.corrected(self.asked.text), self.asked.at)

    @cached_property
    def words(self) -> list[str]:
        return [word.text for word in self.asked.words]

    @cached_property
    def stems(self) -> list[str]:
        return [self.lexicon.stemmer.stem(word.text) for word in self.corrected.words]

    @cached_property
    def match(self) -> Matcher:
        return Matcher(self.stems, self.lexicon.stemmer)

    @cached_property
    def content(self) -> Positions:
        """The content words."""
        return frozenset(i for i, word in enumerate(self.words) if word not in FUNCTION_WORDS)

    @cached_property
    def operators(self) -> dict[str, list[Positions]]:
        """The positions of each operator that occurs."""
        found = {name: self.match.find(said) for name, said in self.lexicon.operators.items()}
        return {name: places for name, places in found.items() if places}

    @cached_property
    def compares(self) -> bool:
        """Whether it asks which of two has more or less of something."""
        times = [hit for name in ("latest", "first") for hit in self.operators.get(name, ())]
        hits = [hit for name in ("max", "min") for hit in self.operators.get(name, ())]
        return self.chooses and any(not any(hit <= t for t in times) for hit in hits)

    @cached_property
    def chooses(self) -> bool:
        """Whether it names alternatives; "yes or no" and "or so" name none."""
        tags = NOTHING.union(*self.match.find(self.lexicon.question["tags"] + self.lexicon.filler))
        return any(word == "or" and i not in tags for i, word in enumerate(self.words))

    @cached_property
    def comparatives(self) -> Positions:
        """The words that compare two things: "higher"."""
        return NOTHING.union(*self.match.find(self.lexicon.question["comparatives"]))

    @cached_property
    def times(self) -> list[tuple[TimePhrase, Positions]]:
        return [(t, indices(t.span.first, t.span.last)) for t in find_times(self.corrected)]

    @cached_property
    def timed(self) -> Positions:
        """The words of all times."""
        return NOTHING.union(*(used for _, used in (*self.times, *self.years)))

    @cached_property
    def numbers(self) -> list[tuple[int, Positions]]:
        """Small integers: how many values are requested."""
        return [
            (_NUMBER_WORDS.get(word) or int(word), frozenset((i,)))
            for i, word in enumerate(self.words)
            if word in _NUMBER_WORDS or (word.isdecimal() and 0 < int(word) < _SMALL)
        ]

    @cached_property
    def ordinals(self) -> list[tuple[int, Positions]]:
        """Ordinals: "second", "12th"."""
        found = []
        for i, word in enumerate(self.words):
            written = ORDINAL.fullmatch(word)
            place = int(written[1]) if written else ORDINAL_WORDS.get(word, 0)
            if place:
                found.append((place, frozenset((i,))))
        return found

    @cached_property
    def amounts(self) -> list[tuple[float, Positions]]:
        """Numbers as written, which may be a bound: "$1.5 billion", "a million"."""
        scales = {name: SCALES[name] for name in SCALES.keys() - _UNREAD_SCALES}
        scales |= self.lexicon.general["kg_units"]
        scale = rf"({any_of(scales)})\b"
        word = any_of({**_NUMBER_WORDS, **ARTICLES})
        pattern = rf"({DIGITS_AND_COMMAS})(?:\s*{scale})?|\b({word})\s+{scale}"
        pattern = rf"(?:{pattern})(?!\s+and (?:a half|\w+ minutes))"  # not "3" of "3 and a half"
        amounts = []
        for match in re.finditer(pattern, self.asked.text, re.I | re.A):
            digits, scale_of_digits, name, scale_of_name = match.groups()
            number = written_number((digits or name).lower()) or 0.0
            factor = scales.get((scale_of_digits or scale_of_name or "").lower(), 1)
            first, last = match.span()
            used = [i for i, w in enumerate(self.asked.words) if w.start < last and w.end > first]
            amounts.append((number * factor, frozenset(used)))
        return amounts

    @cached_property
    def years(self) -> list[tuple[int, Positions]]:
        """Years, as written, or as the number of a ceremony: "the 70th Oscars"."""
        found = [(int(w), frozenset((i,))) for i, w in enumerate(self.words) if _YEAR.fullmatch(w)]
        if found:
            return found
        stem, ceremonies = self.lexicon.stemmer.stem, self.lexicon.general["ceremonies"].items()
        for place, used in self.ordinals:
            near = self.stems[max(used) + 1 : max(used) + 1 + NEAR]
            found += [(first + place, used) for name, first in ceremonies if stem(name) in near][:1]
        return found

    def with_ceremony(self, year: Positions) -> Positions:
        """A year with the number of its ceremony: "61st Grammys (2018)"."""
        first = min(year)
        near = range(max(first - NEAR, 0), first)
        return year.union(i for i in near if ORDINAL.fullmatch(self.words[i]))

    def until(self, year: Positions) -> Positions:
        """The word before a year that makes it a bound: "until the 62nd Grammys (2019)"."""
        hits = self.operators.get("until", ())
        return NOTHING.union(*(hit for hit in hits if 0 < min(year) - max(hit) <= NEAR))

    def said(self, used: Positions) -> str:
        return " ".join(self.words[i] for i in sorted(used))

    @cached_property
    def form(self) -> Form:
        return Form(self.corrected, self.lexicon)


def indices(first: int, last: int) -> Positions:
    """The words from `first` to before `last`."""
    return frozenset(range(first, last))
