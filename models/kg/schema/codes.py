"""Codes of the KG in words ("D", "en", "GB"), and synonyms of its values ("best film" is BEST
PICTURE). Both are data: `codes.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from utils.text import fold, words

_FILE = Path(__file__).with_suffix(".toml")


class _NamesRow(BaseModel):
    """Names that people use, and the KG's own names that each of them covers."""

    model_config = ConfigDict(extra="forbid")

    names: tuple[str, ...]
    written: tuple[str, ...]


class _CodesFile(BaseModel):
    """`codes.toml`.

    Attributes:
        codes: by kind and wording, the KG's code and then its synonyms.
        names: by kind.
        brands: by company, the brands and short names for it.
    """

    model_config = ConfigDict(extra="forbid")

    codes: dict[str, dict[str, tuple[str, ...]]]
    names: dict[str, tuple[_NamesRow, ...]]
    brands: dict[str, tuple[str, ...]]


@cache
def _code_tables() -> _CodesFile:
    return _CodesFile.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))


@cache
def _wording_by_synonym(kind: str) -> dict[str, str]:
    """The wording of each code of a kind, by its synonyms and itself, folded."""
    wordings: dict[str, str] = {}
    for wording, synonyms in _code_tables().codes.get(kind, {}).items():
        for text in (wording, *synonyms):
            wordings[fold(text)] = wording
    return wordings


@cache
def brands() -> dict[tuple[str, ...], str]:
    """The companies behind brands and short names, which are given as folded words."""
    company_by_brand: dict[tuple[str, ...], str] = {}
    for company, names in _code_tables().brands.items():
        for brand in names:
            company_by_brand[tuple(words(brand))] = company
    return company_by_brand


@cache
def _english_names(kind: str) -> dict[str, str]:
    """The English names of all languages or countries, by their codes."""
    from babel import Locale

    locale = Locale("en")
    tables = {"language": locale.languages, "country": locale.territories}
    return {code.lower(): name for code, name in tables.get(kind, {}).items()}


def in_words(kind: str, value: Any) -> str:
    """A value in words: "en" is "English", "D" is "a draw"."""
    text = str(value)
    for wording, (code, *_) in _code_tables().codes.get(kind, {}).items():
        if text == code:
            return wording
    return _english_names(kind).get(text.lower(), text)


def name_of(kind: str, text: str) -> str:
    """The wording of a code, or of one of its synonyms."""
    return wording_of_synonym(kind, text) or in_words(kind, text)


def wording_of_synonym(kind: str, text: str) -> str | None:
    """The wording of the code that a text is a synonym of; None if it is none."""
    return _wording_by_synonym(kind).get(fold(text))


def written_names(kind: str) -> list[tuple[str, tuple[str, ...]]]:
    """The names that people use for values of a kind, each with the KG's own names it covers."""
    names: list[tuple[str, tuple[str, ...]]] = []
    for row in _code_tables().names.get(kind, ()):
        names += [(name, row.written) for name in row.names]
    return names


def is_code(kind: str, text: str) -> bool:
    """Whether a text is a code of a kind, or a synonym of one."""
    return fold(text) in _wording_by_synonym(kind)
