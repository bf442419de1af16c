"""Questions with the misspelt words of times and shares mended."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from models.kg.english.finance.cues import CUES
from models.kg.linking.question import Asked
from utils.text import FUNCTION_WORDS

_LETTERS = re.compile(r"[A-Za-z]+")
_SHORTEST = 5  # letters
# Words of times: nothing else is nearly one of them.
_TIMES = frozenset(
    """
    yesterday today monday tuesday wednesday thursday friday january february april august
    september october november december quarter
    """.split()
)
_WORDS = tuple(sorted(word for word in CUES | _TIMES if len(word) >= _SHORTEST))


@dataclass(frozen=True, slots=True)
class _Mended:
    start: int
    end: int
    text: str


def times_mended(asked: Asked) -> Asked:
    """The question with its misspelt words of times mended."""
    return _mended(asked, tuple(sorted(_TIMES)))


def mended(asked: Asked) -> Asked | None:
    """The question with all its misspelt words mended; None where there are none. A name that is
    nearly such a word is changed, too."""
    changed = _mended(asked, _WORDS)
    return None if changed.text == asked.text else changed


def _mended(asked: Asked, known: tuple[str, ...]) -> Asked:
    text = asked.text
    for found in reversed(list(_misspelt(text, known))):
        text = text[: found.start] + found.text + text[found.end :]
    return asked if text == asked.text else Asked.of(text, asked.at)


def _misspelt(text: str, known: tuple[str, ...]) -> Iterator[_Mended]:
    for match in _LETTERS.finditer(text):
        word = match.group().lower()
        if len(word) < _SHORTEST or word in CUES or word in FUNCTION_WORDS or word in _TIMES:
            continue
        near = process.extractOne(
            word, known, scorer=DamerauLevenshtein.distance, score_cutoff=1 if len(word) < 8 else 2
        )
        if near is not None and near[0][0] == word[0]:
            yield _Mended(match.start(), match.end(), near[0])
