"""What words of English do to an answer beside them."""

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("lexicon.toml")

Words = frozenset[str]


@cache
def _table() -> dict[str, dict[str, Words]]:
    with _FILE.open("rb") as file:
        rows = tomllib.load(file)
    return {
        part: {name: frozenset(row.split()) for name, row in rows[part].items()} for part in rows
    }


@cache
def words(part: str, *rows: str) -> Words:
    """The words of `part`: of all its rows, or of those named."""
    table = _table()[part]
    return frozenset(word for name in (rows or table) for word in table[name])


@cache
def _deeds_by_word() -> dict[str, str]:
    return {word: deed for deed, row in _table()["deeds"].items() for word in row}


def deeds(said: Iterable[str]) -> frozenset[str]:
    """The deeds that any of the words `said` names."""
    table = _deeds_by_word()
    return frozenset(table[word] for word in said if word in table)
