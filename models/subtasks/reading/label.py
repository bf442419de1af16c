"""Whether a question's words mean a label: of an infobox's line, or of a table's column."""

import math
from collections.abc import Iterator, Sequence

from models.records import Passage
from models.synonyms import meanings
from utils.text import stem, stems

# Words that say what kind of thing is asked, and need not stand beside it.
ASKING = frozenset(
    stem(word)
    for word in "year date day number total amount city country state town place name".split()
)
# Words that a label of a time or of a place has, and a question has not.
WHEN = frozenset(map(stem, ("date", "day", "year")))
WHERE = frozenset(
    map(stem, ("place", "location", "country", "city", "state", "town", "venue", "birthplace"))
)
_MIN_SCORE_SHARE = 0.3  # of the best passage's score; below it a passage is about something else


def needed(question: str) -> set[str]:
    """The stems of the words that must be explained before something is an answer."""
    return stems(question) - ASKING


def means(asked: set[str], label: set[str]) -> bool:
    """Whether `asked` means all of `label`, and nothing else."""
    meant = [meanings(word) & label for word in asked]
    return bool(label) and all(meant) and label == set().union(*meant)


def likely(passages: Sequence[Passage]) -> Iterator[Passage]:
    """The first of `passages`, until one is scored far below the best."""
    best = max((passage.score for passage in passages), default=0.0)
    # some rerankers score below 0: then there is no share of the best
    floor = _MIN_SCORE_SHARE * best if best > 0 else -math.inf
    for passage in passages:
        if passage.score < floor:
            return
        yield passage
