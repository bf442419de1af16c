"""The functions of the query language: their parameters, and the keys of their rows.

The reader, the constraint, the check and the tests read the table through this module: `table/`,
one file per domain with one row per function. A function or key is therefore added in one place.
"""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, TypeAdapter

from models.kg.schema.operations import Reduce
from models.records import Domain

_TABLE = Path(__file__).with_name("table")
# These follow a call in brackets, as keys do, so no key may have such a name.
_RESERVED = frozenset(map(str, Reduce))
_DOMAINS = (Domain.MOVIE, Domain.MUSIC, Domain.FINANCE, Domain.SPORTS, Domain.OPEN)


def _split_names(names: Any) -> Any:
    return names.split() if isinstance(names, str) else names


_Words = Annotated[tuple[str, ...], BeforeValidator(_split_names)]


def squeezed_name(text: str) -> str:
    """`text` without case, blanks, "_" and "-", in which spellings of one name differ."""
    return text.casefold().replace("_", "").replace(" ", "").replace("-", "")


class Type(StrEnum):
    """The type of a parameter or key."""

    TEXT = "text"
    DATE = "date"
    NUMBER = "number"
    YEAR = "year"
    FLAG = "flag"
    LIST = "list"
    SPAN = "span"  # a start and an end, either of which may be unknown

    @property
    def is_time(self) -> bool:
        return self in (Type.DATE, Type.YEAR)


class Entity(StrEnum):
    """The type of entity that a name refers to."""

    MOVIE = "movie"
    PERSON = "person"
    MUSICIAN = "musician"
    SONG = "song"
    COMPANY = "company"
    TEAM = "team"
    GAME = "game"
    THING = "thing"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function.

    Attributes:
        synonyms: what models call it in `name="x"`.
        shared: a list of names requests only what they have in common; otherwise it looks up each.
        entity: the type of entity that is named.
    """

    name: str
    type: Type = Type.TEXT
    optional: bool = False
    synonyms: _Words = ()
    shared: bool = False
    entity: Entity | None = None

    @property
    def is_name(self) -> bool:
        """Whether it names what the rows are about: an entity, or a series of films."""
        return self.entity is not None or self.type is Type.TEXT


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a function's rows.

    Attributes:
        aliases: other names that are part of the language: db3's and the API's own.
        synonyms: names that models write but that are not part of it; accepted with a repair.
            The `names` of the semantic parser's lexicon precede those of the schema.
        unit: of its numbers: "$" of amounts, "$/share" of prices, "minutes"; empty where they have
            none.
        label: its English name, if that differs from its name.
        entity: the type of its values; rows can be sorted and filtered by their keys.
        inverse: the key of the named entity that refers back to this one. If it refers to another
            entity, the named one merely has the same name.
        codes: the table of `models/kg/schema/codes.py` with the wording of its values.
        proper_name: its values are names or titles, so that "Unknown" may be one; a key with an
            `entity` has such values, too.
        unknown: values with which the KG says that it does not know: a budget of 0.
        hidden: left out of prompts and of the documentation's tables.
        may_be_blank: an empty value is a fact ("no player takes part"), not an unknown one.
    """

    name: str
    type: Type = Type.TEXT
    aliases: _Words = ()
    synonyms: _Words = ()
    unit: str = ""
    label: str = ""
    entity: Entity | None = None
    inverse: str = ""
    codes: str = ""
    proper_name: bool = False
    unknown: tuple[int | str, ...] = ()
    hidden: bool = False
    may_be_blank: bool = False

    @property
    def spoken(self) -> str:
        return self.label or self.name.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Function:
    """One row of the table. Two rows of one name are one function that serves two domains.

    Attributes:
        row: the English name of one of its rows.
        note: its description in prompts.
        gives: the type of its first key: the function that returns the keys of such an entity.
        about: what distinguishes its rows, as templates over its keys.
        any_key: the rows have additional keys that are not listed.
        aliases, synonyms: as those of a `Key`.
    """

    name: str
    domain: Domain
    parameters: tuple[Parameter, ...]
    keys: tuple[Key, ...] = ()
    row: str = "entry"
    note: str = ""
    gives: Entity | None = None
    about: tuple[str, ...] = ()
    any_key: bool = False
    aliases: _Words = ()
    synonyms: _Words = ()

    @property
    def key_names(self) -> frozenset[str]:
        """The own names of its keys."""
        return frozenset(key.name for key in self.keys)

    def hides_one_of(self, names: Collection[str]) -> bool:
        """Whether one of its keys with these names is hidden."""
        return any(key.hidden for key in self.keys if key.name in names)


class NameIndex:
    """Names of keys or functions, found by themselves, their aliases and synonyms; of two with the
    same name, the first counts."""

    def __init__(self, rows: Sequence[Key] | Sequence[Function]) -> None:
        self.names = tuple(dict.fromkeys(row.name for row in rows))
        self._name_by_alias: dict[str, str] = {}
        self._name_by_folded: dict[str, str] = {}
        for row in rows:
            for name in (row.name, *row.aliases):
                self._name_by_alias.setdefault(name, row.name)
                self._name_by_folded.setdefault(squeezed_name(name), row.name)
        for row in rows:
            for name in row.synonyms:
                self._name_by_folded.setdefault(squeezed_name(name), row.name)

    def find(self, text: str) -> str | None:
        """The own name, if `text` is that or an alias of it."""
        return self._name_by_alias.get(text)

    def guess(self, text: str) -> str | None:
        """What a model means by `text`, which is not a valid name; None where unclear.

        Compares all names and synonyms, ignoring case, blanks and underscores.
        """
        return self._name_by_folded.get(squeezed_name(text))

    def nearest(self, text: str) -> str | None:
        """The name whose spelling is most similar to `text`, as a suggestion."""
        if len(text) > 80:  # longer than any name, and the comparison takes quadratic time
            return None
        close = get_close_matches(text, self._name_by_alias, n=1, cutoff=0.6)
        return self._name_by_alias[close[0]] if close else None


