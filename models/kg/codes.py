"""Codes of the KG in words ("D", "en", "GB"), and synonyms of its values ("best film" is BEST
PICTURE). Both are data: `codes.toml`."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from models.kg.match import THRESHOLD, likeness
from utils.text import fold, stem, words

_DATA = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_PARTS = re.compile(r"\s*(?:/|\(|\)|\"|;)\s*|\s+(?:feat\.?|ft\.?|featuring)\s+|,\s+|\s+&\s+")
_MAY_BE_MISSPELT = 6  # letters; in a shorter name, another letter makes another name
# Words that people add to the name of an award, and the KG does not.
_AWARD_WORDS = frozenset(
    map(stem, "best award awards oscar oscars academy for the in of a".split())
)


@cache
def _meant(kind: str) -> dict[str, str]:
    """The wording of each code of a kind, by its synonyms and itself, folded."""
    rows = _DATA["codes"].get(kind, {})
    return {fold(text): name for name, some in rows.items() for text in (name, *some)}


@cache
def _names(kind: str) -> dict[tuple[str, ...], frozenset[str]]:
    """The KG's own names that a name of this kind covers, folded."""
    rows = _DATA["names"].get(kind, [])
    return {
        _plain(kind, n): frozenset(map(fold, row["written"])) for row in rows for n in row["names"]
    }


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


def is_code(kind: str, text: str) -> bool:
    """Whether a text is a code of a kind, or a synonym of one."""
    return fold(text) in _meant(kind)


def is_named(kind: str, value: Any, asked: Any) -> bool:
    """Whether a text value is the requested one, under any of its names.

    Compares whole values and the parts of "Bruce Wayne / Batman", ignoring case, accents and
    punctuation; one letter of a longer name may be misspelt.
    """
    wanted = str(asked)
    texts = {str(value), in_words(kind, value)} if kind else {str(value)}
    if name := _meant(kind).get(fold(wanted)):
        return name in texts
    if any(fold(wanted) == fold(text) for text in texts):
        return True
    if kind == "character":  # "Detective Kimball" is "Detective Donald Kimball"
        rest = iter(words(str(value)))
        return all(word in rest for word in words(wanted))  # in this order
    if kind:
        plain = _plain(kind, wanted)
        covered = fold(str(value)) in _names(kind).get(plain, ())
        return covered or any(plain == _plain(kind, text) for text in texts)
    return any(
        words(part) == words(wanted)
        or (len(wanted) >= _MAY_BE_MISSPELT and likeness(wanted, part) >= THRESHOLD)
        for text in texts
        for part in (text, *_PARTS.split(text))
        if part
    )


def _plain(kind: str, name: str) -> tuple[str, ...]:
    """The stems of a name, without words that people add to it."""
    stems = [stem(word) for word in words(name)]
    if kind == "category":
        return tuple(sorted(word for word in stems if word not in _AWARD_WORDS))
    return tuple(stems)
