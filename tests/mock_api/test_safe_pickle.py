"""Pickles are read without trust: what an official file holds, and nothing else."""

import os
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mock_api.frames import Masked, Times, rows_of
from mock_api.safe_pickle import read_pickle
from tests.mock_api.pickles import INDEX, plain
from utils.errors import InputError


class Calls:
    """Pickles as a call of a function of Python's own."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_with_a_command_is_refused_before_it_runs(tmp_path: Path, protocol: int) -> None:
    created = tmp_path / "created"
    evil = pickle.dumps({"a": Calls(os.system, f"touch {created}")}, protocol=protocol)
    with pytest.raises(InputError, match=r"asks for (posix|nt)\.system: refused"):
        read_pickle(evil)
    assert not created.exists()


@pytest.mark.parametrize(
    "evil",
    [
        pickle.dumps(Calls(eval, "1 + 1")),
        pickle.dumps(Counter("a")),
        pickle.dumps({1}),
        b"\x80\x04\x8c\x05numpy\x8c\x0fdtype.__class__\x93.",
    ],
    ids=["eval", "counter", "set", "dotted name"],
)
def test_no_other_type_or_function_is_let_in(evil: bytes) -> None:
    with pytest.raises(InputError, match="refused"):
        read_pickle(evil)


def test_a_state_is_stored_without_effect_and_only_by_held_objects() -> None:
    """A state of slots would set any attribute of an object, its methods included."""
    slots = plain((None, {"args": 1, "rows": 1, "columns": 1}))
    with pytest.raises(InputError, match="gives a dict a state: refused"):
        read_pickle(b"}" + slots + b"b.")
    held = read_pickle(INDEX + b")\x81" + slots + b"b.")
    assert held.args == ()
    assert held.state[1]["rows"] == 1
    assert not hasattr(held, "rows")


def through(value: Any) -> Any:
    return read_pickle(pickle.dumps(value))


PLAIN = {"a": [1, 2.5, None, True, "é", b"x", (1, 2)], "b": OrderedDict(c=1)}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (PLAIN, PLAIN),
        (np.float64(2.5), 2.5),
        (np.int32(-3), -3),
        (np.bool_(True), True),
        (np.float64("nan"), None),
        (np.datetime64("2024-02-28T10:49", "ns"), "2024-02-28T10:49:00.000"),
    ],
)
def test_plain_values_and_numbers_of_numpy_come_through(value: Any, expected: Any) -> None:
    assert through([value]) == [expected]


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_arrays_of_numpy_are_decoded(protocol: int) -> None:
    grid = np.arange(6, dtype=">i2").reshape(2, 3)
    for array in (grid, np.asfortranarray(grid)):
        held_array = read_pickle(pickle.dumps(array, protocol=protocol))
        assert rows_of(held_array) == [[0, 1, 2], [3, 4, 5]]


def test_pandas_arrays_are_read_and_records_refused() -> None:
    masked = Masked()
    masked.state = {"_data": through(np.array([49, 1])), "_mask": through(np.array([0, 1]))}
    assert rows_of(masked) == [[49, None]]
    stamps = through(np.array(["2024-03-09"], "M8[ns]"))
    assert rows_of(Times(0, (None, stamps, {}))) == [["2024-03-09T00:00:00.000"]]
    records = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    with pytest.raises(InputError, match="type 'V12'"):
        rows_of(through(records))
    with pytest.raises(InputError, match="does not wrap"):
        rows_of(Times(0, (None, {})))
