"""Properties of all values and all texts: what is printed is parsed again; nothing crashes."""

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
from models.kg.language.parse import MAX_LENGTH, parse
from models.kg.language.printer import to_text
from models.kg.schema.operations import Op, Reduce

# The same examples on every run, without a time limit: figures come from benchmarks.
SETTINGS = settings(
    derandomize=True, deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow]
)

texts = st.text(max_size=20)
numbers = st.integers(-(10**18), 10**18) | st.floats(allow_nan=False, allow_infinity=False)
keys = st.text(min_size=1, max_size=10).filter(lambda k: k not in set(Reduce) and k[0] != "-")


@SETTINGS
@given(st.booleans() | numbers | texts, st.lists(texts, min_size=1, max_size=3), keys)
def test_printed_values_are_parsed_as_the_same_values(
    value: bool | int | float | str, names: list[str], key: str
) -> None:
    condition = Condition(Op.EQ, key, value)
    call = FunctionCall("get_open", (value,), (condition,))
    call_with_names = FunctionCall("get_open", (NameList(tuple(names)),), (condition,))
    program = Program((Query(call, key), Query(call_with_names, key)))
    parsed = parse(to_text(program), strict=True).program
    assert repr(parsed) == repr(program)  # 1, 1.0 and True are equal, and not the same


def check_that_parsing_is_safe(text: str) -> None:
    """A text is a syntax error with a caret, or its program survives printing and parsing."""
    try:
        parsed = parse(text)
    except QuerySyntaxError as error:
        assert str(error).endswith("^")
        return
    statements = []
    for statement in parsed.program.statements:
        if not isinstance(statement, InvalidStatement):
            statements.append(statement)
    printed = to_text(Program(tuple(statements)))
    if len(printed) <= MAX_LENGTH:
        assert parse(printed, strict=True).program.statements == tuple(statements)


_FILE = Path(__file__).parent / "cases" / "programs.jsonl"
_PROGRAMS = [json.loads(line)["text"] for line in _FILE.read_text("utf-8").splitlines()]
_WORDS = (
    "get_movie get_open get_Song sort ALL AVG DISTINCT MODE minus ratio contains len None null "
    "true eq gt and print year title -year "
    '( ) [ ] , ; : . = == >= * - + / 0 1 2012 1e9 " “ ’ ``` \n ("a") ["title"] [:3] [:] {'.split(
        " "
    )
)
_PIECES = st.lists(st.sampled_from(_WORDS) | st.sampled_from(_PROGRAMS), max_size=30)
_JOINED = st.builds(str.join, st.sampled_from(("", " ")), _PIECES)


@SETTINGS
@given(_JOINED | st.text() | st.text(alphabet="()[]\"'“”,;:.=*-`\n\\ aé1"))
@example("\ud800")
@example("[")
@example("None(")
@example(".")
def test_no_text_raises_another_error(text: str) -> None:
    check_that_parsing_is_safe(text)


@pytest.mark.clock
@pytest.mark.parametrize(
    "part",
    ["(", ")", "[", '"a', '"a, ', '"a")[ ', "'", "\n", " ", "\\", "```", ";", "ALL ", "1 ", "and "]
    + ["get_movie(", 'get_movie("a") ', "get_x(a and ", "a==", "x.", "print(", "len(", "[[eq("]
    + [
        'eq("a" ',
        "sort(",
        '("',
        "get_movie(a=",
        "minus(",
        "minus(*, ",
        "DISTINCT ",
        "get_movie([eq(year, get_movie([eq(year, ",
    ],
)
def test_no_text_hangs(part: str) -> None:
    end = ' get_movie("a")["title"]'
    text = part * ((MAX_LENGTH - len(end)) // len(part)) + end
    start = time.perf_counter()
    check_that_parsing_is_safe(text)
    assert time.perf_counter() - start < 5
