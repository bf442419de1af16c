"""Stand-ins for what pickled pandas tables are made of, and tables read out of them.

Each class takes what pandas or numpy put into the pickle and does nothing but keep it. Numbers are
decoded by numpy from raw bytes, for plain types only; no method of a pickled object ever runs.

Whatever a pickle puts where a number, text or bytes belong is refused by its type, never shown or
converted: the text of a list of lists that share their parts, or so many bytes as an integer says,
would take all memory. Ranges are kept as ranges for the same reason.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from utils.errors import InputError

_T = TypeVar("_T")
_MOST_EMPTY_ROWS = 100_000  # an array of rows without content says how many in a few bytes
_PLAIN = re.compile(r"[iufb][1248]")


class DtypeState:
    """A numpy dtype: its code, byte order and, for times, unit."""

    def __init__(self, code: str, *_: Any) -> None:
        self.code = _of(str, code)
        self.order = "<"
        self.unit = "ns"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = ">" if state[1] == ">" else "<"
        if self.code == "M8":
            self.unit = _of(bytes, state[8][1][0]).decode("ascii")

    def decode(self, content: bytes) -> list[Any]:
        """The values in `content`: numbers, booleans, or times in ISO form (None: not a time)."""
        if self.code == "M8":
            if self.unit not in ("s", "ms", "us", "ns"):
                raise InputError(f"times in units of {self.unit!r}")
            stamps = np.frombuffer(content, f"{self.order}i8").astype("<i8")
            times = stamps.view(f"<M8[{self.unit}]").astype("M8[ms]")
            return [None if t == "NaT" else t for t in np.datetime_as_string(times).tolist()]
        if not _PLAIN.fullmatch(self.code):
            raise InputError(f"an array of type {self.code!r}")
        values = np.frombuffer(content, f"{self.order}{self.code}").tolist()
        return [None if value != value else value for value in values]


class ArrayState:
    """A numpy array: shape, order and content."""

    shape: tuple[int, ...] = ()
    fortran: bool = False
    content: list[Any]

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, self.fortran, raw = state
        self.shape = tuple(_of(int, length) for length in shape)
        self.content = (
            _missing_as_none(raw)
            if isinstance(raw, list)
            else _of(DtypeState, dtype).decode(_bytes(raw))
        )

    def rows(self) -> list[list[Any]]:
        """The array's rows; a one-dimensional array is one row."""
        if len(self.shape) == 1:
            return [self.content]
        height, width = self.shape
        if len(self.content) != height * width or height > len(self.content) + _MOST_EMPTY_ROWS:
            raise InputError("an array whose shape is not that of its content")
        if self.fortran:
            return [self.content[i::height] for i in range(height)]
        return [self.content[i * width : (i + 1) * width] for i in range(height)]


def empty_array(*_: Any) -> ArrayState:
    """numpy's `_reconstruct`: an array that its state will fill."""
    return ArrayState()


def array_from_buffer(buffer: Any, dtype: DtypeState, shape: Any, order: str) -> ArrayState:
    """numpy's `_frombuffer`: an array of the pickle's own bytes."""
    array = ArrayState()
    array.__setstate__((1, shape, dtype, _of(str, order) == "F", _bytes(buffer)))
    return array


def scalar(dtype: DtypeState, content: bytes) -> Any:
    """numpy's `scalar`: one value."""
    return _of(DtypeState, dtype).decode(_bytes(content))[0]


def text_as_bytes(text: str, encoding: str) -> bytes:
    """What pickles of before protocol 3 call to say bytes."""
    if _of(str, encoding) != "latin1":
        raise InputError(f"bytes in {encoding!r}")
    return _of(str, text).encode(encoding)


class WrappedState:
    """A pandas array around one numpy array: times."""

    values: ArrayState

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        arrays = [part for part in state if isinstance(part, ArrayState)]
        if len(arrays) != 1:
            raise InputError("a pandas array that does not wrap one numpy array")
        self.values = arrays[0]

    def rows(self) -> list[list[Any]]:
        return self.values.rows()


def wrapped(*args: Any) -> WrappedState:
    """pandas' way to make a `WrappedState`; the state may come along or follow."""
    made = WrappedState()
    if args and isinstance(args[-1], tuple):
        made.__setstate__(args[-1])
    return made


