"""The normal form of a program: the same for programs that return the same over any KG that holds
the facts.

Each statement becomes a `Lookup`, in which a `sort` is one with the call before it, and nested
queries are lookups themselves. Statements are a set, since each gives its own values. Two things
are assumed of every KG: a name names one thing, and 0 is never a real sum of money.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from benchmarks._program_lookup import (
    ALL_ROWS,
    CREDITS,
    NAMES_OF_ROWS,
    OPEN,
    OSCARS,
    Lookup,
    Order,
    Test,
    Value,
    may_be_list,
    meaning_of,
    normal,
)
from benchmarks._program_names import NamesOfProgram, plain_name
from benchmarks._program_time import Days, Time, price_day, time_of
from models.kg.english.days import DAY
from models.kg.english.question import QuestionText
from models.kg.english.teams import Sport, find_teams
from models.kg.language.ast import (
    Column,
    Condition,
    FunctionCall,
    NameList,
    Program,
    Query,
    Sort,
    Star,
    Take,
)
from models.kg.language.check import check
from models.kg.lexicon.named_functions import functions
from models.kg.parsing.answers import (
    Clash,
    Common,
    Composer,
    Count,
    Difference,
    FalsePremise,
    Measure,
    Most,
    Total,
    Values,
)
from models.kg.parsing.candidates import Candidate
from models.kg.schema.functions import Entity, Function, Key, Parameter
from models.kg.schema.operations import Op, Reduce
from models.records import Domain

_FILMS = ("get_movie", "get_movie_series", *CREDITS)
_WORKS = (*_FILMS, "get_song")
_NBA = "get_nba_on_date"
_PRICES = "get_stock_price"
# Functions in which a positional time is a condition on a key.
_KEY_OF_TIME = {
    **dict.fromkeys((*CREDITS, OSCARS), "year"),
    "get_stock_dividend": "date",
}
_SHARED_KEYS = {"movie": "name", "person": "movie_name"}  # what films or people have in common
_EXCHANGED = {Op.GT: Op.LT, Op.GE: Op.LE}
_OTHER_RESULT = {"a win": "a loss", "a loss": "a win"}


@dataclass(frozen=True, slots=True)
class ProgramForm:
    """What a program returns.

    Attributes:
        lookups: one for each statement.
        together: how the values of all of them are combined to one.
    """

    lookups: frozenset[Lookup]
    together: Reduce | None = None


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a statement, for the `sort` after it.

    Attributes:
        lookup: not yet in its normal form.
        row: the function that has their keys.
        naming_key: the key whose values named them, where they were looked up by its values.
    """

    lookup: Lookup
    row: Function
    naming_key: Key | None = None


class _NoFormError(Exception):
    """A program uses what has no normal form."""


