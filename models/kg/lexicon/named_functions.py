"""The functions of the schema, whose keys have their English names from the lexicon as synonyms.

The reader repairs programs with these names, and training questions are written with them.
"""

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path

from models.kg.lexicon.files import read_domains
from models.kg.schema.functions import Function, FunctionTable, Key, read_rows
from models.records import Domain

FOLDER = Path(__file__).parent  # of the lexicon's files
_NamedKeys = list[tuple[str, tuple[str, ...]]]  # a pattern of "function.key", and their names


@lru_cache(maxsize=1)
def functions() -> FunctionTable:
    """The functions of the language."""
    return FunctionTable(with_names(read_rows()))


def with_names(rows: Sequence[Function]) -> tuple[Function, ...]:
    """The rows, in whose keys the names of the lexicon precede the synonyms of the schema."""
    named = {domain: _named_keys(domain) for domain in {row.domain for row in rows}}
    return tuple(_with_names(row, named[row.domain]) for row in rows)


def _with_names(row: Function, named: _NamedKeys) -> Function:
    keys = [
        replace(key, synonyms=(*_names_of(row.name, key, named), *key.synonyms)) for key in row.keys
    ]
    return replace(row, keys=tuple(keys))


def _named_keys(domain: Domain) -> _NamedKeys:
    """The keys that have names in a domain's file of the lexicon; most have none."""
    named_keys: _NamedKeys = []
    for row in read_domains(FOLDER)[domain].relation:
        if row.names:
            named_keys += [(pattern, row.names) for pattern in row.keys]
    return named_keys


def _names_of(function: str, key: Key, named: _NamedKeys) -> tuple[str, ...]:
    """The names of a key; without any, those of another function's key of that name, unless this
    one has a label that is not among them."""
    for pattern, names in named:
        if fnmatch(f"{function}.{key.name}", pattern):
            return names
    for pattern, names in named:
        if pattern.endswith(f".{key.name}") and (not key.label or key.label in names):
            return names
    return ()
