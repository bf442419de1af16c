"""A statement as a lookup, and the equivalences of lookups that return the same.

A `Lookup` is the call that a statement is based on with all that restricts its rows, their order,
and what is read of them. `normal` applies the rules: each returns a lookup that gives the same, in
the shape that all such lookups share, or the lookup itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from typing import Union

from benchmarks._program_names import plain_name
from benchmarks._program_time import Days, Time, edge_day
from models.kg.english.days import KnownDay
from models.kg.language.ast import Column, Take
from models.kg.lexicon.named_functions import functions
from models.kg.schema.codes import is_code, name_of, written_names
from models.kg.schema.functions import Type
from models.kg.schema.operations import Op, Reduce
from utils.text import fold

ALL_ROWS = Take(None)
CAST = "get_movie_person_cast"
CREW = "get_movie_person_crew"
CREDITS = (CAST, CREW)
OPEN = "get_open"
OSCARS = "get_movie_person_oscar"
_PRICES = "get_stock_price"
_MINUTE_PRICES = "get_stock_detailed_price"
_BY_DATE = "date"
_WON = "won"  # as codes.toml words it
# Functions that give one row for a name.
_OF_ONE_THING = frozenset(
    """
    get_movie get_person get_song get_open get_company get_movie_year get_grammy_person
    get_grammy_song get_grammy_year get_billboard get_billboard_song get_stock_info get_stock_eps
    get_stock_pe_ratio get_stock_market_cap
    """.split()
)
# Functions that give one row for a name and a day.
_OF_ONE_DAY = frozenset((_PRICES, "get_soccer_on_date", "get_nba_on_date"))
# Keys of which every row has one value that tells it from the others.
NAMES_OF_ROWS = frozenset(("movie_name", "name", "title", "date", "song"))
# Keys that every row has.
_ALWAYS_KNOWN = NAMES_OF_ROWS | {"category", "opponent", "team"}
# The keys of a film's own row, in rows of credits.
_FILM_KEYS = {"title": "movie_name"} | {
    key: key
    for key in "release_date year budget revenue rating length genres original_language".split()
}
_STAFF = ("director", "producer", "writer", "composer", "cinematographer", "editor")

Value = Union[str, frozenset[str], "Lookup"]


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on rows."""

    op: Op
    key: str
    value: Value | date | Time | Column


@dataclass(frozen=True, slots=True)
class Order:
    """The key that rows are sorted by."""

    key: str
    descending: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """What a statement returns.

    Attributes:
        names: by parameter; a set of names: what they have in common.
        reads: the key that is read; None for whole rows.
        take: the rows that are read; `ALL_ROWS` also where there is only one.
    """

    function: str
    names: frozenset[tuple[str, Value]]
    time: Time | None = None
    where: frozenset[Test] = frozenset()
    reads: str | None = None
    order: Order | None = None
    take: Take = ALL_ROWS
    reduce: Reduce | None = None

    @property
    def is_list(self) -> bool:
        """Whether all values are given as they are."""
        return self.order is None and self.take == ALL_ROWS and self.reduce is None

    @property
    def used_keys(self) -> frozenset[str | None]:
        """The keys that rows are filtered and sorted by, and that are read."""
        keys: set[str | None] = {self.reads}
        keys.update(test.key for test in self.where)
        if self.order is not None:
            keys.add(self.order.key)
        return frozenset(keys)


def normal(lookup: Lookup, today: date) -> Lookup:
    """The normal form of a lookup whose nested ones are normal."""
    for rule in _RULES:
        lookup = rule(lookup)
    return only_row(price_of_edge_day(price_now(lookup, today), today))


def meaning_of(codes: str, text: str) -> str | frozenset[str]:
    """A value by what it means: a code in words ("W" is "a win"), a name as all that the KG writes
    for it ("best film"), another text as a plain name.

    Args:
        codes: the table of `models/kg/schema/codes.toml` with the wording; "" for none.
    """
    if not codes:
        return plain_name(text)
    if is_code(codes, text):
        return name_of(codes, text)
    for name, written in written_names(codes):
        if fold(name) == fold(text):
            return frozenset(map(fold, written))
    return plain_name(name_of(codes, text))


def may_be_list(lookup: Lookup) -> bool:
    """Whether the key that is read has several values in one row, or may have."""
    for row in functions().rows_of(lookup.function):
        types = {key.name: key.type for key in row.keys}
        if row.any_key or types.get(lookup.reads or "") is Type.LIST:
            return True
    return False


# ---- the equivalences


def only_row(lookup: Lookup) -> Lookup:
    """All rows are the first row where a call gives one: that of a named thing, of a team's or
    company's day, or of the winner of an Oscar in a year. Of several nested names, the first row of
    each is taken."""
    is_one = lookup.function in _OF_ONE_THING or _is_won_oscar(lookup)
    if lookup.function in _OF_ONE_DAY:
        is_one = isinstance(lookup.time, KnownDay) or (
            isinstance(lookup.time, Days) and lookup.time.is_one
        )
    if not is_one or lookup.take.start or lookup.take == ALL_ROWS:
        return lookup
    if any(isinstance(name, Lookup) for _, name in lookup.names) and lookup.order is not None:
        return lookup
    return replace(lookup, order=None, take=ALL_ROWS)


def _is_won_oscar(lookup: Lookup) -> bool:
    """Whether the rows are those of the winner of one category in one year."""
    tests = {(test.op, test.key): test.value for test in lookup.where}
    since = tests.get((Op.GE, "year"))
    until = tests.get((Op.LE, "year"))
    if not isinstance(since, date) or not isinstance(until, date) or since.year != until.year:
        return False
    is_won = tests.get((Op.EQ, "winner")) == _WON
    return lookup.function == OSCARS and is_won and (Op.EQ, "category") in tests


