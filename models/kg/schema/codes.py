"""Codes of the KG in words ("D", "en", "GB"), and synonyms of its values ("best film" is BEST
PICTURE). Both are data: `codes.toml`."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from utils.text import fold, words

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


@cache
def _meant(kind: str) -> dict[str, str]:
    """The wording of each code of a kind, by its synonyms and itself, folded."""
    rows = _DATA["codes"].get(kind, {})
    return {fold(text): name for name, some in rows.items() for text in (name, *some)}


@cache
def brands() -> dict[tuple[str, ...], str]:
    """The companies behind brands and short names, which are given as folded words."""
    rows = _DATA["brands"].items()
    return {tuple(words(brand)): company for company, called in rows for brand in called}


@cache
def _english(kind: str) -> dict[str, str]:
    """The English names of all languages or countries, by their codes."""
    from babel import Locale

    locale = Locale("en")
    tables = {"language": locale.languages, "country": locale.territories}
    return {code.lower(): name for code, name in tables.get(kind, {}).items()}


def in_words(kind: str, value: Any) -> str:
    """A value in words: "en" is "English", "D" is "a draw"."""
    text = str(value)
    for name, (code, *_) in _DATA["codes"].get(kind, {}).items():
        if text == code:
            return str(name)
    return _english(kind).get(text.lower(), text)


def name_of(kind: str, asked: str) -> str:
    """The wording of a code, or of one of its synonyms."""
    return _meant(kind).get(fold(asked)) or in_words(kind, asked)


def wording_of_synonym(kind: str, text: str) -> str | None:
    """The wording of the code that a text is a synonym of; None if it is none."""
    return _meant(kind).get(fold(text))


def written_names(kind: str) -> list[tuple[str, list[str]]]:
    """The names that people use for values of a kind, each with the KG's own names it covers."""
    rows = _DATA["names"].get(kind, [])
    return [(name, row["written"]) for row in rows for name in row["names"]]


def is_code(kind: str, text: str) -> bool:
    """Whether a text is a code of a kind, or a synonym of one."""
    return fold(text) in _meant(kind)
