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
from typing import Annotated

from pydantic import BaseModel, BeforeValidator
from rapidfuzz import fuzz, process

from models.kg import lexicon
from models.kg.execution.fetch.protocol import Row
from models.kg.lexicon.files import read_domains
from models.kg.schema.functions import Key
from models.records import Domain
from utils.text import stem

_LEXICON = Path(lexicon.__path__[0])
_FILE = Path(__file__).with_name("infobox.toml")
_MISSPELT = 88  # of 100: minimum similarity of a misspelt name
_SHORTEST_MISSPELT = 5  # letters
_MOST_SUGGESTIONS = 3
_MOST_MEMBERS = 5  # of a suggested list
_LONGEST_SUGGESTION = 160  # characters of its value
_SUMMARY = "summary_text"
_PARTICIPLES = ("ed", "born", "built")
# Units at the end of a key.
_UNITS = {
    "m": "m",
    "ft": "ft",
    "km": "km",
    "mi": "mi",
    "km2": "km²",
    "sq_mi": "sq mi",
    "sqmi": "sq mi",
    "ha": "ha",
}
_COORDINATE = re.compile(r"(?:lat|long?|coord\w*)_", re.I)  # minutes of arc are no metres
_UNIT_AT_END = re.compile(rf"_({'|'.join(_UNITS)})$", re.I)
_UNITS_OF_KEYS = {
    "ps_electrical_capacity": "MW",
    "ps_thermal_capacity": "MW",
    "ps_annual_generation": "GWh",
    "temperature": "K",
}
_DATE_WORDS = frozenset(("date", "year", "day"))
_PLACE_WORDS = frozenset(("place", "location", "city"))
_Words = Annotated[tuple[str, ...], BeforeValidator(str.split)]


class _FactRow(BaseModel, frozen=True, extra="forbid"):
    """What people call a fact, and the keys that hold it, best first."""

    names: _Words
    keys: _Words


class _InfoboxFile(BaseModel, frozen=True, extra="forbid"):
    """`infobox.toml`, which explains its fields."""

    fillers: _Words
    units: _Words
    apparatus: _Words
    identifiers: _Words
    qualifiers: _Words
    same: tuple[_Words, ...]
    fact: tuple[_FactRow, ...]


@dataclass(frozen=True, slots=True)
class _FactTables:
    """The tables of `infobox.toml`, by stems.

    Attributes:
        keys: the keys of a fact, best first, by the stems of its names.
        unit_ending: a unit at the end of a key.
        meaning: of words with the same meaning, the stem of the first one, by the stem of each.
        qualifiers: such words that only qualify others.
        identifiers: words of keys whose numbers are names: a jersey number.
    """

    keys: Mapping[str, tuple[str, ...]]
    fillers: frozenset[str]
    apparatus: frozenset[str]
    unit_ending: re.Pattern[str]
    meaning: Mapping[str, str]
    qualifiers: frozenset[str]
    identifiers: frozenset[str]


@lru_cache(maxsize=1)
def _fact_tables() -> _FactTables:
    file = _InfoboxFile.model_validate(tomllib.loads(_FILE.read_text(encoding="utf-8")))
    keys: dict[str, tuple[str, ...]] = {}
    for fact in file.fact:
        for name in fact.names:
            keys[_stem_text(name)] = (*keys.get(_stem_text(name), ()), *fact.keys)
    meaning: dict[str, str] = {}
    for words in file.same:
        for word in words:
            meaning.setdefault(stem(word), stem(words[0]))
    return _FactTables(
        keys,
        meaning=meaning,
        qualifiers=frozenset(map(stem, file.qualifiers)),
        identifiers=frozenset(map(stem, file.identifiers)),
        fillers=frozenset(map(stem, file.fillers)),
        apparatus=frozenset(map(stem, file.apparatus)),
        unit_ending=re.compile(rf"_(?:{'|'.join(file.units)})$"),
    )


