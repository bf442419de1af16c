"""The two tables that training questions are made of, as typed records.

`pools.toml` says where in the KG's file the values of a question are, `english.toml` how a question
asks for them. A field that is not known is an error when the table is read.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from models.records import Domain

POOLS = Path(__file__).with_name("pools.toml")
ENGLISH = Path(__file__).with_name("english.toml")
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True, config=_STRICT)
class Pool:
    """Where the values of one pool are in the KG's file, and how questions write them.

    Attributes:
        sql: the rows; each column fills the place of its name. Rows with an empty column are left
            out.
        small: places in lower case, as people write questions.
        say: places whose value is replaced by what this list of `english.words` calls it; other
            values are left out.
        each: a list of `english.words`, a place for its value and a place for what that is called:
            one draw for each.
        ending: regular expressions of what is cut from the end of the value at a place.
        label: the place that holds a key; the place `label` gets its words.
        shared: the place of names of which the first two words are kept, if several rows begin
            with them.
        yesterday: questions are asked on the day after the place `day`.
    """

    sql: str
    small: tuple[str, ...] = ()
    say: Mapping[str, str] = field(default_factory=dict)
    each: tuple[str, str, str] | None = None
    ending: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    shared: str | None = None
    yesterday: bool = False


@dataclass(frozen=True, slots=True, config=_STRICT)
class PoolTable:
    """`pools.toml`.

    Attributes:
        parts: pieces of SQL by the names in braces that they replace.
        named: the pool of names that a function of one name is asked with, by "domain.function".
        pools: by name.
    """

    parts: Mapping[str, str]
    named: Mapping[str, str]
    pools: Mapping[str, Pool]


@dataclass(frozen=True, slots=True, config=_STRICT)
class Templates:
    """Templates of questions; those of `held_out` are for measuring only."""

    train: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class KeyTemplates(Templates):
    """Templates for one key, "domain.function.key"; "… count" or "… compare" after it where they
    do not ask for the value itself."""

    key: str


@dataclass(frozen=True, slots=True, kw_only=True, config=_STRICT)
class IntentRow(Templates):
    """A program with places, the pools that fill them, and its templates."""

    domain: Domain
    program: str
    draw: tuple[str, ...]


@dataclass(frozen=True, slots=True, config=_STRICT)
class EnglishTable:
    """`english.toml`.

    Attributes:
        unasked: keys that nobody asks for by a frame.
        frames: templates that fit every key, by what they ask for.
        own: templates of single keys.
        intent: programs of other shapes than a key of a name.
        words: what values are called, by the name of the list.
    """

    unasked: frozenset[str]
    frames: Mapping[str, Templates]
    own: tuple[KeyTemplates, ...]
    intent: tuple[IntentRow, ...]
    words: Mapping[str, Mapping[str, str]]


@cache
def pool_table() -> PoolTable:
    """The pools. One that is `like` another has the other's fields where it has none itself."""
    table = _read_toml(POOLS)
    rows: dict[str, dict[str, Any]] = table["pools"]
    merged = {}
    for name, row in rows.items():
        model = rows[row["like"]] if "like" in row else {}
        fields = {**model, **row}
        fields.pop("like", None)
        merged[name] = fields
    return TypeAdapter(PoolTable).validate_python({**table, "pools": merged})


@cache
def english_table() -> EnglishTable:
    """How English asks."""
    return TypeAdapter(EnglishTable).validate_python(_read_toml(ENGLISH))


def _read_toml(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))
