"""Pickles put together from opcodes: tables as pandas writes them, and hostile ones."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np


def plain(value: Any) -> bytes:
    """The opcodes that put `value` on the stack."""
    return pickle.dumps(value, protocol=3)[2:-1]


def call(name: bytes, *arguments: bytes) -> bytes:
    return name + b"(" + b"".join(arguments) + b"tR"


def dtype(code: Any) -> bytes:
    return call(b"cnumpy\ndtype\n", plain(code))


INDEX = b"cpandas.core.indexes.base\nIndex\n"
RANGE = b"cpandas.core.indexes.range\nRangeIndex\n"
_MULTI = b"cpandas.core.indexes.multi\nMultiIndex\n"
_NEW_INDEX = b"cpandas.core.indexes.base\n_new_Index\n"
_BLOCK = b"cpandas._libs.internals\n_unpickle_block\n"
_BLOCKS = b"cpandas.core.internals.managers\nBlockManager\n"


def array(shape: Any, raw: Any, kind: bytes = dtype("i1")) -> bytes:
    """A numpy array of raw bytes, or of a list of objects."""
    state = b"(" + plain(1) + plain(shape) + kind + plain(False) + plain(raw) + b"t"
    return b"cnumpy.core.multiarray\n_reconstruct\n)R" + state + b"b"


def index(*labels: Any) -> bytes:
    fields = b"}" + plain("data") + array((len(labels),), list(labels)) + b"s"
    return call(_NEW_INDEX, INDEX, fields)


def span(stop: int) -> bytes:
    """A range as an index."""
    return call(_NEW_INDEX, RANGE, plain({"start": 0, "stop": stop, "step": 1}))


def slices(stop: int) -> bytes:
    return call(b"cbuiltins\nslice\n", plain(0), plain(stop), plain(1))


def levels(names: list[str], *inner: tuple[bytes, list[int]]) -> bytes:
    """An index of levels; each level is an index and the numbers of its labels, a row each."""
    level_items = b"".join(labels for labels, _ in inner)
    code_items = b"".join(array((len(rows),), rows) for _, rows in inner)
    fields = b"".join(
        (
            plain("levels"),
            b"(" + level_items + b"l",
            plain("codes"),
            b"(" + code_items + b"l",
            plain("names"),
            plain(names),
        )
    )
    return call(_NEW_INDEX, _MULTI, b"}(" + fields + b"u")


def frame(columns: bytes, rows: bytes, *blocks: tuple[bytes, bytes]) -> bytes:
    """A table of blocks; each is an array and the place of its column."""
    block_items = b"".join(call(_BLOCK, *block, plain(2)) for block in blocks)
    axes = b"(" + columns + rows + b"l"
    manager = call(_BLOCKS, b"(" + block_items + b"t", axes)
    return b"cpandas.core.frame\nDataFrame\n)\x81}" + plain("_mgr") + manager + b"sb."


def column(values: bytes, rows: bytes = span(1)) -> bytes:
    """A table of one column."""
    return frame(index("year"), rows, (values, plain(slice(0, 1))))


def twice(level: bytes) -> bytes:
    """An index of two levels, each of `level`, which is made once."""
    return levels(["a", "b"], (level + b"q\x00", []), (b"h\x00", []))


def table(columns: dict[str, Any], labels: dict[str, list[Any]] | None = None) -> bytes:
    """A table of `columns`, each an array or a list of objects; `labels` gives levels of labels."""
    blocks = []
    for place, values in enumerate(columns.values()):
        if isinstance(values, np.ndarray):
            content = plain(values.reshape(1, -1))
        else:
            content = array((1, len(values)), values)
        blocks.append((content, plain(slice(place, place + 1, 1))))
    if labels:
        rows = _levels_of(labels)
    else:
        first_column = next(iter(columns.values()))
        rows = span(len(first_column))
    return frame(index(*columns), rows, *blocks)


def _levels_of(labels: dict[str, list[Any]]) -> bytes:
    inner = []
    for values in labels.values():
        known = list(dict.fromkeys(value for value in values if value is not None))
        codes = [-1 if value is None else known.index(value) for value in values]
        inner.append((index(*known), codes))
    return levels(list(labels), *inner)


def doubled(times: int, kind: Callable[[Any], Any] = list) -> Any:
    """A list (or tuple) of two lists, which are one, of two lists, and so on."""
    value = kind(())
    for _ in range(times):
        value = kind((value, value))
    return value
