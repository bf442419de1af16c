"""Finds phrases of the lexicon in a question by the stems of their words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from utils.text import stem as plain_stem
from utils.text import words

GAP = "_"  # in a phrase: up to _LONGEST_GAP words of any kind
_LONGEST_GAP = 8
Positions = frozenset[int]  # indices of words of the question
NOTHING: Positions = frozenset()


class Stemmer:
    """Stems words; an irregular form has the stem of its base form."""

    def __init__(self, irregular: Mapping[str, str]) -> None:
        self._base = {form: base for base, forms in irregular.items() for form in forms.split()}
        self.stem = lru_cache(maxsize=65536)(self._stem)
        self.pattern = lru_cache(maxsize=16384)(self._pattern)

    def _stem(self, word: str) -> str:
        plain = plain_stem(self._base.get(word, word))
        return plain_stem(self._base[plain]) if plain in self._base else plain

    def _pattern(self, phrase: str) -> tuple[str, ...]:
        return tuple(
            GAP if part == GAP else self.stem(word)
            for part in phrase.split()
            for word in ([GAP] if part == GAP else words(part))
        )


class Matcher:
    """The positions of phrases in one question; each phrase is searched once."""

    def __init__(self, stems: Sequence[str], stemmer: Stemmer) -> None:
        self._stems = stems
        self._known = frozenset(stems)
        self._stemmer = stemmer
        self._found: dict[str, list[Positions]] = {}

    def find(self, phrases: Iterable[str]) -> list[Positions]:
        """The positions of each phrase, with its words in order."""
        found: dict[Positions, None] = {}
        for phrase in phrases:
            if phrase not in self._found:
                self._found[phrase] = list(self._find(phrase))
            found.update(dict.fromkeys(self._found[phrase]))
        return list(found)

    def _find(self, phrase: str) -> Iterator[Positions]:
        pattern = self._stemmer.pattern(phrase)
        if not pattern or any(part != GAP and part not in self._known for part in pattern):
            return
        for start, first in enumerate(self._stems):
            if first == pattern[0]:
                places = self._rest(pattern[1:], start + 1)
                if places is not None:
                    yield frozenset((start, *places))

    def _rest(self, pattern: Sequence[str], start: int) -> tuple[int, ...] | None:
        if not pattern:
            return ()
        here = self._stems[start : start + 1]
        if here in (["the"], ["a"], ["an"]) and pattern[0] not in (GAP, *here):
            start += 1  # "hit the theaters"
        furthest = start + _LONGEST_GAP if pattern[0] == GAP else start
        wanted = pattern[1:] if pattern[0] == GAP else pattern
        for at in range(start, min(furthest + 1, len(self._stems))):
            if self._stems[at] == wanted[0]:
                rest = self._rest(wanted[1:], at + 1)
                if rest is not None:
                    return (at, *rest)
        return None