@lru_cache(maxsize=1)
def _keys_by_wording() -> Mapping[frozenset[str], tuple[str, ...]]:
    """The keys of the facts that a wording may mean, by the content words of their names and, in
    the lexicon, of their phrases."""
    keys: dict[frozenset[str], tuple[str, ...]] = {}

    def add(wording: str, new_keys: Sequence[str]) -> None:
        words = _meanings(wording)
        if words:
            keys[words] = tuple(dict.fromkeys((*keys.get(words, ()), *new_keys)))

    tables = _fact_tables()
    for name, fact_keys in tables.keys.items():
        add(name, fact_keys)
    for fact in read_domains(_LEXICON)[Domain.OPEN].fact:
        fact_keys = tables.keys.get(_stem_text(fact.name), ())
        for phrase in fact.phrases:
            if "_" not in phrase:
                add(phrase, fact_keys)
    return keys


def find_key(name: str, keys: Sequence[str]) -> str | None:
    """The one of `keys` that has the fact called `name`; None if none or several may have it.

    >>> find_key("founder", ["founded", "founders"])
    'founders'
    """
    exact = {_letters(key): key for key in reversed(keys)}
    if _letters(name) in exact:
        return exact[_letters(name)]
    without_endings = {_letters(_without_ending(key)): key for key in reversed(keys)}
    known = without_endings | exact
    listed_keys = _fact_tables().keys.get(_stem_text(name), ())
    for key in (*listed_keys, name):
        if _letters(key) in known:
            return known[_letters(key)]
    key_with_words = _key_with_words(name, keys)
    if key_with_words is not None:
        return key_with_words
    may_be_misspelt = len(_letters(name)) >= _SHORTEST_MISSPELT and not listed_keys
    return _most_similar(name, known) if may_be_misspelt else None


def _most_similar(name: str, known: Mapping[str, str]) -> str | None:
    """The key whose letters differ from those of a misspelt name by little."""
    match = process.extractOne(
        _letters(name), list(known), scorer=fuzz.ratio, score_cutoff=_MISSPELT
    )
    return known[match[0]] if match else None


def held_by(key: Key, row: Row) -> tuple[Key, Row, str]:
    """`key` as spelled in a row's infobox, the row with that value under `key`, and a note for the
    reader: the key read instead of the requested one, or the values of the nearest ones."""
    known = [name for name, value in row.items() if value not in (None, "", [])]
    if key.name in known:
        return key, row, ""
    name = find_key(key.name, known)
    if name is None:
        return key, row, _suggestion(nearest_keys(key.name, known), row)
    is_participle = key.name.lower().endswith(_PARTICIPLES)  # "born" does not name a fact
    label = label_of(name) if is_participle else key.label
    is_same = name.lower() == key.name.lower()
    note = "" if is_same else f'"{key.name}" was read as "{name}"'
    return replace(key, label=label, unit=unit_of(name)), {**row, key.name: row[name]}, note


def _suggestion(keys: Sequence[str], row: Row) -> str:
    """The values of some keys, as a note; empty without keys."""
    texts: dict[str, str] = {}  # by value, as a fact may be in several keys
    for key in keys:
        value = row[key]
        members = value if isinstance(value, list) else [value]
        text = ", ".join(str(member) for member in members[:_MOST_MEMBERS])
        if len(text) > _LONGEST_SUGGESTION or len(members) > _MOST_MEMBERS:
            text = f"{text[:_LONGEST_SUGGESTION]} …"
        texts.setdefault(text, f"{label_of(key)}: {text}")
    return f"the nearest that it has is {'; '.join(texts.values())}" if texts else ""


def nearest_keys(name: str, keys: Sequence[str]) -> list[str]:
    """The keys nearest to `name` by their meaning, best first: those that hold a fact called so,
    then those that share a word. Similar letters do not count.

    >>> nearest_keys("marriage_date", ["state1", "spouse", "birth_date"])
    ['spouse']
    """
    name_words = _meanings(name)
    meant_keys: dict[str, int] = {}  # with the number of words that mean it
    for wording, fact_keys in _keys_by_wording().items():
        means_a_part = wording < name_words and not wording <= _fact_tables().qualifiers
        if means_a_part or wording == name_words:
            for key in fact_keys:
                count = max(len(wording), meant_keys.get(_letters(key), 0))
                meant_keys[_letters(key)] = count
    order = {key: place for place, key in enumerate(meant_keys)}
    ranked: list[tuple[int, int, int, str]] = []
    for key in keys:
        if key == _SUMMARY or is_apparatus(key):
            continue
        letters = _letters(key)
        if letters not in meant_keys:
            letters = _letters(_without_ending(key))
        shared = len((_meanings(_without_ending(key)) & name_words) - _fact_tables().qualifiers)
        meant = meant_keys.get(letters, 0)
        if meant or shared:
            ranked.append((-meant, -shared, order.get(letters, 0), key))
    return [key for *_, key in sorted(ranked)[:_MOST_SUGGESTIONS]]


