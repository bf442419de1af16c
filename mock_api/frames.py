"""Tables out of pickled pandas objects, without pandas.

The unpickler (`mock_api/safe_pickle.py`) makes a `Held` for each object of pandas and numpy: it
keeps the arguments and the state, and runs nothing. `NAMES` lists them; `read_table` reads a table
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

_T = TypeVar("_T")
_MOST_EMPTY_ROWS = 100_000  # a few bytes can claim any number of empty rows
_PLAIN = re.compile(r"[iufb][1248]")


class Held:
    """An object of a pickle: the arguments that make it, and its state."""

    args: tuple[Any, ...]
    state: Any

    def __new__(cls, *args: Any) -> Self:
        made = super().__new__(cls)
        made.args, made.state = args, None
        return made


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
    if _of(str, encoding) != "latin1":
        raise InputError(f"bytes in {encoding!r}")
    return _of(str, text).encode(encoding)


def _new_index(kind: Any, fields: Any) -> Index:
    """pandas' `_new_Index`; the class is `Index` for all of them."""
    return Index(_of(dict, fields))


def read_table(frame: Frame) -> dict[str, list[Any]]:
    """Column -> values, None where one is missing; the levels of the index come first.

    A table of an unknown form may fail in other ways than by InputError: read it inside `reading`.
    """
    blocks, (names, rows) = _of(Blocks, frame.state["_mgr"]).args
    values: dict[int, list[Any]] = {}
    for block in blocks:
        held_values, places, _ = _of(Block, block).args
        values.update(zip(_places(places), rows_of(held_values), strict=True))
    made: dict[str, list[Any]] = {}
    fields = _of(dict, rows.args[0])
    if len(levels := fields.get("names") or ()) > 1:
        parts = zip(*labels(rows), strict=True)
        made = {_column_name(n): list(part) for n, part in zip(levels, parts, strict=True)}
    return made | {_column_name(name): values[i] for i, name in enumerate(labels(names))}


def rows_of(array: Any) -> list[list[Any]]:
    """An array's rows; one of one dimension is one row."""
    if isinstance(array, Masked):
        pairs = zip(rows_of(array.state["_data"]), rows_of(array.state["_mask"]), strict=True)
        return [
            [None if hidden else value for value, hidden in zip(values, mask, strict=True)]
            for values, mask in pairs
        ]
    if isinstance(array, Times):  # its state is the last argument, or has followed
        state = array.args[-1] if array.state is None else array.state
        arrays = [part for part in _of(tuple, state) if isinstance(part, Array)]
        if len(arrays) != 1:
            raise InputError("a pandas array that does not wrap one numpy array")
        array = arrays[0]
    _, shape, dtype, by_columns, raw = _of(Array, array).state
    content = _missing_as_none(raw) if isinstance(raw, list) else _decoded(dtype, raw)
    if len(shape) == 1:
        return [content]
    height, width = (_of(int, length) for length in shape)
    if len(content) != height * width or height > len(content) + _MOST_EMPTY_ROWS:
        raise InputError("an array whose shape differs from its content")
    if by_columns:
        return [content[i::height] for i in range(height)]
    return [content[i * width : (i + 1) * width] for i in range(height)]


def labels(index: Index) -> Sequence[Any]:
    """The labels of the rows (or columns); tuples where the index has levels."""
    fields = _of(dict, _of(Index, index).args[0])
    if "start" in fields:
        return range(*(_of(int, fields[k]) for k in ("start", "stop", "step")))
    if "levels" not in fields:
        return rows_of(fields["data"])[0]
    columns = []
    for level, codes in zip(fields["levels"], fields["codes"], strict=True):
        if "levels" in _of(Index, level).args[0]:
            raise InputError("an index whose levels have levels")
        names = labels(level)
        columns.append([names[c] if c >= 0 else None for c in rows_of(codes)[0]])
    return list(zip(*columns, strict=True))


def _places(places: Any) -> Sequence[int]:
    if isinstance(places, slice):
        return range(places.start, places.stop, places.step or 1)
    return [int(i) for i in rows_of(places)[0]]


def _decoded(dtype: Any, raw: Any) -> list[Any]:
    """The values in raw bytes: numbers, booleans, or times in ISO form (None: missing)."""
    held = _of(Dtype, dtype)
    code, content = _of(str, held.args[0]), bytes(_of((bytes, bytearray), raw))
    order = ">" if held.state is not None and held.state[1] == ">" else "<"
    if code == "M8":
        unit = _of(bytes, held.state[8][1][0]).decode("ascii")
        if unit not in ("s", "ms", "us", "ns"):
            raise InputError(f"times in units of {unit!r}")
        stamps = np.frombuffer(content, f"{order}i8").astype("<i8")
        days = stamps.view(f"<M8[{unit}]").astype("M8[ms]")
        return [None if t == "NaT" else t for t in np.datetime_as_string(days).tolist()]
    if not _PLAIN.fullmatch(code):
        raise InputError(f"an array of type {code!r}")
    return _missing_as_none(np.frombuffer(content, f"{order}{code}").tolist())


def _column_name(label: Any) -> str:
    """A column's name; of a name in levels, as in ("xG", ""), the parts that are not empty."""
    if isinstance(label, tuple):
        return " ".join(_of(str, part) for part in label if part)
    return str(_of((str, int, float, type(None)), label))


def _of(kind: type[_T] | tuple[type[_T], ...], value: Any) -> _T:
    """`value`, which must be of `kind`."""
    if not isinstance(value, kind):
        raise InputError(f"a {type(value).__name__} where another type is expected")
    return value


def _missing_as_none(values: list[Any]) -> list[Any]:
    return [None if isinstance(v, float) and v != v else v for v in values]


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
