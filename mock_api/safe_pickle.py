"""Reads the pickles of the official KG without trusting them, and without pandas.

An unpickler that knows only the handful of names below: a pickle that asks for anything else is
refused before anything of it is called. What it may name are stand-ins that only hold the state
that pandas and numpy wrote; `mock_api/frames.py` reads tables out of them.

It is the one that Python has in Python. The one in C is eight times as fast, but six bytes make it
fill all memory (an index into its memo), and it hashes any key that it is given: tuples of tuples
that share their parts keep it busy for ever. An import happens once.
"""

import io
import pickle
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

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
from mock_api.reading import reading
from utils.errors import InputError

_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
_MASKED = ("integer.IntegerArray", "floating.FloatingArray", "boolean.BooleanArray")
_INDEXES = ("base.Index", "multi.MultiIndex", "datetimes.DatetimeIndex", "numeric.Int64Index")
_KEYS = frozenset((str, int, float, bool, type(None)))
# What may be given its state after it was made; each says itself which state it takes.
_WITH_STATE = (
    ArrayState,
    BlockManagerState,
    DtypeState,
    FrameState,
    MaskedState,
    WrappedState,
)


def _keys(items: Iterable[Any]) -> list[Any]:
    """`items`, each sure to be hashed in a time that its own length bounds."""
    keys = list(items)
    odd = set(map(type, keys)) - _KEYS
    if odd:
        raise InputError(f"a pickle with a {odd.pop().__name__} for a key: refused")
    return keys


def _set(items: Iterable[Any] = ()) -> set[Any]:
    return set(_keys(items))


def _frozenset(items: Iterable[Any] = ()) -> frozenset[Any]:
    return frozenset(_keys(items))


def _ordered(pairs: Iterable[tuple[Any, Any]] = ()) -> dict[Any, Any]:
    pairs = list(pairs)
    return dict(zip(_keys(key for key, _ in pairs), (value for _, value in pairs), strict=True))


ALLOWED: MappingProxyType[tuple[str, str], Any] = MappingProxyType(
    {
        ("builtins", "slice"): slice,
        ("builtins", "set"): _set,
        ("builtins", "frozenset"): _frozenset,
        ("collections", "OrderedDict"): _ordered,
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


class _Unpickler(pickle._Unpickler):
    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    read: Callable[[int], bytes]

    def find_class(self, module: str, name: str) -> Any:
        try:
            return ALLOWED[module, name]
        except KeyError:
            raise InputError(f"a pickle that asks for {module}.{name}: refused") from None

    def persistent_load(self, pid: Any) -> Any:
        raise InputError("a pickle that refers to something outside itself: refused")

    def get_extension(self, code: int) -> None:
        raise InputError("a pickle that asks for an extension: refused")

    def load_dict(self) -> None:
        items = self.pop_mark()
        self.append({})
        self._set_items(items)

    def load_setitem(self) -> None:
        items = self.stack[-2:]
        del self.stack[-2:]
        self._set_items(items)

    def load_setitems(self) -> None:
        self._set_items(self.pop_mark())

    def _set_items(self, items: list[Any]) -> None:
        target = self.stack[-1]
        if type(target) is not dict:  # part of a list, by a slice for a key, can be the list itself
            raise InputError("a pickle that sets items of what is no dict: refused")
        target.update(zip(_keys(items[::2]), items[1::2], strict=True))

    def load_additems(self) -> None:
        items = _keys(self.pop_mark())
        target = self.stack[-1]
        if type(target) is not set:
            raise InputError("a pickle that adds to what is no set: refused")
        target.update(items)

    def load_frozenset(self) -> None:
        self.append(_frozenset(self.pop_mark()))

    def load_bytearray8(self) -> None:
        size = int.from_bytes(self.read(8), "little")
        self.append(bytearray(self.read(size)))  # not made before it is known to be there

    def load_build(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if not isinstance(target, _WITH_STATE):
            raise InputError(f"a pickle that gives a {type(target).__name__} a state: refused")
        target.__setstate__(state)

    dispatch: ClassVar[dict[int, Callable[..., None]]] = {
        **pickle._Unpickler.dispatch,
        pickle.DICT[0]: load_dict,
        pickle.SETITEM[0]: load_setitem,
        pickle.SETITEMS[0]: load_setitems,
        pickle.ADDITEMS[0]: load_additems,
        pickle.FROZENSET[0]: load_frozenset,
        pickle.BYTEARRAY8[0]: load_bytearray8,
        pickle.BUILD[0]: load_build,
    }


def read_pickle_bytes(content: bytes) -> Any:
    """The value in `content`; tables come as `frames.FrameState`.

    Raises:
        InputError: it asks for a type that the official files do not hold, or is no pickle.
    """
    try:
        return _Unpickler(io.BytesIO(content)).load()
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise InputError(f"not a pickle of the official KG: {error!r}") from error
    except (pickle.UnpicklingError, struct.error, EOFError, MemoryError) as error:
        raise InputError(f"not a pickle of the official KG: {error!r}") from error


def read_pickle_file(path: Path) -> Any:
    """As `read_pickle_bytes`, of a file, which an error names."""
    with reading(path):
        return read_pickle_bytes(path.read_bytes())
