"""Reads the pickles of the official KG without trusting them, and without pandas.

The unpickler knows only the names below; a pickle that asks for any other is refused before
anything of it is called. The names stand for classes that only hold what pandas and numpy wrote;
`mock_api/frames.py` reads tables out of them.

It extends Python's unpickler in Python. The one in C is eight times as fast, but six bytes make it
fill all memory (an index into its memo), and it hashes any key: tuples of tuples that share their
parts keep it busy for ever. An import happens once.
"""

import io
import pickle
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from mock_api.frames import (
    Array,
    Block,
    Blocks,
    Dtype,
    Frame,
    Held,
    Index,
    Masked,
    RangeIndex,
    Times,
    array_from_buffer,
    index,
    scalar,
    text_as_bytes,
    times,
)
from mock_api.reading import reading
from utils.errors import InputError

_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray")
_FAULTS = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(pickle.UnpicklingError, struct.error, EOFError, MemoryError),
)
_KEYS = frozenset((str, int, float, bool, type(None)))


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
        ("numpy", "dtype"): Dtype,
        ("numpy", "ndarray"): Array,
        ("numpy.core.numeric", "_frombuffer"): array_from_buffer,
        ("numpy._core.numeric", "_frombuffer"): array_from_buffer,
        **{(module, "_reconstruct"): Array for module in _NUMPY},
        **{(module, "scalar"): scalar for module in _NUMPY},
        ("pandas.core.frame", "DataFrame"): Frame,
        ("pandas.core.internals.managers", "BlockManager"): Blocks,
        ("pandas._libs.internals", "_unpickle_block"): Block,
        ("pandas._libs.arrays", "__pyx_unpickle_NDArrayBacked"): times,
        ("pandas.core.arrays.datetimes", "DatetimeArray"): Times,
        ("pandas.core.arrays.integer", "IntegerArray"): Masked,
        ("pandas.core.arrays.floating", "FloatingArray"): Masked,
        ("pandas.core.arrays.boolean", "BooleanArray"): Masked,
        ("pandas.core.indexes.base", "_new_Index"): index,
        ("pandas.core.indexes.base", "Index"): Index,
        ("pandas.core.indexes.multi", "MultiIndex"): Index,
        ("pandas.core.indexes.datetimes", "DatetimeIndex"): Index,
        ("pandas.core.indexes.numeric", "Int64Index"): Index,
        ("pandas.core.indexes.range", "RangeIndex"): RangeIndex,
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
        if not isinstance(target, Held):
            raise InputError(f"a pickle that gives a {type(target).__name__} a state: refused")
        target.state = state

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
    """The value in `content`; tables come as `frames.Frame`.

    Raises:
        InputError: it asks for a type that the official files do not hold, or is no pickle.
    """
    try:
        return _Unpickler(io.BytesIO(content)).load()
    except InputError:
        raise
    except _FAULTS as error:
        raise InputError(f"not a pickle of the official KG: {error!r}") from error


def read_pickle_file(path: Path) -> Any:
    """As `read_pickle_bytes`, of a file, which an error names."""
    with reading(path):
        return read_pickle_bytes(path.read_bytes())
