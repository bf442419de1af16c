"""Relations: what can be asked of a thing, built from the schema and a file of the lexicon."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from models.kg.lexicon.files import DomainFile, Phrases, RelationRow
from models.kg.lexicon.types import End, Side, ThingType, ValueType, value_type
from models.kg.schema.functions import Function, Key, Parameter, Type
from models.kg.schema.operations import Op
from models.records import Domain

_SHARED = "@"  # begins the name of a list that relations share


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

    def names(self, key: str) -> bool:
        """Whether it reads a key of the row."""
        return self.key == key or (self.is_key and self.value == key)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a question names a relation.

    Attributes:
        phrases: one of them must occur, names of the key among them.
        needs: one of these must occur, too, if there are any.
        context: phrases that count as explained beside it, without a meaning of their own.
        side: where the thing must be named relative to the phrase; None: anywhere.
    """

    phrases: Phrases
    needs: Phrases
    context: Phrases
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class TimeUse:
    """How times restrict a relation.

    Attributes:
        parameter_indices: of the parameters that take a time.
        required: a time must be given.
        fixed: the time to use, whatever the question says; "" for none.
        dated_key: the key that a time restricts, and that orders latest and first; "" for none.
        day_of_period: which of several days' rows is the answer.
        until: for a count, the last year that it covers; 0 for none.
        past: the values include past ones, so none can be said to be current.
    """

    parameter_indices: tuple[int, ...] = ()
    required: bool = False
    fixed: str = ""
    dated_key: str = ""
    day_of_period: End | None = None
    until: int = 0
    past: bool = False


