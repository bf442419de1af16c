"""A question as words with their positions in its text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from utils.text import words

_CHUNK = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Word:
    """A folded word without possessive ending, and its characters in the question's text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QuestionText:
    """The words of a question, in order; `asked_at` is the question's own time, None if unknown."""

    text: str
    words: tuple[Word, ...]
    asked_at: datetime | None = None

    @classmethod
    def of(cls, text: str, asked_at: datetime | None = None) -> "QuestionText":
        """The words of `text`."""
        placed_words = []
        for chunk in _CHUNK.finditer(text):
            parts = words(chunk.group())  # "twenty-one" gives two words at the same position
            placed_words += [Word(part, chunk.start(), chunk.end()) for part in parts]
        return cls(text, tuple(placed_words), asked_at)

    def without(self, spans: Iterable["WordSpan"]) -> "QuestionText":
        """The same without the words of each span."""
        removed: set[int] = set()
        for span in spans:
            removed.update(range(span.first, span.end))
        rest = tuple(word for index, word in enumerate(self.words) if index not in removed)
        return QuestionText(self.text, rest, self.asked_at)

    def texts(self, span: "WordSpan") -> list[str]:
        """The folded words of a span."""
        return [word.text for word in self.words[span.first : span.end]]

    def spelled(self, span: "WordSpan") -> str:
        """The words of a span as spelled in the question, without punctuation at the ends."""
        chunk = self.text[self.words[span.first].start : self.words[span.end - 1].end]
        return chunk.strip(" ,;:?!\"'()“”‘’")


@dataclass(frozen=True, slots=True)
class WordSpan:
    """The words from `first` to before `end` of a question."""

    first: int
    end: int

    def __len__(self) -> int:
        return self.end - self.first

    def meets(self, other: "WordSpan") -> bool:
        """Whether the two have a word in common."""
        return self.first < other.end and other.first < self.end


def runs(run: Sequence[str], within: Sequence[str]) -> Iterator[WordSpan]:
    """Every occurrence of `run` in `within` as consecutive words; none for an empty one."""
    if not run:
        return
    size = len(run)
    for start in range(len(within) - size + 1):
        if list(within[start : start + size]) == list(run):
            yield WordSpan(start, start + size)
