"""The words of the query language, and what models write instead of them (`words.toml`)."""

import tomllib
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from models.kg.schema.functions import squeezed_name
from models.kg.schema.operations import Arithmetic, Op, Reduce

_Meaning = TypeVar("_Meaning")


class Constant(StrEnum):
    """A constant, as the language writes it."""

    NONE = "None"
    TRUE = "true"
    FALSE = "false"

    @property
    def literal(self) -> bool | None:
        """Its value in Python."""
        return _LITERALS[self]


_LITERALS = {Constant.NONE: None, Constant.TRUE: True, Constant.FALSE: False}


class WordRole(StrEnum):
    """What a name means that is neither in the schema nor an operator."""

    ALL = "all"
    DISTINCT = "distinct"
    SORT = "sort"
    WRAPPER = "wrapper"
    WHERE = "where"
    KEY = "key"
    DESCENDING = "descending"
    ASCENDING = "ascending"


class _WordFile(BaseModel, frozen=True, extra="forbid"):
    """The sections of `words.toml`: meanings, each with its spellings separated by blanks; of
    signs and characters, all that are read as one."""

    operators: Mapping[Op, str]
    reductions: Mapping[Reduce, str]
    arithmetic: Mapping[Arithmetic, str]
    signs: Mapping[Arithmetic, str]
    constants: Mapping[Constant, str]
    roles: Mapping[WordRole, str]
    characters: Mapping[str, str]


def _by_spelling(section: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """The meanings of a section, by their folded spellings."""
    meanings = {}
    for meaning, spellings in section.items():
        for spelling in spellings.split():
            meanings[squeezed_name(spelling)] = meaning
    return meanings


def _by_character(section: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """The meanings of a section, by the characters that are read as them."""
    meanings = {}
    for meaning, characters in section.items():
        for character in characters:
            meanings[character] = meaning
    return meanings


_TEXT = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
_FILE = _WordFile.model_validate(tomllib.loads(_TEXT))

COMPARISON_NAMES = {str(op): op for op in Op} | {"ne": Op.NE}  # as the language writes them
OPERATOR_WORDS = _by_spelling(_FILE.operators) | COMPARISON_NAMES
REDUCE_WORDS = _by_spelling(_FILE.reductions)
ARITHMETIC_WORDS = _by_spelling(_FILE.arithmetic)
ARITHMETIC_SIGNS = _by_character(_FILE.signs)
CONSTANTS = _by_spelling(_FILE.constants)
ROLES = _by_spelling(_FILE.roles)  # "sorted" -> SORT, "desc" -> DESCENDING
CHARACTERS = _by_character(_FILE.characters)
