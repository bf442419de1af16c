"""Finds phrases of the lexicon in a question by the stems of their words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from models.kg.lexicon.positions import Positions
from utils.text import ARTICLES, words
from utils.text import stem as plain_stem

GAP = "_"  # in a phrase: up to _LONGEST_GAP words of any kind
_LONGEST_GAP = 8


class Stemmer:
    """Stems words; an irregular form has the stem of its base form."""

    def __init__(self, irregular: Mapping[str, str]) -> None:
        """`irregular`: the forms of each base form, separated by blanks."""
        self._base_form: dict[str, str] = {}
        for base, forms in irregular.items():
            self._base_form |= dict.fromkeys(forms.split(), base)
        self.stem = lru_cache(maxsize=65536)(self._stem)
        self.pattern = lru_cache(maxsize=16384)(self._pattern)

    def _stem(self, word: str) -> str:
        stem = plain_stem(self._base_form.get(word, word))
        if stem in self._base_form:
            return plain_stem(self._base_form[stem])
        return stem

    def _pattern(self, phrase: str) -> tuple[str, ...]:
        """The stems of a phrase's words, and its gaps."""
        stems: list[str] = []
        for part in phrase.split():
            if part == GAP:
                stems.append(GAP)
            else:
                stems += map(self.stem, words(part))
        return tuple(stems)


class Matcher:
    """The positions of phrases in one question; each phrase is searched once."""

    def __init__(self, stems: Sequence[str], stemmer: Stemmer) -> None:
        self._stems = stems
        self._known_stems = frozenset(stems)
        self._stemmer = stemmer
        self._places_of_phrase: dict[str, list[Positions]] = {}

    def find(self, phrases: Iterable[str]) -> list[Positions]:
        """The places where any of the phrases stands, with its words in order."""
        places: dict[Positions, None] = {}
        for phrase in phrases:
            if phrase not in self._places_of_phrase:
                self._places_of_phrase[phrase] = list(self._places(phrase))
            places.update(dict.fromkeys(self._places_of_phrase[phrase]))
        return list(places)

    def _places(self, phrase: str) -> Iterator[Positions]:
        pattern = self._stemmer.pattern(phrase)
        if not pattern or any(part != GAP and part not in self._known_stems for part in pattern):
            return
        for start, first in enumerate(self._stems):
            if first == pattern[0]:
                rest = self._match_rest(pattern[1:], start + 1)
                if rest is not None:
                    yield Positions((start, *rest))

    def _match_rest(self, pattern: Sequence[str], start: int) -> tuple[int, ...] | None:
        """The positions of the pattern's words from `start` on; None if they are not there."""
        if not pattern:
            return ()
        if self._is_extra_article(pattern[0], start):
            start += 1  # "hit the theaters" is "hit theaters"
        furthest = start
        if pattern[0] == GAP:
            furthest = start + _LONGEST_GAP
            pattern = pattern[1:]
        for at in range(start, min(furthest + 1, len(self._stems))):
            if self._stems[at] == pattern[0]:
                rest = self._match_rest(pattern[1:], at + 1)
                if rest is not None:
                    return (at, *rest)
        return None

    def _is_extra_article(self, expected: str, at: int) -> bool:
        if at >= len(self._stems) or expected == GAP:
            return False
        return self._stems[at] in ARTICLES and self._stems[at] != expected
