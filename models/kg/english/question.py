"""A question as words with their positions in its text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from utils.text import words

_SPELLED = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word without possessive ending, and its characters in the question's text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QuestionText:
    """The words of a question, in order; `at` is the question's own time, None if unknown."""

    text: str
    words: tuple[Word, ...]
    at: datetime | None = None

    @classmethod
    def of(cls, text: str, at: datetime | None = None) -> "QuestionText":
        found = []
        for chunk in _SPELLED.finditer(text):
            parts = words(chunk.group())  # "twenty-one" gives two words at the same position
            found += [Word(part, chunk.start(), chunk.end()) for part in parts]
        return cls(text, tuple(found), at)

    def without(self, spans: Iterable["WordSpan"]) -> "QuestionText":
        """The same without the words of each span."""
        gone = {index for span in spans for index in range(span.first, span.last)}
        kept = tuple(word for index, word in enumerate(self.words) if index not in gone)
        return QuestionText(self.text, kept, self.at)

    def texts(self, span: "WordSpan") -> list[str]:
        """The folded words of a span."""
        return [word.text for word in self.words[span.first : span.last]]

    def spelled(self, span: "WordSpan") -> str:
        """The words of a span as spelled in the question, without punctuation at the ends."""
        chunk = self.text[self.words[span.first].start : self.words[span.last - 1].end]
        return chunk.strip(" ,;:?!\"'()“”‘’")


@dataclass(frozen=True, slots=True)
class WordSpan:
    """The words from `first` to before `last` of a question."""

    first: int
    last: int

    def __len__(self) -> int:
        return self.last - self.first

    def meets(self, other: "WordSpan") -> bool:
        return self.first < other.last and other.first < self.last


def runs(run: Sequence[str], within: Sequence[str]) -> Iterator[WordSpan]:
    """Every occurrence of `run` in `within` as consecutive words; none for an empty one."""
    for start in range(len(within) - len(run) + 1 if run else 0):
        if list(within[start : start + len(run)]) == list(run):
            yield WordSpan(start, start + len(run))
