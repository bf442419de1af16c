"""Finds the infobox key of a fact by its common names.

Infoboxes have many names for a fact (`founder`, `founders`, `founded_by`). `infobox.toml` lists the
common names of each fact and its keys; other keys are compared by the stems of their words.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from rapidfuzz import fuzz, process

from models.kg.execution.fetch.protocol import Row
from models.kg.schema.functions import Key
from utils.text import stem

_FILE = Path(__file__).with_name("infobox.toml")
_MISSPELT = 88  # of 100: minimum similarity of a misspelt name
_SHORTEST_MISSPELT = 5  # letters
_CLOSEST = 5
_PARTICIPLES = ("ed", "born", "built")
_UNIT = {"m": "m", "ft": "ft", "km": "km", "mi": "mi", "km2": "km²", "sq_mi": "sq mi",
         "sqmi": "sq mi", "ha": "ha"}  # fmt: skip
_UNIT_AT_END = re.compile(rf"_({'|'.join(_UNIT)})$", re.I)
_HELD_UNITS = {"ps_electrical_capacity": "MW", "ps_thermal_capacity": "MW",
               "ps_annual_generation": "GWh", "temperature": "K"}  # fmt: skip


@dataclass(frozen=True)
class _Facts:
    keys: Mapping[str, tuple[str, ...]]  # a fact's name -> its keys, best first
    fillers: frozenset[str]
    units: tuple[str, ...]
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
        frozenset(map(stem, found["apparatus"].split())),
    )


def find_key(asked: str, keys: Sequence[str]) -> str | None:
    """The one of `keys` that has the fact `asked`; None if none or several may have it."""
    exact = {_flat(key): key for key in reversed(keys)}
    known = {_flat(_bare(key)): key for key in reversed(keys)} | exact
    if _flat(asked) in exact:
        return exact[_flat(asked)]
    for name in (*_facts().keys.get(_stems(asked), ()), asked):
        if _flat(name) in known:
            return known[_flat(name)]
    found = _by_words(asked, keys)
    wanted = _flat(asked)
    if found is None and len(wanted) >= _SHORTEST_MISSPELT and _stems(asked) not in _facts().keys:
        near = process.extractOne(wanted, list(known), scorer=fuzz.ratio, score_cutoff=_MISSPELT)
        return known[near[0]] if near else None
    return found


def held_by(key: Key, row: Row) -> tuple[Key, Row, str]:
    """`key` as spelled in a row's infobox, the row with that value under `key`, and a note for the
    reader: the key read instead of the requested one, or the most similar keys."""
    known = [name for name, value in row.items() if value not in (None, "", [])]
    if key.name in known:
        return key, row, ""
    found = find_key(key.name, known)
    if found is None:
        near = ", ".join(nearest_keys(key.name, known))
        return key, row, f"the most similar keys that it has are {near}" if near else ""
    same = found.lower() == key.name.lower()
    asked_so = key.name.lower().endswith(_PARTICIPLES)  # "born" does not name a fact
    label = label_of(found) if asked_so else key.label
    note = "" if same else f'"{key.name}" was read as "{found}"'
    return replace(key, label=label, unit=unit_of(found)), {**row, key.name: row[found]}, note


def nearest_keys(asked: str, keys: Sequence[str]) -> list[str]:
    """The keys most similar to `asked`, as suggestions."""
    facts = [key for key in keys if not is_apparatus(key)]
    return sorted(facts, key=lambda key: -fuzz.WRatio(_plain(asked), _plain(key)))[:_CLOSEST]


def unit_of(key: str) -> str:
    """The unit in the name of an infobox key: "m" of `elevation_m`; empty if it has none."""
    match = _UNIT_AT_END.search(key)
    return _UNIT[match[1].lower()] if match else _HELD_UNITS.get(key.lower(), "")


def label_of(key: str) -> str:
    """The English name of a key: its words without a unit at the end."""
    return _UNIT_AT_END.sub("", key).replace("_", " ")


def _plain(key: str) -> str:
    """A key in normalised spelling: "Lieutenant Governor", "lieutenant_governor", "LargestCity"."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key.strip())
    return re.sub(r"[\s_/-]+", "_", snake).lower()


def _flat(key: str) -> str:
    return _plain(key).replace("_", "")


def _bare(key: str) -> str:
    """A key without a final number or unit."""
    plain = re.sub(rf"_(?:{'|'.join(_facts().units)})$", "", _plain(key))
    return re.sub(r"_?1$", "", plain)


def _stems(name: str) -> str:
    return " ".join(map(stem, _plain(name).split("_")))


def _by_words(asked: str, keys: Sequence[str]) -> str | None:
    """The key with all words of `asked` and the fewest others; None if several are equally close,
    unless they are one fact in two units."""
    wanted = _told(asked)
    found = []
    for key in keys:
        own = _told(_bare(key))
        if _plain(key).endswith(f"_{_plain(asked)}"):
            own = wanted  # a label's link is its page's name followed by the text shown
        if wanted <= own and not _is_of_another_kind(asked, key):
            found.append((len(own - wanted), key))
    fewest = min((extra for extra, _ in found), default=0)
    nearest = [key for extra, key in found if extra == fewest]
    return nearest[0] if len({_bare(key) for key in nearest}) == 1 else None


def _told(key: str) -> frozenset[str]:
    """The stems of a key that describe its content."""
    stems = frozenset(map(stem, _plain(key).split("_")))
    return (stems - _facts().fillers) or stems


def _is_of_another_kind(asked: str, key: str) -> bool:
    """Whether a key is not a fact of its own, or one is a date and the other a place."""
    wanted, own = (set(_plain(name).split("_")) for name in (asked, key))
    dated, placed = {"date", "year", "day"}, {"place", "location", "city"}
    crossed = (wanted & dated and own & placed) or (wanted & placed and own & dated)
    return bool(crossed) or (is_apparatus(key) and not is_apparatus(asked))


def is_apparatus(key: str) -> bool:
    """Whether a key belongs to the page's layout, or describes another key."""
    return not _facts().apparatus.isdisjoint(map(stem, _plain(key).split("_")))
