"""The word lists of the rules: the tables of `lexicon.toml` as typed records.

A misspelt table or row is an error when the file is read.
"""

import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

FILE = Path(__file__).with_name("lexicon.toml")


def _row_by_word(rows: Mapping[str, str]) -> dict[str, str]:
    """Each word of the rows with the name of its row."""
    names: dict[str, str] = {}
    for row_name, row_words in rows.items():
        for word in row_words.split():
            names[word] = row_name
    return names


Words = Annotated[frozenset[str], BeforeValidator(str.split)]
RowByWord = Annotated[Mapping[str, str], BeforeValidator(_row_by_word)]
_STRICT_FIELDS = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_STRICT_FIELDS)
class JudgeWordList:
    """A table that is one list of words."""

    words: Words


@dataclass(frozen=True, config=_STRICT_FIELDS)
class Cues:
    """The words by which a reply denies, doubts, takes back or only supposes something."""

    denial: Words
    error: Words
    turn: Words
    former: Words
    wish: Words

    @cached_property
    def every(self) -> frozenset[str]:
        """The words of all rows."""
        return self.denial | self.error | self.turn | self.former | self.wish


@dataclass(frozen=True, config=_STRICT_FIELDS)
class Neutral:
    """The words that may stand before an answer and change nothing."""

    frame: Words
    firm: Words
    kind: Words
    person: Words
    role: Words

    @cached_property
    def every(self) -> frozenset[str]:
        """The words of all rows."""
        return self.frame | self.firm | self.kind | self.person | self.role


@dataclass(frozen=True, slots=True, config=_STRICT_FIELDS)
class BoundWords:
    """The words that make a date or a number a bound, or a difference if they follow it."""

    dates: Words
    numbers: Words
    behind: Words


@dataclass(frozen=True, slots=True, config=_STRICT_FIELDS)
class Codes:
    """The names of the codes of languages, countries and results of games."""

    language: Mapping[str, tuple[str, ...]]
    country: Mapping[str, tuple[str, ...]]
    result: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, config=_STRICT_FIELDS)
class JudgeLexicon:
    """The tables of `lexicon.toml`, whose comments say what each is for.

    `same` has the spelling that stands for a word, `deeds` the name of the deed that a word tells.
    """

    stop: JudgeWordList
    same: RowByWord
    deeds: RowByWord
    cues: Cues
    neutral: Neutral
    counted: JudgeWordList
    bounds: BoundWords
    weak: JudgeWordList
    codes: Codes
    hints: Mapping[str, str]


@cache
def judge_lexicon() -> JudgeLexicon:
    """The word lists, read once.

    Raises:
        pydantic.ValidationError: a table or row is misspelt, missing or of another form.
    """
    with FILE.open("rb") as file:
        return TypeAdapter(JudgeLexicon).validate_python(tomllib.load(file))