class MaskedState:
    """A pandas array of values and a mask of those that are missing."""

    _data: ArrayState
    _mask: ArrayState

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._data = _of(ArrayState, state["_data"])
        self._mask = _of(ArrayState, state["_mask"])

    def rows(self) -> list[list[Any]]:
        return [
            [None if hidden else value for value, hidden in zip(values, mask, strict=True)]
            for values, mask in zip(self._data.rows(), self._mask.rows(), strict=True)
        ]


class IndexState:
    """A pandas index: its fields, as pickled."""

    fields: dict[str, Any]

    def labels(self) -> Sequence[Any]:
        """The labels of the rows (or columns); tuples where the index has levels."""
        if "levels" not in self.fields:
            return _flat(self.fields["data"])
        columns = []
        for level, codes in zip(self.fields["levels"], self.fields["codes"], strict=True):
            if "levels" in _of(IndexState, level).fields:
                raise InputError("an index whose levels have levels")
            names = level.labels()
            columns.append([names[c] if c >= 0 else None for c in _flat(codes)])
        return list(zip(*columns, strict=True))

    def names(self) -> list[Any]:
        return list(self.fields.get("names") or [self.fields.get("name")])


class RangeIndexState(IndexState):
    def labels(self) -> Sequence[Any]:
        return range(*(_of(int, self.fields[k]) for k in ("start", "stop", "step")))


def new_index(kind: type[IndexState], fields: dict[str, Any]) -> IndexState:
    """pandas' `_new_Index`."""
    if kind not in (IndexState, RangeIndexState):
        raise InputError("an index that is none")
    index = kind()
    index.fields = _of(dict, fields)
    return index


@dataclass
class BlockState:
    """Some columns of a table, which share a type: `values` has a row for each of them."""

    values: Any
    placement: Any
    ndim: int

    def columns(self) -> Sequence[int]:
        if isinstance(self.placement, slice):
            return range(self.placement.start, self.placement.stop, self.placement.step or 1)
        return [int(i) for i in self.placement.content]


class BlockManagerState:
    """The columns of a table, in blocks, and its two axes."""

    def __init__(self, blocks: Sequence[BlockState] = (), axes: Sequence[IndexState] = ()) -> None:
        self.blocks = blocks
        self.axes = axes

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """The older form, in which pandas 1.x wrote its tables."""
        held = state[3]["0.14.1"]
        self.axes = held["axes"]
        self.blocks = [BlockState(b["values"], b["mgr_locs"], 2) for b in held["blocks"]]


class FrameState:
    """A pickled table."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._manager: BlockManagerState = state["_mgr"] if "_mgr" in state else state["_data"]

    def table(self) -> dict[str, list[Any]]:
        """Column -> values; the levels of the index come first, None is what is missing.

        Raises:
            InputError: the pickle does not hold a table of a known form.
        """
        try:
            return self._table()
        except (AttributeError, KeyError, IndexError, TypeError, ValueError) as error:
            raise InputError(f"a table of an unknown form: {error!r}") from error

    def _table(self) -> dict[str, list[Any]]:
        names, index = self._manager.axes
        values: dict[int, list[Any]] = {}
        for block in self._manager.blocks:
            values.update(zip(block.columns(), block.values.rows(), strict=True))
        levels = index.names()
        if len(levels) > 1:
            parts = zip(*index.labels(), strict=True)
            table = {_column_name(n): list(part) for n, part in zip(levels, parts, strict=True)}
        else:
            table = {}
        return table | {_column_name(name): values[i] for i, name in enumerate(names.labels())}


def _column_name(label: Any) -> str:
    """A column's name; of a name in levels, as in ("xG", ""), the parts that say something."""
    if isinstance(label, tuple):
        return " ".join(_of(str, part) for part in label if part)
    return str(_of((str, int, float, type(None)), label))


def _of(kind: type[_T] | tuple[type[_T], ...], value: Any) -> _T:
    """`value`, which must be of `kind`."""
    if not isinstance(value, kind):
        raise InputError(f"a {type(value).__name__} where none belongs")
    return value


def _bytes(value: Any) -> bytes:
    return bytes(_of((bytes, bytearray), value))


def _flat(values: Any) -> list[Any]:
    return list(values.rows()[0])


def _missing_as_none(values: list[Any]) -> list[Any]:
    return [None if isinstance(v, float) and v != v else v for v in values]
