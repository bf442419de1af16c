"""The lexicon: what English calls the functions and keys of the schema, read from `lexicon/*.toml`.

A relation says what a call reads of a thing: from things of one type to values of another. Its
types, parameters and units come from the schema (`models/kg/language/table.py`); the lexicon adds
the phrases, and the conditions that they imply.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from models.kg.language.ast import Column, Condition, Op
from models.kg.language.functions import Entity, Function, Key, Type, functions
from models.kg.semparse.matching import GAP, Stemmer
from models.records import Domain
from utils.text import FUNCTION_WORDS, words

FOLDER = Path(__file__).with_name("lexicon")
NUMERIC = frozenset(("money", "number"))
_TYPES = {
    Type.DATE: "date",
    Type.YEAR: "year",
    Type.NUMBER: "number",
    Type.LIST: "list",
    Type.SPAN: "span",
    Type.FLAG: "flag",
}
_TIMES = (Type.DATE, Type.YEAR)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Relation:
    """What a call reads of a thing.

    Attributes:
        id: "movie.get_movie.revenue", with ":" and a name where several relations read that key,
            and "=" and a value where a filter is part of it.
        source, target: the type of the thing, and of the values.
        place: which parameter the thing is.
        phrases: one of them must stand in the question; `needs`: and one of these.
        context: phrases that are explained beside it, without a meaning of their own.
        where: conditions that hold besides.
        times: the parameters that take a time; `must`: they have to be given; `fixed`: or are this.
        dated: the key that a time restricts, and that the latest and first are found by.
        also: another function and key whose values are joined to these.
        pick: "last" or "first" of several values.
        free: the key that words of the question which nothing explains are the value of.
        pair: a second thing is named, for another parameter.
        read: the key that is read of what the values name, once they are in order.
        countable: its values may be counted; absent: what none at all is worth in a comparison.
    """

    id: str
    function: Function
    key: Key
    source: str
    target: str
    place: int
    phrases: tuple[str, ...]
    context: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    where: tuple[Condition, ...] = ()
    times: tuple[int, ...] = ()
    must: bool = False
    fixed: str = ""
    dated: str = ""
    also: tuple[str, str] | None = None
    pick: str = ""
    free: str = ""
    pair: bool = False
    read: str = ""
    negated: bool = False
    countable: bool = False
    absent: float | None = None

    @property
    def family(self) -> str:
        """The relation whatever the value of its filter."""
        return self.id.partition("=")[0]


@dataclass(frozen=True, slots=True)
class Adjective:
    """Words that compare, and say by what: "older" asks for the least date of birth."""

    phrases: tuple[str, ...]
    keys: tuple[str, ...]
    operator: str

    def fits(self, relation: Relation) -> bool:
        own = relation.id.partition(":")[0].partition("=")[0]
        return any(own == key or own.endswith(f".{key}") for key in self.keys)


class Lexicon:
    """All tables of a folder of TOML files."""

    def __init__(self, folder: Path = FOLDER, table: Iterable[Function] | None = None) -> None:
        self._rows = tuple(functions().rows if table is None else table)
        self.files = {
            file.stem: tomllib.loads(file.read_text(encoding="utf-8"))
            for file in sorted(folder.glob("*.toml"))
        }
        general = self.files["general"]
        self.stemmer = Stemmer(general["irregular"])
        self.operators: Mapping[str, list[str]] = general["operators"]
        self.types: dict[str, list[str]] = {}
        for file in self.files.values():
            self.types |= file.get("types", {})
        self.forms: Mapping[str, list[str]] = general["forms"]
        self.numbers: Mapping[str, int] = general["numbers"]
        self.ordinals: Mapping[str, int] = general["ordinals"]
        self.scales: Mapping[str, float] = general["scales"]
        self.ceremonies: Mapping[str, int] = general["ceremonies"]
        self.filler: tuple[str, ...] = tuple(general["filler"]["words"])
        self.risky = frozenset(general["risky"]["words"])
        self.not_names = frozenset(self.files["finance"]["not_names"]["words"].split())
        self.negations: list[str] = general["risky"]["negations"]
        files = [file for file in self.files.values() if "domain" in file]
        self.values: dict[str, Row] = {}
        self.adjectives: list[Adjective] = []
        relations: list[Relation] = []
        for file in files:
            self.values |= file.get("values", {})
            self.adjectives += [
                Adjective(tuple(a["phrases"]), tuple(a["keys"]), a["operator"])
                for a in file.get("adjective", ())
            ]
            relations += self._relations(Domain(file["domain"]), file)
        self.relations = tuple(relations)
        self._anchors: dict[str, tuple[str, ...]] = {}
        self.facts: dict[str, tuple[str, ...]] = {
            fact["name"]: tuple(fact["phrases"]) for fact in self.files["open"]["fact"]
        }
        self.of_source: dict[str, list[Relation]] = {}
        for relation in relations:
            self.of_source.setdefault(relation.source, []).append(relation)

    @cached_property
    def phrases(self) -> list[str]:
        """Every phrase that anything is called by."""
        found = [phrase for relation in self.relations for phrase in relation.phrases]
        found += [phrase for each in self.facts.values() for phrase in each]
        found += [phrase for each in self.operators.values() for phrase in each]
        found += [phrase for adjective in self.adjectives for phrase in adjective.phrases]
        return list(dict.fromkeys(found))

    @cached_property
    def filters(self) -> tuple[str, ...]:
        """The phrases of all values that rows can be kept by."""
        tables = (t for file in self.files.values() for t in file.get("filters", {}).values())
        return tuple(p for table in tables for said in table.values() for p in said)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word of any phrase, and function words."""
        texts = [*self.phrases, *self.filler, *(w for each in self.types.values() for w in each)]
        texts += (phrase for relation in self.relations for phrase in relation.context)
        found = (word for text in texts for word in words(text.replace(GAP, " ")))
        return FUNCTION_WORDS.union(found)

    def adjectives_of(self, relation: Relation) -> list[Adjective]:
        return [adjective for adjective in self.adjectives if adjective.fits(relation)]

    def anchors(self, relation: Relation) -> tuple[str, ...]:
        """The phrases that name a relation, those that compare by it included."""
        if relation.id not in self._anchors:
            more = (phrase for a in self.adjectives_of(relation) for phrase in a.phrases)
            self._anchors[relation.id] = (*relation.phrases, *more)
        return self._anchors[relation.id]

    def domains_of(self, source: str) -> frozenset[str]:
        """The domains that have relations of things of a type."""
        return frozenset(r.id.partition(".")[0] for r in self.of_source.get(source, ()))

    @lru_cache(maxsize=32)  # noqa: B019 - one lexicon a process
    def cues(self, source: str) -> frozenset[str]:
        """The words by which questions about things of a type are asked."""
        domains = self.domains_of(source)
        texts = [*self.filler, *(p for each in self.operators.values() for p in each)]
        for relation in self.relations:
            if relation.id.partition(".")[0] in domains:
                texts += (*relation.phrases, *relation.context, *self.types[relation.source])
        if source == "thing":
            texts += (phrase for each in self.facts.values() for phrase in each)
            texts += self.types["thing"]
        texts += (phrase for adjective in self.adjectives for phrase in adjective.phrases)
        return frozenset(word for text in texts for word in words(text.replace(GAP, " ")))

    # ---- from the rows of a file to relations

    def _relations(self, domain: Domain, file: Row) -> Iterator[Relation]:
        games = {row["function"]: tuple(row["needs"]) for row in file.get("games", ())}
        for row in file.get("relation", ()):
            for function in (f for f in self._rows if f.domain is domain):
                for key in (*function.keys, *_beyond(function, row)):
                    name = f"{function.name}.{key.name}"
                    if any(fnmatch(name, pattern) for pattern in row["keys"]):
                        yield from _expanded(function, key, row, file, games, self.types)