class ProgramForms:
    """The normal forms of programs for one question."""

    def __init__(self, now: datetime, names: NamesOfProgram) -> None:
        """`names`: the KG that candidates are generated over."""
        self._now = now
        self._today = now.date()
        self._names = names
        self._table = functions()

    def form_of(self, program: Program) -> ProgramForm | None:
        """The normal form of a program; None if it has none."""
        if any(check(program)):
            return None
        try:
            return self._form(program)
        except (_NoFormError, OverflowError):  # a day before or after all dates
            return None

    def forms_of(self, candidate: Candidate) -> list[ProgramForm]:
        """The forms of a candidate: what its composer makes of the values of its program, and that
        of the program itself if the composer shows, tests or compares all values.

        There are none of a candidate that only tells a false premise.
        """
        composer = candidate.composer
        if isinstance(composer, (FalsePremise, Clash)):
            return []
        form = self.form_of(candidate.program)
        if form is None:
            return []
        composed = self._composed(form, composer)
        forms = [] if composed is None else [composed]
        of_pages = all(lookup.function == OPEN for lookup in form.lookups)
        if of_pages or not _shows_less(composer):  # a text may be a number, or name the things
            forms.append(form)
        return forms

    # ---- statements

    def _form(self, program: Program) -> ProgramForm:
        queries, together = _without_lists(program)
        lookups: list[Lookup] = []
        rows: _Rows | None = None
        for place, query in enumerate(queries):
            if isinstance(query.source, FunctionCall):
                rows = self._called(query, query.source, rows)
            elif rows is None or not isinstance(query.source, Sort):
                raise _NoFormError
            else:
                rows = self._sorted(query, query.source, rows)
                if isinstance(queries[place - 1].source, FunctionCall):
                    lookups.pop()  # this statement reads its rows
            lookups.append(normal(rows.lookup, self._today))
        return ProgramForm(frozenset(lookups), together)

    def _called(self, query: Query, call: FunctionCall, before: _Rows | None) -> _Rows:
        """The rows of a call, as `models/kg/execution/plan.py` plans it."""
        used_keys = [condition.key for condition in call.where]
        if query.key:
            used_keys.append(query.key)
        row = self._table.rows_with(call.function, used_keys)[0]
        where = _positional_conditions(call)
        joined_where: list[Condition] = []  # on keys of the things that this query's key names
        for condition in call.where:
            if row.any_key or condition.key in row.key_names:
                where.append(condition)
            else:
                joined_where.append(condition)
        reads = query.key or _only_key(row)
        lookup = Lookup(
            call.function,
            names=frozenset(self._names_of(call, before)),
            time=self._time_of(call, row),
            where=self._tests(where, row),
            reads=reads,
            take=query.take,
            reduce=query.reduce,
        )
        if not joined_where:
            return _Rows(lookup, row)
        named = replace(lookup, take=ALL_ROWS, reduce=None)
        joined = self._joined(named, row)
        where_joined = self._tests(joined_where, joined.row)
        lookup = replace(joined.lookup, where=where_joined, take=query.take, reduce=query.reduce)
        return replace(joined, lookup=lookup)

    def _sorted(self, query: Query, sort: Sort, before: _Rows) -> _Rows:
        """The rows of the statement before, sorted; if they lack the keys, the rows of the things
        that it names."""
        reads = query.key
        if before.naming_key is not None and reads == before.naming_key.name:
            reads = before.row.keys[0].name
        used_keys = {sort.key, *(condition.key for condition in sort.where)}
        if reads:
            used_keys.add(reads)
        rows = before
        if not before.row.any_key and not used_keys <= before.row.key_names:
            named = replace(before.lookup, order=None, take=ALL_ROWS, reduce=None)
            rows = self._joined(named, before.row)
            if reads not in rows.row.key_names:
                reads = None
        lookup = replace(
            rows.lookup,
            where=rows.lookup.where | self._tests(sort.where, rows.row),
            order=Order(sort.key, sort.descending),
            reads=reads or rows.lookup.reads,
            take=query.take,
            reduce=query.reduce,
        )
        return replace(rows, lookup=lookup)

    def _joined(self, named: Lookup, row: Function) -> _Rows:
        """The rows of the things that the values of a lookup name: a lookup of its values."""
        naming_key = _key_of(row, named.reads or "")
        joined_row = self._table.row_for(naming_key.entity)
        if joined_row is None:
            raise _NoFormError
        name = (joined_row.parameters[0].name, normal(named, self._today))
        reads = joined_row.keys[0].name
        lookup = Lookup(joined_row.name, frozenset((name,)), reads=reads)
        return _Rows(lookup, joined_row, naming_key)

    # ---- arguments

    def _names_of(self, call: FunctionCall, before: _Rows | None) -> Iterator[tuple[str, Value]]:
        parameters = self._table.parameters_of(call.function)
        for parameter, argument in zip(parameters, call.arguments, strict=False):
            if isinstance(argument, Query):
                yield parameter.name, self._nested(argument)
            elif isinstance(argument, Star):
                if before is None:
                    raise _NoFormError
                yield parameter.name, normal(before.lookup, self._today)
            elif isinstance(argument, NameList):
                names = [self._name(call, parameter, name) for name in argument.items]
                yield parameter.name, frozenset(names) if len(names) > 1 else names[0]
            elif argument is not None and not parameter.type.is_time:
                yield parameter.name, self._name(call, parameter, str(argument))

    def _name(self, call: FunctionCall, parameter: Parameter, name: str) -> str:
        if parameter.entity is Entity.TEAM:
            return self._team(call.function, name)
        return plain_name(name)

    def _team(self, function: str, name: str) -> str:
        """The KG's name of a team: "man utd" is "Manchester United"."""
        sport = Sport.NBA if function == _NBA else Sport.SOCCER
        text = QuestionText.of(name, self._now)
        for team in find_teams(text, sport, ()):
            if team.score == 1.0 and len(team.span) == len(text.words):
                return plain_name(team.name)
        return plain_name(name)

    def _nested(self, query: Query) -> Value:
        """The lookup of a nested query; the value that it has in the KG of the names, if the
        parser has read that already."""
        if not isinstance(query.source, FunctionCall):
            raise _NoFormError
        lookup = normal(self._called(query, query.source, None).lookup, self._today)
        if lookup.function == OPEN and lookup.is_list and lookup.reads:
            for _, name in lookup.names:
                value = self._names.value_of(name, lookup.reads) if isinstance(name, str) else None
                if value is not None:
                    return plain_name(value)
        return lookup

    def _time_of(self, call: FunctionCall, row: Function) -> Time | None:
        """The time of a call; None if it has none, or if that is a condition on its rows."""
        if call.function in _KEY_OF_TIME:
            return None
        phrases = [str(argument) for _, argument in _times(call)]
        if not phrases:
            return None
        time = time_of(phrases, self._now, foreseen=_has_days_to_come(row))
        return price_day(time, self._today) if call.function == _PRICES else time

    # ---- conditions

    def _tests(self, where: Sequence[Condition], row: Function) -> frozenset[Test]:
        tests: set[Test] = set()
        for condition in where:
            tests.update(self._tests_of(condition, row))
        return frozenset(tests)

    def _tests_of(self, condition: Condition, row: Function) -> Iterator[Test]:
        key = _key_of(row, condition.key)
        value = condition.value
        if isinstance(value, Star):
            raise _NoFormError
        if isinstance(value, Query):
            yield Test(condition.op, key.name, self._nested(value))
        elif isinstance(value, Column):
            yield _column_test(condition.op, key.name, value.key)
        elif key.type.is_time:
            yield from self._time_tests(condition.op, key, str(value), row)
        elif not _holds_of_all_sums(condition.op, key, value):
            yield self._text_test(condition.op, key, str(value), row)

    def _text_test(self, op: Op, key: Key, text: str, row: Function) -> Test:
        if key.entity is Entity.TEAM:
            return Test(op, key.name, self._team(row.name, text))
        value = meaning_of(key.codes, text)
        if row.name == _NBA and key.name == "result" and op is Op.NE and value in _OTHER_RESULT:
            return Test(Op.EQ, key.name, _OTHER_RESULT[value])  # there are no draws
        return Test(op, key.name, value)

    def _time_tests(self, op: Op, key: Key, text: str, row: Function) -> Iterator[Test]:
        """A condition on a time, as days: a film's year is that of its release."""
        name = "release_date" if key.name == "year" and row.name in _FILMS else key.name
        time = time_of([text], self._now, foreseen=_has_days_to_come(row))
        if not isinstance(time, Days) or op is Op.NE:
            yield Test(op, name, time)
            return
        if op in (Op.EQ, Op.GE):
            yield Test(Op.GE, name, time.first)
        if op is Op.GT:
            yield Test(Op.GE, name, time.last + DAY)
        if op in (Op.EQ, Op.LE, Op.LT):
            last = time.first - DAY if op is Op.LT else time.last
            is_release = name == "release_date" and row.name in _WORKS
            if not is_release or last not in (self._today, self._today - DAY):
                yield Test(Op.LE, name, last)  # others ask only that a work is out

    # ---- composers

    def _composed(self, form: ProgramForm, composer: Composer) -> ProgramForm | None:
        """The form of what a composer makes of the values; None if it gives them as they are, or
        compares them."""
        match composer:
            case Count() if len(form.lookups) == 1:
                return self._reduced(form, Reduce.LEN, distinct=not composer.rows)
            case Count():
                return replace(form, together=Reduce.LEN)
            case Most(measure=Measure.COUNT) | Difference(measure=Measure.COUNT):
                return self._reduced(form, Reduce.LEN, distinct=True)
            case Most(measure=Measure.SUM) | Difference(measure=Measure.SUM):
                return self._reduced(form, Reduce.SUM)
            case Total():
                return replace(form, together=Reduce.AVG if composer.mean else Reduce.SUM)
            case Common():
                return self._in_common(form)
            case Values(limit=1, last_member_of=""):
                return self._first_value(form)
        return None

    def _first_value(self, form: ProgramForm) -> ProgramForm | None:
        """The form with the first row of a list, of which only the first value is shown."""
        lookups = list(form.lookups)
        if len(lookups) != 1 or not lookups[0].is_list or may_be_list(lookups[0]):
            return None
        first = normal(replace(lookups[0], take=Take()), self._today)
        return ProgramForm(frozenset((first,)))

    def _reduced(
        self, form: ProgramForm, reduce: Reduce, *, distinct: bool = False
    ) -> ProgramForm | None:
        """The form with the values of each lookup reduced.

        Args:
            distinct: equal values count once, which differs from `["len"]` where they may repeat.
        """
        lookups = []
        for lookup in form.lookups:
            if not lookup.is_list or (distinct and self._may_repeat(lookup)):
                return None
            lookups.append(normal(replace(lookup, reduce=reduce), self._today))
        return ProgramForm(frozenset(lookups))

    def _may_repeat(self, lookup: Lookup) -> bool:
        """Whether rows may have equal values: two games against one opponent. A film wins an Oscar
        of a category once."""
        if lookup.reads is None or lookup.reads in NAMES_OF_ROWS or may_be_list(lookup):
            return False
        tested = {test.key for test in lookup.where}
        of_film = any(parameter == "movie" for parameter, _ in lookup.names)
        return not (lookup.reads == "category" and of_film and "winner" in tested)

    def _in_common(self, form: ProgramForm) -> ProgramForm | None:
        """The names that two films, or the films that two people have in common are those of a list
        of both."""
        names: set[str] = set()
        merged: set[Lookup] = set()
        for lookup in form.lookups:
            for parameter, name in lookup.names:
                if isinstance(name, str) and lookup.reads == _SHARED_KEYS.get(parameter):
                    names.add(name)
                    shared = frozenset(((parameter, frozenset[str]()),))
                    merged.add(replace(lookup, names=shared))
        if len(names) != len(form.lookups) or len(merged) != 1:
            return None
        (lookup,) = merged
        ((parameter, _),) = lookup.names
        of_all = frozenset(((parameter, frozenset(names)),))
        return ProgramForm(frozenset((replace(lookup, names=of_all),)))


