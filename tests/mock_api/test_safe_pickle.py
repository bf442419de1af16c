"""Pickles are read without trust: what an official file holds, and nothing else."""

import os
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mock_api.frames import (
    ArrayState,
    BlockManagerState,
    FrameState,
    IndexState,
    MaskedState,
    RangeIndexState,
    WrappedState,
    wrapped,
)
from mock_api.safe_pickle import read_pickle_bytes, read_pickle_file
from tests.mock_api.pickled_tables import Index, dump_as_pandas, objects, pickle_table
from utils.errors import InputError


class Calls:
    """Pickles as a call of a function of Python's own."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return self.call


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_that_runs_a_command_is_refused_before_it_runs(
    tmp_path: Path, protocol: int
) -> None:
    made = tmp_path / "made"
    evil = pickle.dumps({"a": Calls(os.system, f"touch {made}")}, protocol=protocol)
    with pytest.raises(InputError, match=r"asks for (posix|nt)\.system: refused"):
        read_pickle_bytes(evil)
    assert not made.exists()


@pytest.mark.parametrize(
    "evil",
    [
        Calls(eval, "1 + 1"),
        Calls(getattr, "", "join"),
        Calls(__import__, "os"),
        Calls(open, "x", "w"),
        Decimal(1),
        Path("x"),
        Counter("a"),
    ],
    ids=["eval", "getattr", "import", "open", "decimal", "path", "counter"],
)
def test_no_other_type_or_function_is_let_in(evil: Any) -> None:
    with pytest.raises(InputError, match="refused"):
        read_pickle_bytes(pickle.dumps(evil))


def test_a_dotted_name_reaches_nothing() -> None:
    evil = b"\x80\x04\x8c\x05numpy\x8c\x0fdtype.__class__\x93."
    with pytest.raises(InputError, match="refused"):
        read_pickle_bytes(evil)


@pytest.mark.parametrize(
    "broken",
    [b"", b"\x80\x04", b"not a pickle", b"\x80\x04K\x01", b"\x80\x04h\x07.", b"cnumpy\ndtype\n)R."],
)
def test_what_is_no_pickle_is_an_input_error(broken: bytes) -> None:
    with pytest.raises(InputError):
        read_pickle_bytes(broken)


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "songs.pickle"
    path.write_bytes(pickle.dumps(Decimal(1)))
    with pytest.raises(InputError, match="songs.pickle: .*decimal.Decimal"):
        read_pickle_file(path)


def test_plain_values_come_through() -> None:
    value = {"a": [1, 2.5, None, True, "é", b"x", (1, {2})], "b": OrderedDict(c=1)}
    assert read_pickle_bytes(pickle.dumps(value)) == value


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (np.float64(2.5), 2.5),
        (np.int32(-3), -3),
        (np.bool_(True), True),
        (np.float64("nan"), None),
        (np.datetime64("2024-02-28T10:49", "ns"), "2024-02-28T10:49:00.000"),
    ],
)
def test_numbers_of_numpy_become_plain(value: Any, plain: Any) -> None:
    assert read_pickle_bytes(pickle.dumps([value])) == [plain]


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_arrays_of_numpy_are_decoded(protocol: int) -> None:
    grid = np.arange(6, dtype=">i2").reshape(2, 3)
    for array in (grid, np.asfortranarray(grid)):
        read = read_pickle_bytes(pickle.dumps(array, protocol=protocol))
        assert read.rows() == [[0, 1, 2], [3, 4, 5]]


def test_an_array_of_records_is_refused() -> None:
    array = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
    with pytest.raises(InputError, match="type 'V12'"):
        read_pickle_bytes(pickle.dumps(array))


def test_a_table_of_mixed_columns() -> None:
    content = pickle_table(
        {
            "year": np.array([1998, 1999]),
            "name": ["Kite", float("nan")],
            "won": np.array([True, False]),
            "day": np.array(["2024-03-09", "NaT"], "M8[ns]"),
        }
    )
    frame = read_pickle_bytes(content)
    assert isinstance(frame, FrameState)
    assert frame.table() == {
        "year": [1998, 1999],
        "name": ["Kite", None],
        "won": [True, False],
        "day": ["2024-03-09T00:00:00.000", None],
    }


def test_the_levels_of_an_index_are_columns() -> None:
    content = pickle_table({"GF": ["2"]}, index={"league": [None], "team": ["Ost FC"]})
    assert read_pickle_bytes(content).table() == {"league": [None], "team": ["Ost FC"], "GF": ["2"]}


def test_a_table_without_its_parts_is_an_input_error() -> None:
    frame = read_pickle_bytes(dump_as_pandas(Index(data=None)))
    with pytest.raises(AttributeError):
        frame.labels()
    broken = FrameState()
    broken.__setstate__({"_mgr": None})
    with pytest.raises(InputError, match="unknown form"):
        broken.table()


def array_of(*values: int) -> ArrayState:
    array: ArrayState = read_pickle_bytes(pickle.dumps(np.array(values)))
    return array


def test_a_masked_array_misses_what_its_mask_hides() -> None:
    masked = MaskedState()
    masked.__dict__.update(_data=array_of(49, 1), _mask=array_of(0, 1))
    assert masked.rows() == [[49, None]]


def test_times_wrapped_by_pandas_are_told_as_text() -> None:
    stamps = read_pickle_bytes(pickle.dumps(np.array(["2024-03-09"], "M8[ns]")))
    for array in (wrapped(WrappedState, 0, (None, stamps, {})), wrapped(WrappedState, 0, None)):
        array.__setstate__((None, stamps, {}))
        assert array.rows() == [["2024-03-09T00:00:00.000"]]
    with pytest.raises(InputError, match="does not wrap"):
        WrappedState().__setstate__((None, {}))


def test_a_table_of_older_pandas_is_read() -> None:
    names, rows = IndexState(), RangeIndexState()
    names.fields = {"data": read_pickle_bytes(pickle.dumps(objects(["year"])))}
    rows.fields = {"start": 0, "stop": 2, "step": 1, "name": None}
    manager = BlockManagerState()
    block = {"values": array_of(1998, 1999), "mgr_locs": slice(0, 1, 1)}
    manager.__setstate__(([], [], [], {"0.14.1": {"axes": [names, rows], "blocks": [block]}}))
    frame = FrameState()
    frame.__setstate__({"_data": manager})
    assert frame.table() == {"year": [1998, 1999]}


def test_a_range_of_labels_takes_no_memory() -> None:
    rows = RangeIndexState()
    rows.fields = {"start": 0, "stop": 10**15, "step": 1}
    assert len(rows.labels()) == 10**15
