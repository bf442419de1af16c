"""The members of one JSON object too large to hold: the movie files of the official KG."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from utils.errors import InputError

_CHUNK = 2**20
_LONGEST_MEMBER = 32 * 2**20  # characters; none of the official files comes near
_DECODER = json.JSONDecoder()


def members(path: Path) -> Iterator[tuple[str, Any]]:
    """(key, value) of each member of the object in `path`, in order; none where it is absent.

    Holds one member at a time, and a window of the text around it.

    Raises:
        InputError: the file is not one JSON object.
    """
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as source:
        window = _Window(source, path)
        window.take("{")
        if window.peek() == "}":
            return
        while True:
            key = window.value()
            window.take(":")
            yield str(key), window.value()
            if window.peek() == "}":
                return
            window.take(",")


class _Window:
    """The part of a text that is being read, and where in it the reader is."""

    def __init__(self, source: IO[str], path: Path) -> None:
        self._source = source
        self._path = path
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while True:
            while self._at < len(self._text):
                if not self._text[self._at].isspace():
                    return self._text[self._at]
                self._at += 1
            if not self._more():
                return ""

    def take(self, expected: str) -> None:
        """Step over `expected`."""
        found = self.peek()
        if found != expected:
            raise InputError(f"{self._path}: {expected!r} expected, found {found or 'the end'!r}")
        self._at += 1

    def value(self) -> Any:
        """The JSON value that comes next."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise InputError(f"{self._path}: nested too deeply") from error
            except ValueError as error:
                if not self._more():
                    raise InputError(f"{self._path}: not JSON: {error}") from error
                continue
            # A number that ends where the window does may go on after it.
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        """Lengthen the window, by more each time that one value does not fit."""
        if len(self._text) - self._at > _LONGEST_MEMBER:
            raise InputError(f"{self._path}: a member of more than {_LONGEST_MEMBER:,} characters")
        try:
            chunk = self._source.read(max(_CHUNK, len(self._text) - self._at))
        except ValueError as error:
            raise InputError(f"{self._path}: not UTF-8: {error}") from error
        self._text = self._text[self._at :] + chunk
        self._at = 0
        return bool(chunk)