# ---- parts of programs


def _shows_less(composer: Composer) -> bool:
    """Whether a composer counts values, adds them up, or shows the first only."""
    match composer:
        case Most() | Difference():
            return composer.measure in (Measure.COUNT, Measure.SUM)
        case Values():
            return composer.limit == 1 and not composer.last_member_of
    return isinstance(composer, Count)


def _without_lists(program: Program) -> tuple[list[Query], Reduce | None]:
    """The statements with a call for each name of a list, except of names that share rows; and how
    the values of all are combined, if a single statement does so."""
    queries: list[Query] = []
    for statement in program.statements:
        if not isinstance(statement, Query):
            raise _NoFormError
        queries.append(statement)
    if any(isinstance(query.source, Sort) for query in queries):
        return queries, None
    each: list[Query] = []
    for query in queries:
        each += _for_each_name(query) if query.reduce is None else [query]
    if len(queries) > 1 or queries[0].reduce is None:
        return each, None
    of_names = _for_each_name(replace(queries[0], reduce=None))
    return (of_names, queries[0].reduce) if len(of_names) > 1 else (queries, None)


def _for_each_name(query: Query) -> list[Query]:
    """A query for each name of its list, if that is to look up each."""
    call = query.source
    assert isinstance(call, FunctionCall)
    parameters = functions().parameters_of(call.function)
    for place, argument in enumerate(call.arguments):
        if isinstance(argument, NameList) and not parameters[place].shared:
            queries = []
            for name in argument.items:
                arguments = (*call.arguments[:place], name, *call.arguments[place + 1 :])
                queries.append(replace(query, source=replace(call, arguments=arguments)))
            return queries
    return [query]


