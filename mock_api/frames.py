"""Tables out of pickled pandas objects, without pandas.

The unpickler (`mock_api/safe_pickle.py`) makes a `Held` for each object of pandas and numpy: it
holds the arguments and the state, and runs nothing. `NAMES` lists them; `read_table` reads a table
out of them. numpy decodes numbers from raw bytes, for plain types only.

A value of a wrong type is refused by its type, and never printed or converted: the text of a list
of lists that share their parts, or as many bytes as an integer says, would fill all memory. Ranges
stay ranges for the same reason.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Self, TypeVar

import numpy as np

from utils.errors import InputError

ColumnValues = list[Any]  # the values of a column of a table
_T = TypeVar("_T")
_MOST_EMPTY_ROWS = 100_000  # a few bytes can claim any number of empty rows
_PLAIN = re.compile(r"[iufb][1248]")


class Held:
    """An object of a pickle: the arguments that make it, and its state."""

    args: tuple[Any, ...]
    state: Any

    def __new__(cls, *args: Any) -> Self:
        held = super().__new__(cls)
        held.args = args
        held.state = None
        return held


class Dtype(Held):
    """A numpy dtype: its code; in its state the byte order and, for times, the unit."""


class Array(Held):
    """A numpy array; its state is (version, shape, dtype, whether by columns, content)."""


class Times(Held):
    """A pandas array around one numpy array of times, somewhere in its state."""


class Masked(Held):
    """A pandas array: values, and a mask of the missing ones."""


class Index(Held):
    """A pandas index, made from its fields: labels, a range, or levels."""


class Block(Held):
    """(values, places, dimensions): columns of one type, and where they stand in the table."""


class Blocks(Held):
    """The columns of a table, in blocks, and its two axes."""


class Frame(Held):
    """A table."""


def _array_from_buffer(buffer: Any, dtype: Any, shape: Any, order: str) -> Array:
    """numpy's `_frombuffer`: an array of the pickle's own bytes."""
    array = Array()
    array.state = (1, shape, dtype, order == "F", buffer)
    return array


def _scalar(dtype: Any, content: Any) -> Any:
    """numpy's `scalar`: one value."""
    return _decoded(dtype, content)[0]


def _bytes_of(text: str, encoding: str) -> bytes:
    """How pickles of protocols 0 to 2 write bytes."""
    if _checked(str, encoding) != "latin1":
        raise InputError(f"bytes in {encoding!r}")
    return _checked(str, text).encode(encoding)


def _new_index(kind: Any, fields: Any) -> Index:
    """pandas' `_new_Index`; the class is `Index` for all of them."""
    return Index(_checked(dict, fields))


def read_table(frame: Frame) -> dict[str, ColumnValues]:
    """ColumnValues -> values, None where one is missing; the levels of the index come first.

    A table of an unknown form may fail in other ways than by InputError: read it inside `reading`.
    """
    blocks, axes = _checked(Blocks, frame.state["_mgr"]).args
    column_index, row_index = axes
    values_by_place: dict[int, ColumnValues] = {}
    for block in blocks:
        block_values, places, _ = _checked(Block, block).args
        values_by_place.update(zip(_places(places), rows_of(block_values), strict=True))
    columns = _level_columns(row_index)
    for place, label in enumerate(labels(column_index)):
        columns[_column_name(label)] = values_by_place[place]
    return columns


def _level_columns(row_index: Index) -> dict[str, ColumnValues]:
    """The levels of an index as columns; none where it has only one."""
    level_names = _checked(dict, row_index.args[0]).get("names") or ()
    if len(level_names) <= 1:
        return {}
    columns: dict[str, ColumnValues] = {}
    level_values = zip(*labels(row_index), strict=True)
    for name, values in zip(level_names, level_values, strict=True):
        columns[_column_name(name)] = list(values)
    return columns


def rows_of(array: Any) -> list[list[Any]]:
    """An array's rows; one of one dimension is one row."""
    if isinstance(array, Masked):
        return _masked_rows(array)
    if isinstance(array, Times):
        array = _wrapped_array(array)
    _, shape, dtype, by_columns, raw = _checked(Array, array).state
    content = _missing_as_none(raw) if isinstance(raw, list) else _decoded(dtype, raw)
    if len(shape) == 1:
        return [content]
    height, width = (_checked(int, length) for length in shape)
    if len(content) != height * width or height > len(content) + _MOST_EMPTY_ROWS:
        raise InputError("an array whose shape differs from its content")
    if by_columns:
        return [content[row::height] for row in range(height)]
    return [content[row * width : (row + 1) * width] for row in range(height)]


def _masked_rows(array: Masked) -> list[list[Any]]:
    """The rows of an array with a mask, None where it hides a value."""
    value_rows = rows_of(array.state["_data"])
    mask_rows = rows_of(array.state["_mask"])
    rows = []
    for values, mask in zip(value_rows, mask_rows, strict=True):
        pairs = zip(values, mask, strict=True)
        rows.append([None if hidden else value for value, hidden in pairs])
    return rows


