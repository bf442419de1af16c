"""What holds of every tree and of every text."""

import time

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from models.kg.language.ast import (
    Call,
    Condition,
    Invalid,
    NameList,
    Nothing,
    Op,
    Program,
    Query,
    Reduce,
    Sort,
    Star,
    Statement,
    Take,
)
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.functions import Keys, functions
from models.kg.language.parser import MAX_LENGTH, parse
from models.kg.language.printer import to_text

TABLE = functions()
# The same on every run, and without a limit of time: a figure comes from a benchmark.
SETTINGS = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow],
)

texts = st.text(max_size=20)
numbers = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
takes = st.none() | st.integers(1, 10**6)


def keys(of: Keys) -> st.SearchStrategy[str]:
    known = st.sampled_from(of.names)
    free = st.text(min_size=1, max_size=10)
    free = free.filter(lambda key: key not in set(Reduce) and key[0] != "-")
    return known | free if of.any_key else known


@st.composite
def wheres(draw: st.DrawFn, of: Keys, before: Keys, depth: int) -> tuple[Condition, ...]:
    values = scalars | st.builds(Star)
    if depth:
        values |= queries(before, depth - 1)
    conditions = st.builds(Condition, st.sampled_from(Op), keys(of), values)
    return tuple(draw(st.lists(conditions, max_size=3)))


@st.composite
def calls(draw: st.DrawFn, before: Keys, depth: int) -> Call:
    name = draw(st.sampled_from(TABLE.names))
    arguments = scalars | st.builds(Star)
    arguments |= st.builds(NameList, st.lists(texts, min_size=1, max_size=3).map(tuple))
    if depth:
        arguments |= queries(before, depth - 1)
    given = draw(st.lists(arguments, max_size=len(TABLE.parameters_of(name))))
    while given and given[-1] is None:
        given.pop()
    return Call(name, tuple(given), draw(wheres(TABLE.keys_of(name), before, depth)))


@st.composite
def sorts(draw: st.DrawFn, before: Keys, depth: int) -> Sort:
    return Sort(draw(keys(before)), draw(st.booleans()), draw(wheres(before, before, depth)))


@st.composite
def queries(draw: st.DrawFn, before: Keys, depth: int) -> Query:
    source = draw(st.one_of(calls(before, depth), sorts(before, depth)))
    of = TABLE.keys_of(source.function) if isinstance(source, Call) else before
    key = draw(st.none() | keys(of))
    return Query(source, key, Take(draw(takes)), draw(st.none() | st.sampled_from(Reduce)))


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Any program; a sort has the keys of the statement before it."""
    before = TABLE.all_keys
    statements: list[Statement] = []
    for _ in range(draw(st.integers(1, 4))):
        statement = draw(st.builds(Nothing) | queries(before, draw(st.integers(0, 2))))
        if isinstance(statement, Query) and isinstance(statement.source, Call):
            before = TABLE.keys_of(statement.source.function)
        statements.append(statement)
    return Program(tuple(statements))


@SETTINGS
@given(programs())
def test_a_tree_survives_printing_and_parsing(program: Program) -> None:
    text = to_text(program)
    if len(text) > MAX_LENGTH:
        return
    parsed = parse(text, strict=True)
    assert parsed.program == program
    assert repr(parsed.program) == repr(program)  # 1, 1.0 and True are equal, and not the same
    assert to_text(parsed.program) == text


def reads_or_raises(text: str) -> None:
    try:
        parsed = parse(text)
    except QuerySyntaxError as error:
        assert str(error).endswith("^")
    else:
        read = [each for each in parsed.program.statements if not isinstance(each, Invalid)]
        printed = to_text(Program(tuple(read)))
        if len(printed) <= MAX_LENGTH:
            assert parse(printed, strict=True).program.statements == tuple(read)


_WORDS = st.sampled_from(
    "get_movie get_open get_Song sort ALL AVG len None null true eq gt and print year title -year "
    '( ) [ ] , ; : . = == >= * - 0 1 2012 1e9 " “ ’ ``` \n ("a") ["title"] [:3] [:] {'.split(" ")
)
_JOINED = st.builds(str.join, st.sampled_from(("", " ")), st.lists(_WORDS, max_size=30))


@SETTINGS
@given(_JOINED | st.text() | st.text(alphabet="()[]\"'“”,;:.=*-`\n\\ aé1"))
@example("\ud800")
@example("[")
@example("None(")
@example(".")
def test_no_text_raises_anything_else(text: str) -> None:
    reads_or_raises(text)


@pytest.mark.clock
@pytest.mark.parametrize(
    "part",
    ["(", ")", "[", '"a', '"a, ', '"a")[ ', "'", "\n", " ", "\\", "```", ";", "ALL ", "1 ", "and "]
    + ["get_movie(", 'get_movie("a") ', "get_x(a and ", "a==", "x.", "print(", "len(", "[[eq("]
    + ['eq("a" ', "sort(", '("', "get_movie(a=", "get_movie([eq(year, get_movie([eq(year, "],
)
def test_no_text_hangs(part: str) -> None:
    end = ' get_movie("a")["title"]'
    text = part * ((MAX_LENGTH - len(end)) // len(part)) + end
    start = time.perf_counter()
    reads_or_raises(text)
    assert time.perf_counter() - start < 5
