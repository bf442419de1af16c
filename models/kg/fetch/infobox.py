"""Which key of an infobox holds a fact, by what people call it.

Infoboxes name one fact in many ways (`founder`, `founders`, `founded_by`). The names that people
use and the keys of each fact are data, `infobox.toml`; beyond them keys are compared by the stems
of their words.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rapidfuzz import fuzz

from models.kg.fetch.protocol import Row
from models.kg.language.functions import Key
from utils.text import stem

_FILE = Path(__file__).with_name("infobox.toml")
_MISSPELT = 88  # of 100: how similar the letters of a misspelt name are at least
_SHORTEST_MISSPELT = 5  # letters
_CLOSEST = 5
_PARTICIPLES = ("ed", "born", "built")
_UNIT = {"m": "m", "ft": "ft", "km": "km", "mi": "mi", "km2": "km²", "sq_mi": "sq mi",
         "sqmi": "sq mi", "ha": "ha"}  # fmt: skip
_HELD_UNITS = {"ps_electrical_capacity": "MW", "ps_thermal_capacity": "MW",
               "ps_annual_generation": "GWh", "temperature": "K"}  # fmt: skip


@dataclass(frozen=True)
class _Facts:
    keys: Mapping[str, tuple[str, ...]]  # what a fact is called -> its keys, best first
    fillers: frozenset[str]
    units: tuple[str, ...]
    prefixes: frozenset[str]
    measures: frozenset[str]
    apparatus: frozenset[str]


@lru_cache(maxsize=1)
def _facts() -> _Facts:
    found = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    keys: dict[str, tuple[str, ...]] = {}
    for fact in found["fact"]:
        for name in fact["asked"].split():
            keys[_stems(name)] = (*keys.get(_stems(name), ()), *fact["keys"].split())
    return _Facts(
        keys,
        frozenset(map(stem, found["fillers"].split())),
        tuple(found["units"].split()),
        frozenset(found["prefixes"].split()),
        frozenset(map(stem, found["measures"].split())),
        frozenset(map(stem, found["apparatus"].split())),
    )


def find_key(asked: str, keys: Sequence[str]) -> str | None:
    """The one of `keys` that holds the fact `asked`; None where none does, or several might."""
    exact = {_flat(key): key for key in reversed(keys)}
    known = {_flat(_bare(key)): key for key in reversed(keys)} | exact
    if _flat(asked) in exact:
        return exact[_flat(asked)]
    for name in (*_facts().keys.get(_stems(asked), ()), asked):
        for spelled in (_flat(name), _flat(_bare(name))):
            if spelled in known:
                return known[spelled]
    found = _by_words(asked, keys)
    if found is None and _stems(asked) not in _facts().keys:
        found = _misspelt(_flat(asked), known)
    return found


def held_by(key: Key, row: Row) -> tuple[Key, Row, str]:
    """`key` as a row's own infobox spells it, the row with that value under `key`, and what a
    reader should know of it: the key read in place of the one asked for, or the most similar."""
    known = [name for name, value in row.items() if value not in (None, "", [])]
    if key.name in known:
        return key, row, ""
    found = find_key(key.name, known)
    if found is None:
        near = ", ".join(nearest_keys(key.name, known))
        return key, row, f"the most similar keys that it has are {near}" if near else ""
    same = found.lower() == key.name.lower()
    asked_so = key.name.lower().endswith(_PARTICIPLES)  # "born" is no name of a fact
    label = label_of(found) if asked_so else key.label
    note = "" if same else f'"{key.name}" was read as "{found}"'
    return replace(key, label=label, unit=unit_of(found)), {**row, key.name: row[found]}, note


def nearest_keys(asked: str, keys: Sequence[str]) -> list[str]:
    """The keys that are most like `asked`, to be suggested."""
    facts = [key for key in keys if not is_apparatus(key)]
    return sorted(facts, key=lambda key: -fuzz.WRatio(_plain(asked), _plain(key)))[:_CLOSEST]


def unit_of(key: str) -> str:
    """The unit that an infobox leaves to its key: "m" of `elevation_m`; empty where it has none."""
    match = re.search(r"_(km2|sq_mi|sqmi|km|mi|ft|ha|m)$", key.lower())
    return _UNIT[match[1]] if match else _HELD_UNITS.get(key.lower(), "")


def label_of(key: str) -> str:
    """What English calls a key: its words, less the unit at its end."""
    unit = re.search(r"_(?:km2|sq_mi|sqmi|km|mi|ft|ha|m)$", key)
    return (key[: unit.start()] if unit else key).replace("_", " ")


def _plain(key: str) -> str:
    """A key in one spelling: "Lieutenant Governor", "lieutenant_governor", "LargestCity"."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key.strip())
    return re.sub(r"[\s_/-]+", "_", snake).lower()


def _flat(key: str) -> str:
    return _plain(key).replace("_", "")


def _bare(key: str) -> str:
    """A key without the prefix of its infobox, and without a number or a unit behind it."""
    plain = _plain(key)
    first, _, rest = plain.partition("_")
    plain = rest if rest and first in _facts().prefixes else plain
    plain = re.sub(rf"_(?:{'|'.join(_facts().units)})$", "", plain)
    return re.sub(r"_?1$", "", plain)


def _stems(name: str) -> str:
    return " ".join(map(stem, _plain(name).split("_")))


def _by_words(asked: str, keys: Sequence[str]) -> str | None:
    """The key that has all words of `asked`, and of all such keys the fewest others; None where
    several are as near and are not one fact in two units."""
    wanted = _told(asked)
    if not wanted:
        return None
    found = []
    for key in keys:
        own = _told(_bare(key))
        if _plain(key).endswith(f"_{_plain(asked)}"):
            own = wanted  # a label's link is its page's name and what is shown for it
        # the height of what a key is called after is its value: "observatory"
        of_it = own and own < wanted and wanted - own <= _facts().measures
        if (wanted <= own or of_it) and not _is_of_another_kind(asked, key):
            found.append((len(own - wanted), key))
    fewest = min((extra for extra, _ in found), default=0)
    nearest = [key for extra, key in found if extra == fewest]
    return nearest[0] if len({_bare(key) for key in nearest}) == 1 and fewest <= 1 else None


def _told(key: str) -> frozenset[str]:
    """The stems of a key that say what it holds."""
    stems = frozenset(map(stem, _plain(key).split("_")))
    return (stems - _facts().fillers) or stems


def _is_of_another_kind(asked: str, key: str) -> bool:
    """Whether a key is no fact of its own, or a date where a place is asked for."""
    wanted, own = (set(_plain(name).split("_")) for name in (asked, key))
    dated, placed = {"date", "year", "day"}, {"place", "location", "city"}
    crossed = (wanted & dated and own & placed) or (wanted & placed and own & dated)
    return bool(crossed) or (is_apparatus(key) and not is_apparatus(asked))


def is_apparatus(key: str) -> bool:
    """Whether a key belongs to the page, or says something about another key."""
    return not _facts().apparatus.isdisjoint(map(stem, _plain(key).split("_")))


def _misspelt(wanted: str, known: Mapping[str, str]) -> str | None:
    if len(wanted) < _SHORTEST_MISSPELT:
        return None
    scored = sorted(((fuzz.ratio(wanted, name), name) for name in known), reverse=True)
    return known[scored[0][1]] if scored and scored[0][0] >= _MISSPELT else None
