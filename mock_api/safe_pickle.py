"""Reads the pickles of the official KG without trusting them, and without pandas.

An unpickler that knows only the handful of names below: a pickle that asks for anything else is
refused before anything of it is called. What it may name are stand-ins that only hold the state
that pandas and numpy wrote; `mock_api/frames.py` reads tables out of them.
"""

import io
import pickle
from collections import OrderedDict
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from mock_api.frames import (
    ArrayState,
    BlockManagerState,
    BlockState,
    DtypeState,
    FrameState,
    IndexState,
    MaskedState,
    RangeIndexState,
    WrappedState,
    array_from_buffer,
    empty_array,
    new_index,
    scalar,
    text_as_bytes,
    wrapped,
)
from utils.errors import InputError

_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
_MASKED = ("integer.IntegerArray", "floating.FloatingArray", "boolean.BooleanArray")
_INDEXES = ("base.Index", "multi.MultiIndex", "datetimes.DatetimeIndex", "numeric.Int64Index")

ALLOWED: MappingProxyType[tuple[str, str], Any] = MappingProxyType(
    {
        ("builtins", "slice"): slice,
        ("builtins", "set"): set,
        ("builtins", "frozenset"): frozenset,
        ("collections", "OrderedDict"): OrderedDict,
        ("_codecs", "encode"): text_as_bytes,
        ("numpy", "dtype"): DtypeState,
        ("numpy", "ndarray"): ArrayState,
        ("numpy.core.numeric", "_frombuffer"): array_from_buffer,
        ("numpy._core.numeric", "_frombuffer"): array_from_buffer,
        **{(module, "_reconstruct"): empty_array for module in _NUMPY},
        **{(module, "scalar"): scalar for module in _NUMPY},
        ("pandas.core.frame", "DataFrame"): FrameState,
        ("pandas.core.internals.managers", "BlockManager"): BlockManagerState,
        ("pandas._libs.internals", "_unpickle_block"): BlockState,
        ("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked"): wrapped,
        ("pandas.core.arrays.datetimes", "DatetimeArray"): WrappedState,
        **{
            (f"pandas.core.arrays.{name.split('.')[0]}", name.split(".")[1]): MaskedState
            for name in _MASKED
        },
        ("pandas.core.indexes.base", "_new_Index"): new_index,
        ("pandas.core.indexes.range", "RangeIndex"): RangeIndexState,
        **{
            (f"pandas.core.indexes.{name.split('.')[0]}", name.split(".")[1]): IndexState
            for name in _INDEXES
        },
    }
)


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return ALLOWED[module, name]
        except KeyError:
            raise InputError(f"a pickle that asks for {module}.{name}: refused") from None

    def persistent_load(self, pid: Any) -> Any:
        raise InputError("a pickle that refers to something outside itself: refused")


def read_pickle(source: IO[bytes]) -> Any:
    """The value in `source`; tables come as `frames.FrameState`.

    Raises:
        InputError: it asks for a type that the official files do not hold, or is no pickle.
    """
    try:
        return _Unpickler(source).load()
    except InputError:
        raise
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError) as error:
        raise InputError(f"not a pickle of the official KG: {error}") from error
    except (IndexError, KeyError, OverflowError, ImportError, RecursionError) as error:
        raise InputError(f"not a pickle of the official KG: {error!r}") from error


def read_pickle_bytes(content: bytes) -> Any:
    """As `read_pickle`, of bytes: a value of a SqliteDict."""
    return read_pickle(io.BytesIO(content))


def read_pickle_file(path: Path) -> Any:
    """As `read_pickle`, of a file, which an error names."""
    with path.open("rb") as source:
        try:
            return read_pickle(source)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
