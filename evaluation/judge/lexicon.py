"""The word lists of the rules: the tables of `lexicon.toml` as sets of words.

A misspelt table or row is an error when the file is read.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from models.english.calendar_words import FULL_CALENDAR_NAMES

FILE = Path(__file__).with_name("lexicon.toml")


def _row_by_word(rows: Mapping[str, str]) -> dict[str, str]:
    """Each word of the rows with the name of its row."""
    row_by_word: dict[str, str] = {}
    for name, words in rows.items():
        row_by_word |= dict.fromkeys(words.split(), name)
    return row_by_word


def _month_names(abbreviations: str) -> dict[str, str]:
    """The full name of each abbreviation of a month."""
    return {word: FULL_CALENDAR_NAMES[word] for word in abbreviations.split()}


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases that count as one name: a pattern with a group a name, and the names."""

    pattern: re.Pattern[str]
    names: tuple[str, ...]

    def replaced(self, text: str) -> str:
        """`text` with the name in the place of each phrase."""
        return self.pattern.sub(lambda match: self.names[(match.lastindex or 1) - 1], text)


def _phrases(rows: Mapping[str, str]) -> Phrases:
    """The phrases of all rows; no row has a group of its own."""
    groups = "|".join(f"({phrases})" for phrases in rows.values())
    return Phrases(re.compile(rf"\b(?:{groups})\b", re.I), tuple(rows))


Words = Annotated[frozenset[str], BeforeValidator(str.split)]
RowByWord = Annotated[Mapping[str, str], BeforeValidator(_row_by_word)]
MonthNames = Annotated[Mapping[str, str], BeforeValidator(_month_names)]
PhraseRows = Annotated[Phrases, BeforeValidator(_phrases)]


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class JudgeLexicon:
    """The tables of `lexicon.toml`, whose comments say what each is for.

    Of a table with rows, each word is known with the name of its row.
    """

    stop: Words
    firm: Words
    title: Words
    cues: Words
    turns: Words
    relations: Words
    bounds: Words
    behind: Words
    counted: Words
    negative: Words
    months: MonthNames
    same: RowByWord
    phrases: PhraseRows
    topics: RowByWord
    measures: RowByWord
    contrasts: RowByWord
    more: RowByWord
    less: RowByWord
    directions: RowByWord
    hints: Mapping[str, Words]
    codes: Mapping[str, Mapping[str, tuple[str, ...]]]


@cache
def judge_lexicon() -> JudgeLexicon:
    """The word lists, read once.

    Raises:
        pydantic.ValidationError: a table or row is misspelt, missing or of another form.
        KeyError: `models/english/calendar_words.py` has no such abbreviation.
    """
    with FILE.open("rb") as file:
        return TypeAdapter(JudgeLexicon).validate_python(tomllib.load(file))