def _meanings(text: str) -> frozenset[str]:
    """The content words of a name or phrase; words with the same meaning are one. Empty if it has
    only words that every fact has, such as "date"."""
    tables = _fact_tables()
    stems = frozenset(_word_stems(text)) - tables.fillers
    return frozenset(tables.meaning.get(each, each) for each in stems)


def unit_of(key: str) -> str:
    """The unit in the name of an infobox key: "m" of `elevation_m`; empty if it has none.

    >>> unit_of("elevation_m"), unit_of("population_density_km2"), unit_of("lat_m")
    ('m', 'per km²', '')
    """
    match = _UNIT_AT_END.search(key)
    if match and _COORDINATE.match(key):
        return ""
    if match:
        unit = _UNITS[match[1].lower()]
        return f"per {unit}" if "density" in key.lower() else unit
    return _UNITS_OF_KEYS.get(key.lower(), "")


def label_of(key: str) -> str:
    """The English name of a key: its words without a unit at the end."""
    return _UNIT_AT_END.sub("", key).replace("_", " ")


def is_identifier(key: str) -> bool:
    """Whether the numbers of a key are names of something, such as years and codes, rather than
    counts: "jersey_number", but not "number_of_floors"."""
    if _in_snake_case(key).startswith("number_of_"):
        return False
    return not _fact_tables().identifiers.isdisjoint(_word_stems(key))


def is_apparatus(key: str) -> bool:
    """Whether a key belongs to the page's layout, or describes another key."""
    return not _fact_tables().apparatus.isdisjoint(_word_stems(key))


def _in_snake_case(key: str) -> str:
    """A key in normalised spelling: "Lieutenant Governor", "lieutenant_governor", "LargestCity"."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key.strip())
    return re.sub(r"[\s_/-]+", "_", snake).lower()


def _letters(key: str) -> str:
    """A key in normalised spelling, without the breaks between its words."""
    return _in_snake_case(key).replace("_", "")


def _without_ending(key: str) -> str:
    """A key without a final number or unit."""
    without_unit = _fact_tables().unit_ending.sub("", _in_snake_case(key))
    return re.sub(r"_?1$", "", without_unit)


def _word_stems(key: str) -> list[str]:
    return [stem(word) for word in _in_snake_case(key).split("_")]


def _stem_text(name: str) -> str:
    return " ".join(_word_stems(name))


def _content_stems(key: str) -> frozenset[str]:
    """The stems of a key that describe its content."""
    stems = frozenset(_word_stems(key))
    return (stems - _fact_tables().fillers) or stems


def _key_with_words(name: str, keys: Sequence[str]) -> str | None:
    """The key with all words of `name` and the fewest others; None if several are equally close,
    unless they are one fact in two units."""
    wanted = _content_stems(name)
    other_words: dict[str, int] = {}  # how many a key has
    for key in keys:
        stems = _content_stems(_without_ending(key))
        if _in_snake_case(key).endswith(f"_{_in_snake_case(name)}"):
            stems = wanted  # a label's link is its page's name followed by the text shown
        if wanted <= stems and not _is_of_another_kind(name, key):
            other_words[key] = len(stems - wanted)
    fewest = min(other_words.values(), default=0)
    nearest = [key for key, count in other_words.items() if count == fewest]
    facts = {_without_ending(key) for key in nearest}
    return nearest[0] if len(facts) == 1 else None


def _is_of_another_kind(name: str, key: str) -> bool:
    """Whether a key is not a fact of its own, or one is a date and the other a place."""
    name_parts = set(_in_snake_case(name).split("_"))
    key_parts = set(_in_snake_case(key).split("_"))
    if name_parts & _DATE_WORDS and key_parts & _PLACE_WORDS:
        return True
    if name_parts & _PLACE_WORDS and key_parts & _DATE_WORDS:
        return True
    return is_apparatus(key) and not is_apparatus(name)