def _wrapped_array(times: Times) -> Array:
    """The numpy array of times in a pandas array."""
    # Its state is the last argument, or came after the arguments.
    state = times.args[-1] if times.state is None else times.state
    arrays = [part for part in _checked(tuple, state) if isinstance(part, Array)]
    if len(arrays) != 1:
        raise InputError("a pandas array that does not wrap one numpy array")
    return arrays[0]


def labels(index: Index) -> Sequence[Any]:
    """The labels of the rows (or columns); tuples where the index has levels."""
    fields = _checked(dict, _checked(Index, index).args[0])
    if "start" in fields:
        start = _checked(int, fields["start"])
        stop = _checked(int, fields["stop"])
        return range(start, stop, _checked(int, fields["step"]))
    if "levels" not in fields:
        return rows_of(fields["data"])[0]
    columns = []
    for level, codes in zip(fields["levels"], fields["codes"], strict=True):
        if "levels" in _checked(Index, level).args[0]:
            raise InputError("an index whose levels have levels")
        names = labels(level)
        row_codes = rows_of(codes)[0]
        columns.append([names[code] if code >= 0 else None for code in row_codes])
    return list(zip(*columns, strict=True))


def _places(places: Any) -> Sequence[int]:
    """The numbers of the columns of a block."""
    if isinstance(places, slice):
        return range(places.start, places.stop, places.step or 1)
    return [int(place) for place in rows_of(places)[0]]


def _decoded(dtype: Any, raw: Any) -> list[Any]:
    """The values in raw bytes: numbers, booleans, or times in ISO form (None: missing)."""
    held_dtype = _checked(Dtype, dtype)
    code = _checked(str, held_dtype.args[0])
    content = bytes(_checked((bytes, bytearray), raw))
    is_big_endian = held_dtype.state is not None and held_dtype.state[1] == ">"
    order = ">" if is_big_endian else "<"
    if code == "M8":
        return _decoded_times(held_dtype, order, content)
    if not _PLAIN.fullmatch(code):
        raise InputError(f"an array of type {code!r}")
    return _missing_as_none(np.frombuffer(content, f"{order}{code}").tolist())


def _decoded_times(dtype: Dtype, order: str, content: bytes) -> list[Any]:
    """Times in ISO form, None where one is missing."""
    unit = _checked(bytes, dtype.state[8][1][0]).decode("ascii")
    if unit not in ("s", "ms", "us", "ns"):
        raise InputError(f"times in units of {unit!r}")
    stamps = np.frombuffer(content, f"{order}i8").astype("<i8")
    times = stamps.view(f"<M8[{unit}]").astype("M8[ms]")
    texts = np.datetime_as_string(times).tolist()
    return [None if text == "NaT" else text for text in texts]


def _column_name(label: Any) -> str:
    """A column's name; of a name in levels, as in ("xG", ""), the parts that are not empty."""
    if isinstance(label, tuple):
        return " ".join(_checked(str, part) for part in label if part)
    return str(_checked((str, int, float, type(None)), label))


def _checked(kind: type[_T] | tuple[type[_T], ...], value: Any) -> _T:
    """`value`, which must be of `kind`."""
    if not isinstance(value, kind):
        raise InputError(f"a {type(value).__name__} where another type is expected")
    return value


def _missing_as_none(values: list[Any]) -> list[Any]:
    """The values with None for each NaN."""
    return [None if isinstance(value, float) and value != value else value for value in values]


_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
# (module, name) in a pickle -> what the unpickler uses for it.
NAMES: Mapping[tuple[str, str], Any] = {
    ("builtins", "slice"): slice,
    ("collections", "OrderedDict"): lambda: {},
    ("_codecs", "encode"): _bytes_of,
    ("numpy", "dtype"): Dtype,
    ("numpy", "ndarray"): Array,
    ("numpy.core.numeric", "_frombuffer"): _array_from_buffer,
    ("numpy._core.numeric", "_frombuffer"): _array_from_buffer,
    **{(module, "_reconstruct"): Array for module in _NUMPY},
    **{(module, "scalar"): _scalar for module in _NUMPY},
    ("pandas.core.frame", "DataFrame"): Frame,
    ("pandas.core.internals.managers", "BlockManager"): Blocks,
    ("pandas._libs.internals", "_unpickle_block"): Block,
    ("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked"): Times,
    ("pandas.core.arrays.datetimes", "DatetimeArray"): Times,
    ("pandas.core.arrays.integer", "IntegerArray"): Masked,
    ("pandas.core.arrays.floating", "FloatingArray"): Masked,
    ("pandas.core.arrays.boolean", "BooleanArray"): Masked,
    ("pandas.core.indexes.base", "_new_Index"): _new_index,
    ("pandas.core.indexes.base", "Index"): Index,
    ("pandas.core.indexes.multi", "MultiIndex"): Index,
    ("pandas.core.indexes.datetimes", "DatetimeIndex"): Index,
    ("pandas.core.indexes.numeric", "Int64Index"): Index,
    ("pandas.core.indexes.range", "RangeIndex"): Index,
}
