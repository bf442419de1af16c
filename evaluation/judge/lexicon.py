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

FILE = Path(__file__).with_name("lexicon.toml")


def _row_by_word(rows: Mapping[str, str]) -> dict[str, str]:
    """Each word of the rows with the name of its row."""
    return {word: name for name, words in rows.items() for word in words.split()}


def _patterns(rows: Mapping[str, str]) -> list[tuple[re.Pattern[str], str]]:
    """A pattern for the phrases of each row, with the name of the row."""
    return [(re.compile(rf"\b(?:{phrases})\b", re.I), name) for name, phrases in rows.items()]


Words = Annotated[frozenset[str], BeforeValidator(str.split)]
RowByWord = Annotated[Mapping[str, str], BeforeValidator(_row_by_word)]
Patterns = Annotated[tuple[tuple[re.Pattern[str], str], ...], BeforeValidator(_patterns)]


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
    same: RowByWord
    phrases: Patterns
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
    """
    with FILE.open("rb") as file:
        return TypeAdapter(JudgeLexicon).validate_python(tomllib.load(file))