class KeyIndex(NameIndex):
    """A set of keys. With `any_key` there may be unlisted ones."""

    def __init__(self, keys: Iterable[Key], *, any_key: bool = False) -> None:
        self.all = tuple(keys)
        self.any_key = any_key
        super().__init__(self.all)

    def key(self, name: str) -> Key | None:
        """The key of that own name; None for an unlisted key."""
        return next((key for key in self.all if key.name == name), None)

    def find(self, text: str) -> str | None:
        """As for all names; if there may be unlisted keys, also any other text."""
        name = super().find(text)
        if name is None and self.any_key and text and text not in _RESERVED:
            return text
        return name


class FunctionTable(NameIndex):
    """All functions."""

    def __init__(self, rows: tuple[Function, ...]) -> None:
        super().__init__(rows)
        self.rows = rows
        self._rows: dict[str, tuple[Function, ...]] = {}
        self._keys: dict[str, KeyIndex] = {}
        for name in self.names:
            rows_of_name = tuple(row for row in rows if row.name == name)
            self._rows[name] = rows_of_name
            self._keys[name] = KeyIndex(_all_keys(rows_of_name), any_key=rows_of_name[0].any_key)
        self._row_of_entity = {row.gives: row for row in reversed(rows) if row.gives}
        all_names = dict.fromkeys(key.name for key in _all_keys(rows))
        self.all_keys = KeyIndex(map(Key, all_names))

    def guess(self, text: str) -> str | None:
        """As for all names; `get_` may be missing."""
        return super().guess(text) or super().guess(f"get{text}")

    def rows_of(self, name: str) -> tuple[Function, ...]:
        """The rows of a function's own name, one per domain."""
        return self._rows[name]

    def rows_with(self, name: str, keys: Iterable[str]) -> tuple[Function, ...]:
        """The rows of a function that have most of `keys`, which identify the domain; rows that
        hide none of them come first."""
        wanted = set(keys)
        rows = self._rows[name]
        most = max(len(wanted & row.key_names) for row in rows)
        best = [row for row in rows if len(wanted & row.key_names) == most]
        return tuple(sorted(best, key=lambda row: row.hides_one_of(wanted)))

    def row_for(self, entity: Entity | None) -> Function | None:
        """The row that returns the keys of such entities, given their names."""
        return self._row_of_entity.get(entity) if entity else None

    def function_for_key(self, function: str, key: str | None) -> Function | None:
        """The row with the keys of the entities in `key` of a function; None if it has none."""
        named_key = self._keys[function].key(key) if key else None
        return self.row_for(named_key.entity) if named_key else None

    def sortable(self, name: str, key: str | None = None) -> KeyIndex:
        """The keys that a function's rows can be sorted and filtered by: its own, and those of the
        entities in `key`, or without it in any of its keys."""
        index = self._keys[name]
        entities = {each.entity for each in index.all if each.entity and key in (None, each.name)}
        keys = list(index.all)
        for entity, row in self._row_of_entity.items():
            if entity in entities:
                keys += row.keys
        return KeyIndex(keys, any_key=index.any_key)

    def parameters_of(self, name: str) -> tuple[Parameter, ...]:
        """A function's parameters, which are the same in all of its rows."""
        return self._rows[name][0].parameters

    def parameter_index_of(self, name: str, text: str) -> int | None:
        """The position of the parameter that `text` names; own names precede synonyms."""
        parameters = self.parameters_of(name)
        index = NameIndex([Key(each.name, synonyms=each.synonyms) for each in parameters])
        parameter_name = index.guess(text)
        for place, parameter in enumerate(parameters):
            if parameter.name == parameter_name:
                return place
        return None

    def minimum_argument_count(self, name: str) -> int:
        """How many of a function's first parameters are written even if they are None."""
        parameters = self.parameters_of(name)
        required = [parameter for parameter in parameters if not parameter.optional]
        return max(min(1, len(parameters)), len(required))

    def keys_of(self, name: str) -> KeyIndex:
        """The keys of all rows of a function."""
        return self._keys[name]


def _all_keys(rows: Iterable[Function]) -> list[Key]:
    keys: list[Key] = []
    for row in rows:
        keys += row.keys
    return keys


_Table = TypeAdapter(tuple[Function, ...], config=ConfigDict(extra="forbid"))


def read_rows(folder: Path = _TABLE) -> tuple[Function, ...]:
    """The rows of all files of a folder: movies come first, as in the paper.

    Lists of names are written as one text, separated by blanks. What a key is called in English is
    in the lexicon.

    Raises:
        ValidationError: a field is unknown, misspelt or missing.
    """
    rows: list[dict[str, Any]] = []
    for domain in _DOMAINS:
        file = tomllib.loads((folder / f"{domain}.toml").read_text(encoding="utf-8"))
        for row in file["function"]:
            parameters = row.pop("takes")
            keys = list(_expanded_keys(row["keys"], file.get("keys", {})))
            rows.append({**row, "domain": domain, "parameters": parameters, "keys": keys})
    return _Table.validate_python(rows)


def _expanded_keys(
    lines: Iterable[dict[str, Any]], shared: Mapping[str, list[dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """A line for each key: `{ use = "prices" }` stands for the keys listed so in `[keys]`, and a
    line with several names for as many keys that are otherwise equal."""
    for line in lines:
        if "use" in line:
            yield from _expanded_keys(shared[line["use"]], shared)
        else:
            yield from ({**line, "name": name} for name in line["name"].split())