@dataclass(frozen=True, slots=True)
class ValueUse:
    """What the values of a relation are good for.

    Attributes:
        pick: which of several values is the answer.
        read_key: the key to read after sorting; "" for the relation's own.
        also: another function and key whose values are added.
        countable: the KG has all values, so they may be counted.
        absent: the quantity of no values in a comparison; None: unknown.
        own_name: the value is a name of the thing itself.
        negated: the question asks whether the value differs.
        free_key: a key that must have a value named by the unexplained words of the question.
        needs_pair: a second thing must be named, for another parameter.
        is_birth: the value is a date of birth, so ages can be told.
    """

    pick: End | None = None
    read_key: str = ""
    also: tuple[str, str] | None = None
    countable: bool = False
    absent: float | None = None
    own_name: bool = False
    negated: bool = False
    free_key: str = ""
    needs_pair: bool = False
    is_birth: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A call and the key that it reads: it maps things of one type to values of another.

    Attributes:
        id: "movie.get_movie.revenue", with ":" and a name if several relations read that key, and
            "=" and a value if it includes a filter.
        parameter_index: that of the thing's parameter.
        filters: conditions on the rows.
    """

    id: str
    function: Function
    key: Key
    source: ThingType
    target: ValueType
    parameter_index: int
    wording: Wording
    filters: tuple[RowFilter, ...] = ()
    times: TimeUse = TimeUse()
    values: ValueUse = ValueUse()

    @property
    def family(self) -> str:
        """The id without the value of the filter."""
        return self.id.partition("=")[0]

    @property
    def filter_value(self) -> str:
        """The value of its filter: "Director"; "" without one."""
        return self.id.partition("=")[2]

    @property
    def domain(self) -> Domain:
        return self.function.domain

    @property
    def is_birth(self) -> bool:
        """Whether its value is a date of birth."""
        return self.values.is_birth

    @property
    def key_names(self) -> frozenset[str]:
        """The names of its key: alone, after the function, and after domain and function."""
        plain_id = self.id.partition(":")[0].partition("=")[0]
        parts = plain_id.split(".")
        return frozenset(".".join(parts[start:]) for start in range(len(parts)))

    def reads_one_of(self, keys: Iterable[str]) -> bool:
        """Whether its key is one of `keys`, each given with or without function and domain."""
        return not self.key_names.isdisjoint(keys)


def relations_of(
    file: DomainFile, functions: Iterable[Function], words_of_types: Mapping[str, Phrases]
) -> Iterator[Relation]:
    """The relations of a file of the lexicon; `words_of_types` are those of all files."""
    builder = _RelationBuilder(file, words_of_types)
    functions_of_domain = [each for each in functions if each.domain is file.domain]
    for row in file.relation:
        patterns = [key for key in row.keys if "*" in key]
        for function in functions_of_domain:
            for key in (*function.keys, *_unlisted_keys(function, row)):
                name = f"{function.name}.{key.name}"
                if name in row.keys or any(fnmatchcase(name, pattern) for pattern in patterns):
                    yield from builder.relations(function, key, row)


def _unlisted_keys(function: Function, row: RelationRow) -> Iterator[Key]:
    """Keys of records that the schema does not list, but the row names."""
    if not function.any_key:
        return
    for pattern in row.keys:
        name, _, key = pattern.partition(".")
        if name == function.name and key not in function.key_names:
            yield Key(key, row.type, unit=row.unit)


class _RelationBuilder:
    """Builds the relations of one file."""

    def __init__(self, file: DomainFile, words_of_types: Mapping[str, Phrases]) -> None:
        self._file = file
        self._words_of_types = words_of_types
        self._needs_of_games = {row.function: row.needs for row in file.games}
        self._job_words: set[str] = set()
        for phrases in file.filters.get("job", {}).values():
            self._job_words.update(phrases)

    def relations(self, function: Function, key: Key, row: RelationRow) -> Iterator[Relation]:
        """The relation of a row for one key; for a row with a filter, one for each value."""
        source, place = self._source(function, key, row)
        target = value_type(key)
        needs = self._needs(function, row)
        context = self._context(row, source, target)
        filters = tuple(map(_row_filter, row.where))
        times = _time_use(function, place, row)
        values = _value_use(row, is_game=function.name in self._needs_of_games)
        name = _relation_id(function, key, row)
        if not row.filter:
            wording = Wording((*row.names, *row.phrases), needs, context, row.side)
            yield Relation(
                name, function, key, source, target, place, wording, filters, times, values
            )
            return
        for value, phrases in self._file.filters[row.filter].items():
            yield Relation(
                f"{name}={value}",
                function,
                key,
                source,
                target,
                place,
                Wording(phrases, needs, context, row.side),
                (*filters, RowFilter(Op.EQ, row.filter, value)),
                times,
                values,
            )

    def _source(self, function: Function, key: Key, row: RelationRow) -> tuple[ThingType, int]:
        """The type of the thing, and the index of its parameter."""
        parameters = [(_thing_type_of(p), i) for i, p in enumerate(function.parameters)]
        candidates = [(kind, i) for kind, i in parameters if kind]
        if not candidates:
            candidates = [(row.thing, 0)]
        if row.thing:
            candidates = [(kind, i) for kind, i in candidates if kind == row.thing]
        others = [(kind, i) for kind, i in candidates if kind != key.entity]
        kind, place = (others or candidates)[0]
        for pattern, declared_kind in self._file.source.items():
            if fnmatchcase(function.name, pattern):
                return ThingType(declared_kind), place
        return ThingType(kind), place

    def _needs(self, function: Function, row: RelationRow) -> Phrases:
        if row.needs is None:
            return self._needs_of_games.get(function.name, ())
        if isinstance(row.needs, str):
            name = row.needs.removeprefix(_SHARED)
            return self._file.needs[name] if name in self._file.needs else self._file.context[name]
        return row.needs

    def _context(self, row: RelationRow, source: ThingType, target: ValueType) -> Phrases:
        """The row's own context, the words of the thing's type, and those of the answer's type
        that are no jobs: a job in the question is a filter."""
        phrases: list[str] = []
        for name in row.context:
            if name.startswith(_SHARED):
                phrases += self._file.context[name.removeprefix(_SHARED)]
            else:
                phrases.append(name)
        phrases += self._words_of_types[source]
        answer_words = self._words_of_types.get(target, ())
        phrases += [word for word in answer_words if word not in self._job_words]
        return tuple(dict.fromkeys(phrases))


def _thing_type_of(parameter: Parameter) -> str:
    """The type of thing that a parameter takes; "" if it takes none."""
    if parameter.entity:
        return str(parameter.entity)
    return {Type.YEAR: "year", Type.NUMBER: "number"}.get(parameter.type, "")


def _relation_id(function: Function, key: Key, row: RelationRow) -> str:
    suffix = row.id or row.thing
    name = f"{function.domain}.{function.name}.{key.name}"
    return f"{name}:{suffix}" if suffix else name


def _time_use(function: Function, thing_index: int, row: RelationRow) -> TimeUse:
    indices: tuple[int, ...] = ()
    if not row.dated:
        indices = tuple(
            i
            for i, parameter in enumerate(function.parameters)
            if parameter.type.is_time and i != thing_index
        )
    return TimeUse(
        parameter_indices=indices,
        required=bool(indices) and function.domain is not Domain.MOVIE,
        fixed=row.time,
        dated_key=row.dated,
        day_of_period=row.edge,
        until=row.until,
        past=row.past,
    )


def _value_use(row: RelationRow, *, is_game: bool) -> ValueUse:
    also = None
    if row.also:
        function, key = row.also.split(".")
        also = (function, key)
    absent = row.absent
    if absent is None and row.countable:
        absent = 0
    pick = row.pick
    if pick is None and is_game:
        pick = End.FIRST
    return ValueUse(
        pick=pick,
        read_key=row.read,
        also=also,
        countable=row.countable,
        absent=absent,
        own_name=row.own_name,
        negated=row.negated,
        free_key=row.free,
        needs_pair=row.pair,
        is_birth=row.birth,
    )


def _row_filter(text: str) -> RowFilter:
    """A condition: "eq job Director", "gt close open". A value of digits, `true`, or with a capital
    is a literal; any other is a key of the same row."""
    op, key, value = text.split()
    if value.isdigit():
        return RowFilter(Op(op), key, int(value))
    if value == "true":
        return RowFilter(Op(op), key, True)
    if value[0].isupper():
        return RowFilter(Op(op), key, value)
    return RowFilter(Op(op), key, value, is_key=True)
