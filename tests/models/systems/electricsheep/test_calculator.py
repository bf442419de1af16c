"""The calculator evaluates ordinary expressions, and refuses others quickly in little memory."""

import json
import subprocess
import sys
import time
import tracemalloc
import warnings
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.systems.electricsheep.calculator import (
    MAX_DIGITS,
    CalculationError,
    CalculatorValue,
    evaluate,
)

CASES = json.loads((Path(__file__).parent / "calculations.json").read_text(encoding="utf-8"))
LONG = (
    "(" * 1000,
    "[{(" * 300,
    "{" * 900,
    "-" * 999 + "1",
    "1+" * 450 + "1",
    "lambda:" * 140 + "1",
    "abs(" * 19 + "[" * 200,
    "{" * 20,
    "[{(" * 6,
    "9" * 999,
    "9" * 10**5,
    "a" * 10**6,
    "(" * 10**6,
    " " * 10**6 + "x",
    "'" + "a" * 500 + "'",
)
PIECES = """
    1 2 7.5 10 1e9 99999999999999999999 0 'a' "2024-02-29" true x + - * / // % ** ( ) [ ] , < > ==
    != in not and or if else abs( round( max( min( sum( sorted( len( int( float( mean( date( pow(
    lambda : { } . := @ << ~ f'{1}' b'a' 1j None ... is await yield for _ __class__ \\ # ; $
""".split()


@pytest.mark.parametrize(("expression", "expected"), CASES["ordinary"])
def test_an_ordinary_expression_has_the_value_that_python_gives_it(
    expression: str, expected: object
) -> None:
    value = json.loads(json.dumps(evaluate(expression), default=str))
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.clock
@pytest.mark.parametrize("expression", [*CASES["hostile"], *LONG], ids=lambda text: text[:40])
def test_a_hostile_expression_is_refused_quickly_and_in_little_memory(expression: str) -> None:
    tracemalloc.start()
    started = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser's own, of "1 is 1"
            with pytest.raises(CalculationError) as refused:
                evaluate(expression)
        spent = time.process_time() - started
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(str(refused.value)) < 500
    assert spent < 1.0
    assert peak < 2_000_000


def in_bounds(value: CalculatorValue) -> bool:
    if isinstance(value, tuple):
        return all(map(in_bounds, value))
    return isinstance(value, float | str | date) or abs(value) < 10**MAX_DIGITS


@settings(max_examples=150, deadline=1000)
@given(
    st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
)
def test_any_text_has_a_bounded_value_or_raises_a_calculation_error(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = evaluate(text)
        except CalculationError:
            return
    assert in_bounds(value)


def test_nothing_is_compiled_or_run() -> None:
    code = (
        "import sys, builtins; from models.systems.electricsheep.calculator import evaluate\n"
        "seen = []\n"
        "sys.addaudithook(lambda event, args: seen.append(event))\n"
        "evaluate('max(1, 2) ** 2 + len([1, 2])')\n"
        "print(sorted(set(seen) & {'exec', 'import', 'open', 'os.system'}))"
    )
    root = Path(__file__).resolve().parents[4]
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