def _beyond(function: Function, row: Row) -> Iterator[Key]:
    """Keys of records whose keys nobody can list."""
    for pattern in row["keys"] if function.any_key else ():
        name, _, key = pattern.partition(".")
        if name == function.name and all(key != own.name for own in function.keys):
            yield Key(key, Type(row.get("type", "text")))


def _expanded(
    function: Function, key: Key, row: Row, file: Row, games: Mapping[str, tuple[str, ...]],
    types: Mapping[str, list[str]],
) -> Iterator[Relation]:  # fmt: skip
    """The relation of a row for one key; of a row with a filter, one for each value."""
    source, place = _source(function, key, row, file)
    target = answer_type(key)
    name = f"{function.domain}.{function.name}.{key.name}"
    name += f":{row['id']}" if "id" in row else f":{row['from']}" if "from" in row else ""
    context = [*_context(row.get("context", ()), file), *types[source], *types.get(target, ())]
    needs = row.get("needs", games.get(function.name, ()))
    if isinstance(needs, str):
        tables = {**file.get("context", {}), **file.get("needs", {})}
        needs = tables[needs.removeprefix("@")]
    times = tuple(
        i for i, p in enumerate(function.parameters) if p.type in _TIMES and i != place
    ) if "dated" not in row else ()  # fmt: skip
    filtered = row.get("filter")
    values = file["filters"][filtered].items() if filtered else [("", row.get("phrases", ()))]
    also = tuple(row["also"].split(".")) if "also" in row else None
    for value, phrases in values:
        own = (Condition(Op.EQ, filtered, value),) if filtered else ()
        pick = row.get("pick", "first" if games.get(function.name) else "")
        read = key.name if row.get("read") == "@key" else row.get("read", "")
        yield Relation(
            f"{name}={value}" if filtered else name, function, key, source, target, place,
            tuple(phrases), tuple(dict.fromkeys(context)), tuple(needs),
            (*map(_condition, row.get("where", ())), *own), times,
            must=bool(times) and function.domain is not Domain.MOVIE, fixed=row.get("time", ""),
            dated=row.get("dated", ""), also=also, pick=pick, free=row.get("free", ""),
            pair=row.get("pair", False), read=read, negated=row.get("negated", False),
            countable=row.get("countable", False),
            absent=row.get("absent", 0 if row.get("countable") else None),
        )  # fmt: skip


