"""Reads the pickles of the official KG without trusting them, and without pandas.

The unpickler knows only the names in `mock_api/frames.py:NAMES`. It refuses every other name before
it calls anything. The names stand for classes that only keep what pandas and numpy wrote.

It extends Python's unpickler in Python. The one in C is eight times as fast, but six bytes make it
fill all memory (an index into its memo), and it hashes any key: hashing tuples of tuples that share
their parts takes forever. An import happens once.
"""

import io
import pickle
from collections.abc import Callable
from typing import Any, ClassVar

from mock_api.frames import NAMES, Held
from utils.errors import InputError

_KEY_TYPES = frozenset((str, int, float, bool, type(None)))
_SETS = (pickle.EMPTY_SET, pickle.ADDITEMS, pickle.FROZENSET)  # no official file holds a set


class _Unpickler(pickle._Unpickler):
    """Python's unpickler, restricted to known names, plain keys and states of `Held` objects."""

    stack: list[Any]
    append: Callable[[Any], None]
    pop_mark: Callable[[], list[Any]]
    read: Callable[[int], bytes]

    def find_class(self, module: str, name: str) -> Any:
        try:
            return NAMES[module, name]
        except KeyError:
            raise InputError(f"a pickle that asks for {module}.{name}: refused") from None

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
        """Set items, given as keys and values in turn, on the dict on top of the stack."""
        target = self.stack[-1]
        if type(target) is not dict:  # part of a list, by a slice for a key, can be the list itself
            raise InputError("refused: a pickle that sets items on an object that is not a dict")
        keys = items[::2]
        odd_types = set(map(type, keys)) - _KEY_TYPES  # these can take forever to hash
        if odd_types:
            raise InputError(f"a pickle with a {odd_types.pop().__name__} for a key: refused")
        target.update(zip(keys, items[1::2], strict=True))

    def load_bytearray8(self) -> None:
        size = int.from_bytes(self.read(8), "little")
        self.append(bytearray(self.read(size)))  # allocated only once the bytes have been read

    def load_build(self) -> None:
        state = self.stack.pop()
        target = self.stack[-1]
        if not isinstance(target, Held):
            raise InputError(f"a pickle that gives a {type(target).__name__} a state: refused")
        target.state = state

    def load_set(self) -> None:
        raise InputError("a pickle with a set: refused")

    dispatch: ClassVar[dict[int, Callable[..., None]]] = {
        **pickle._Unpickler.dispatch,
        pickle.DICT[0]: load_dict,
        pickle.SETITEM[0]: load_setitem,
        pickle.SETITEMS[0]: load_setitems,
        pickle.BYTEARRAY8[0]: load_bytearray8,
        pickle.BUILD[0]: load_build,
        **dict.fromkeys((code[0] for code in _SETS), load_set),
    }


def read_pickle(content: bytes) -> Any:
    """The value in `content`; tables come as `frames.Frame`. Read it inside `reading`.

    Raises:
        InputError: it asks for a type that the official files do not hold.
        Exception: it is no pickle.
    """
    return _Unpickler(io.BytesIO(content)).load()