def films_of_person(lookup: Lookup) -> Lookup:
    """The films on a person's own record are those that have the person in their cast, or in their
    crew as the director."""
    if lookup.function != "get_person":
        return lookup
    names = frozenset(("person", name) for _, name in lookup.names)
    if lookup.reads == "acted_movies":
        return replace(lookup, function=CAST, names=names, reads="movie_name")
    if lookup.reads == "directed_movies":
        where = lookup.where | {_job_test("director")}
        return replace(lookup, function=CREW, names=names, reads="movie_name", where=where)
    return lookup


def _job_test(job: str) -> Test:
    """The condition on rows of a film's crew that a person has a job."""
    return Test(Op.EQ, "job", meaning_of("job", job))


def films_by_title(lookup: Lookup) -> Lookup:
    """Rows of credits have the keys of their films, so films looked up by the titles of credits are
    these rows."""
    if lookup.function != "get_movie" or len(lookup.names) != 1:
        return lookup
    ((_, titles),) = lookup.names
    if not isinstance(titles, Lookup) or titles.function not in CREDITS:
        return lookup
    if not titles.is_list or titles.reads != "movie_name":
        return lookup
    if not lookup.used_keys <= {None, *_FILM_KEYS}:
        return lookup
    tests = {replace(test, key=_FILM_KEYS[test.key]) for test in lookup.where}
    order = lookup.order
    if order is not None:
        order = replace(order, key=_FILM_KEYS[order.key])
    return replace(
        titles,
        where=titles.where | tests,
        reads=_FILM_KEYS[lookup.reads] if lookup.reads else None,
        order=order,
        take=lookup.take,
        reduce=lookup.reduce,
    )


def staff_of_film(lookup: Lookup) -> Lookup:
    """A film's record lists the names in the rows of its cast, and of its crew with a job."""
    if lookup.function != "get_movie" or lookup.where or lookup.order or lookup.take.start:
        return lookup
    if lookup.reads == "cast":
        return replace(lookup, function=CAST, reads="name")
    if lookup.reads in _STAFF:
        where = frozenset((_job_test(lookup.reads),))
        return replace(lookup, function=CREW, reads="name", where=where)
    return lookup


def extreme_as_order(lookup: Lookup) -> Lookup:
    """The highest value of a key is that of the first row in its order."""
    if lookup.reduce not in (Reduce.MIN, Reduce.MAX) or lookup.order or lookup.reads is None:
        return lookup
    if lookup.take != ALL_ROWS or may_be_list(lookup):
        return lookup
    order = Order(lookup.reads, descending=lookup.reduce is Reduce.MAX)
    return replace(lookup, reduce=None, order=order, take=Take())


def counted_rows(lookup: Lookup) -> Lookup:
    """The values of a key that every row has are as many as the rows."""
    if lookup.reduce is not Reduce.LEN or may_be_list(lookup):
        return lookup
    tested = {test.key for test in lookup.where}
    if lookup.reads in _ALWAYS_KNOWN or lookup.reads in tested:
        return replace(lookup, reads=None)
    return lookup


def list_without_order(lookup: Lookup) -> Lookup:
    """The order does not matter where all rows are read: a `sort` may only serve its conditions."""
    return replace(lookup, order=None) if lookup.take == ALL_ROWS else lookup


def latest_price(lookup: Lookup) -> Lookup:
    """Without a time, prices begin with the latest one."""
    if lookup.function not in (_PRICES, _MINUTE_PRICES) or lookup.time is not None:
        return lookup
    is_first_row = lookup.order is None and lookup.take == Take()
    is_latest = lookup.order == Order(_BY_DATE, descending=True) and lookup.take == Take()
    if lookup.where or lookup.reduce or not (is_first_row or is_latest):
        return lookup
    return replace(lookup, time=KnownDay.LATEST, order=None, take=ALL_ROWS)


def price_now(lookup: Lookup, today: date) -> Lookup:
    """The price now is the latest one of the days or minutes, today's close, which is the last
    price so far, or a price of today's minutes."""
    if lookup.function not in (_PRICES, _MINUTE_PRICES) or lookup.order or lookup.reduce:
        return lookup
    if lookup.time is KnownDay.LATEST:
        return replace(lookup, function=_PRICES, take=ALL_ROWS)
    key_of_now = "close" if lookup.function == _PRICES else "open"
    if lookup.time != Days(today, today) or lookup.reads != key_of_now:
        return lookup
    return replace(lookup, function=_PRICES, time=KnownDay.LATEST, reads="close", take=ALL_ROWS)


def price_of_edge_day(lookup: Lookup, today: date) -> Lookup:
    """The first row of a range of prices is that of its first trading day, the first one from the
    latest on that of its last."""
    if lookup.function != _PRICES or not isinstance(lookup.time, Days) or lookup.where:
        return lookup
    if lookup.take != Take() or lookup.reduce:
        return lookup
    if lookup.order is not None and lookup.order.key != _BY_DATE:
        return lookup
    is_last = lookup.order is not None and lookup.order.descending
    day = edge_day(lookup.time, today, last=is_last)
    return replace(lookup, time=day, order=None, take=ALL_ROWS)


_RULES: tuple[Callable[[Lookup], Lookup], ...] = (
    only_row,
    films_of_person,
    films_by_title,
    staff_of_film,
    extreme_as_order,
    latest_price,
    counted_rows,
    list_without_order,
)
