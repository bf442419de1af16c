"""Relations: what can be asked of a thing, built from the schema and a file of the lexicon."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Any

from models.kg.schema.functions import Entity, Function, Key, Type
from models.kg.schema.operations import Op
from models.records import Domain

BIRTH = "birth"  # in the id of a relation for a date of birth
NUMERIC = frozenset(("money", "number", "fraction"))
_TYPES = {
    Type.DATE: "date",
    Type.YEAR: "year",
    Type.NUMBER: "number",
    Type.LIST: "list",
    Type.SPAN: "span",
    Type.FLAG: "flag",
}
_TIMES = (Type.DATE, Type.YEAR)
# Attributes of a relation that a row of the lexicon gives as they are.
_OWN = "dated pick edge free pair read own_name negated countable absent past until side".split()
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class RowFilter:
    """A condition on the rows of a relation.

    Attributes:
        value: what the key is compared with; a key of the same row if `is_key` is set.
    """

    op: Op
    key: str
    value: str | int | bool
    is_key: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A call and the key that it reads.

    Attributes:
        id: "movie.get_movie.revenue", with ":" and a name if several relations read that key, and
            "=" and a value if it includes a filter.
        source, target: the type of the thing, and of the values.
        place: the index of the thing's parameter.
        phrases: one of them must occur in the question, names of the key among them; `needs`: and
            one of these.
        context: phrases that count as explained next to it, without a meaning of their own.
        where: additional conditions.
        times: indices of the parameters that take a time; must: these are required; fixed: the
            time to use where the question gives none.
        dated: the key that a time restricts, and that orders latest and first.
        also: another function and key whose values are added to these.
        pick: which of several values answers, "last" or "first"; edge: which of several days' rows.
        free: a key to filter by; its value is taken from unexplained words of the question.
        pair: a second thing is named, for another parameter.
        read: the key to read after sorting.
        own_name: its value is a name of the thing itself; negated: whether the value differs.
        countable: its values may be counted; absent: the quantity of no values in a comparison.
        past: the values include past ones, so none can be said to be current.
        until: for a count, the last year that it covers.
        side: "before" or "after", where the thing must be named relative to the phrase.
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
    where: tuple[RowFilter, ...] = ()
    times: tuple[int, ...] = ()
    must: bool = False
    fixed: str = ""
    dated: str = ""
    also: tuple[str, str] | None = None
    pick: str = ""
    edge: str = ""
    free: str = ""
    pair: bool = False
    read: str = ""
    own_name: bool = False
    negated: bool = False
    countable: bool = False
    absent: float | None = None
    past: bool = False
    until: int = 0
    side: str = ""

    @property
    def family(self) -> str:
        """The relation without the value of its filter."""
        return self.id.partition("=")[0]

    @property
    def filtered(self) -> str:
        """The value of its filter: "Director"; "" without one."""
        return self.id.partition("=")[2]


def relations_of(
    domain: Domain, file: Row, table: Iterable[Function], types: Mapping[str, list[str]]
) -> Iterator[Relation]:
    """The relations with phrases in a file of the lexicon; `types`: the words of each type."""
    games = {row["function"]: tuple(row["needs"]) for row in file.get("games", ())}
    for row in file.get("relation", ()):
        for function in (f for f in table if f.domain is domain):
            for key in (*function.keys, *_beyond(function, row)):
                name = f"{function.name}.{key.name}"
                if any(fnmatch(name, pattern) for pattern in row["keys"]):
                    yield from _expanded(function, key, row, file, games, types)


def _beyond(function: Function, row: Row) -> Iterator[Key]:
    """Relations for unlisted keys of records."""
    for pattern in row["keys"] if function.any_key else ():
        name, _, key = pattern.partition(".")
        if name == function.name and all(key != own.name for own in function.keys):
            yield Key(key, Type(row.get("type", "text")), unit=row.get("unit", ""))


def _expanded(
    function: Function, key: Key, row: Row, file: Row, games: Mapping[str, tuple[str, ...]],
    types: Mapping[str, list[str]],
) -> Iterator[Relation]:  # fmt: skip
    """The relation of a row for one key; for a row with a filter, one per value."""
    source, place = _source(function, key, row, file)
    target = answer_type(key)
    name = f"{function.domain}.{function.name}.{key.name}"
    name += f":{row['id']}" if "id" in row else f":{row['from']}" if "from" in row else ""
    roles = {p for said in file.get("filters", {}).get("job", {}).values() for p in said}
    answers = [word for word in types.get(target, ()) if word not in roles]
    context = [*_context(row.get("context", ()), file), *types[source], *answers]
    needs = row.get("needs", games.get(function.name, ()))
    if isinstance(needs, str):
        tables = {**file.get("context", {}), **file.get("needs", {})}
        needs = tables[needs.removeprefix("@")]
    times = tuple(
        i for i, p in enumerate(function.parameters) if p.type in _TIMES and i != place
    ) if "dated" not in row else ()  # fmt: skip
    filtered = row.get("filter")
    said = (*row.get("names", ()), *row.get("phrases", ()))
    values = file["filters"][filtered].items() if filtered else [("", said)]
    own = {name: row[name] for name in _OWN if name in row}
    own |= {"also": tuple(row["also"].split("."))} if "also" in row else {}
    own.setdefault("pick", "first" if games.get(function.name) else "")
    own.setdefault("absent", 0 if row.get("countable") else None)
    where = tuple(map(_row_filter, row.get("where", ())))
    must = bool(times) and function.domain is not Domain.MOVIE
    for value, phrases in values:
        also = (RowFilter(Op.EQ, filtered, value),) if filtered else ()
        yield Relation(
            f"{name}={value}" if filtered else name, function, key, source, target, place,
            tuple(phrases), tuple(dict.fromkeys(context)), tuple(needs), (*where, *also), times,
            must=must, fixed=row.get("time", ""), **own,
        )  # fmt: skip


def _source(function: Function, key: Key, row: Row, file: Row) -> tuple[str, int]:
    """The type of the thing, and its parameter."""
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


def _row_filter(text: str) -> RowFilter:
    """ "gt close open" compares two keys, "eq job Director" a key with a value."""
    op, key, value = text.split()
    if value.isdigit():
        return RowFilter(Op(op), key, int(value))
    if value == "true":
        return RowFilter(Op(op), key, True)
    if value[0].isupper():
        return RowFilter(Op(op), key, value)
    return RowFilter(Op(op), key, value, is_key=True)


def answer_type(key: Key) -> str:
    """The type of a key's values as used for questions: "movie", "money", "date"."""
    if key.entity in (Entity.TEAM, Entity.GAME):
        return "team"
    if key.entity:
        return str(key.entity)
    if key.unit in ("$", "fraction"):
        return "money" if key.unit == "$" else "fraction"
    if key.codes in ("language", "country", "result"):
        return key.codes
    return _TYPES.get(key.type, "text")