def _source(function: Function, key: Key, row: Row, file: Row) -> tuple[str, int]:
    """The type of the thing that is asked about, and its parameter."""
    named = next((t for p, t in file.get("source", {}).items() if fnmatch(function.name, p)), "")
    candidates = [
        (str(p.entity or ("year" if p.type is Type.YEAR else "number")), i)
        for i, p in enumerate(function.parameters)
        if p.entity or p.type in (Type.YEAR, Type.NUMBER)
    ] or [(row.get("from", ""), 0)]
    if "from" in row:
        candidates = [(kind, i) for kind, i in candidates if kind == row["from"]]
    fitting = [(kind, i) for kind, i in candidates if kind != key.entity] or candidates
    kind, place = fitting[0]
    return named or kind, place


def _context(names: Iterable[str], file: Row) -> Iterator[str]:
    for name in names:
        if name.startswith("@"):
            yield from file["context"][name.removeprefix("@")]
        else:
            yield name


def _condition(text: str) -> Condition:
    """ "gt close open" compares two keys, "eq job Director" a key with a value."""
    op, key, value = text.split()
    if value.isdigit():
        return Condition(Op(op), key, int(value))
    if value == "true":
        return Condition(Op(op), key, True)
    if value[0].isupper():
        return Condition(Op(op), key, value)
    return Condition(Op(op), key, Column(value))


def answer_type(key: Key) -> str:
    """The type of a key's values, for questions: "movie", "money", "date"."""
    if key.entity in (Entity.TEAM, Entity.GAME):
        return "team"
    if key.entity:
        return str(key.entity)
    if key.unit == "$":
        return "money"
    if key.codes in ("language", "country", "result"):
        return key.codes
    return _TYPES.get(key.type, "text")


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """The project's own lexicon."""
    return Lexicon()
