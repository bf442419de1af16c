"""What holds of every value and of every text."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from models.kg.language.ast import (
    Condition,
    FunctionCall,
    InvalidStatement,
    NameList,
    Program,
    Query,
)
from models.kg.language.errors import QuerySyntaxError
from models.kg.language.parser import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.schema.operations import Op, Reduce

# The same on every run, and without a limit of time: a figure comes from a benchmark.
SETTINGS = settings(
    derandomize=True, deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow]
)

texts = st.text(max_size=20)
numbers = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
keys = st.text(min_size=1, max_size=10).filter(lambda k: k not in set(Reduce) and k[0] != "-")


@SETTINGS
@given(st.booleans() | numbers | texts, st.lists(texts, min_size=1, max_size=3), keys)
def test_values_are_read_back(value: bool | int | float | str, names: list[str], key: str) -> None:
    condition = Condition(Op.EQ, key, value)
    calls = [
        FunctionCall("get_open", (each,), (condition,)) for each in (value, NameList(tuple(names)))
    ]
    program = Program(tuple(Query(call, key) for call in calls))
    parsed = parse(to_text(program), strict=True).program
    assert repr(parsed) == repr(program)  # 1, 1.0 and True are equal, and not the same


def reads_or_raises(text: str) -> None:
    """What is read survives printing and parsing."""
    try:
        parsed = parse(text)
    except QuerySyntaxError as error:
        assert str(error).endswith("^")
    else:
        read = [
            each for each in parsed.program.statements if not isinstance(each, InvalidStatement)
        ]
        printed = to_text(Program(tuple(read)))
        if len(printed) <= MAX_LENGTH:
            assert parse(printed, strict=True).program.statements == tuple(read)


_FILE = Path(__file__).parent / "cases" / "programs.jsonl"
_PROGRAMS = [json.loads(line)["text"] for line in _FILE.read_text("utf-8").splitlines()]
_WORDS = (
    "get_movie get_open get_Song sort ALL AVG len None null true eq gt and print year title -year "
    '( ) [ ] , ; : . = == >= * - 0 1 2012 1e9 " “ ’ ``` \n ("a") ["title"] [:3] [:] {'.split(" ")
)
_PIECES = st.lists(st.sampled_from(_WORDS) | st.sampled_from(_PROGRAMS), max_size=30)
_JOINED = st.builds(str.join, st.sampled_from(("", " ")), _PIECES)


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