def _times(call: FunctionCall) -> Iterator[tuple[Parameter, str | int]]:
    """The times among the arguments of a call."""
    parameters = functions().parameters_of(call.function)
    for parameter, argument in zip(parameters, call.arguments, strict=False):
        if parameter.type.is_time and isinstance(argument, (str, int)):
            yield parameter, argument


def _positional_conditions(call: FunctionCall) -> list[Condition]:
    """A positional year of credits or Oscars, or day of a dividend, as the condition that it is."""
    key = _KEY_OF_TIME.get(call.function)
    return [Condition(Op.EQ, key, time) for _, time in _times(call)] if key else []


def _key_of(row: Function, name: str) -> Key:
    return next((key for key in row.keys if key.name == name), Key(name))


def _only_key(row: Function) -> str | None:
    """The key that a call reads without naming it."""
    return row.keys[0].name if len(row.keys) == 1 and not row.any_key else None


def _has_days_to_come(row: Function) -> bool:
    """Whether there may be rows of days after the question's: games and films that are announced,
    but no prices."""
    return row.domain is not Domain.FINANCE


def _column_test(op: Op, key: str, other: str) -> Test:
    """A comparison of two columns, with the lesser one first."""
    if op in _EXCHANGED:
        return Test(_EXCHANGED[op], other, Column(key))
    return Test(op, key, Column(other))


def _holds_of_all_sums(op: Op, key: Key, value: Any) -> bool:
    """Whether a condition only asks that a sum of money is known, since 0 stands for unknown."""
    return op is Op.GT and key.unit == "$" and value == 0
