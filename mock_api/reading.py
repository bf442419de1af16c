"""Reads the files of an import: any fault of a file is one `InputError` that names it.

Files come from outside. An importer states what it expects and lets everything else fail; `reading`
adds the file's name and, where lines are read, the line's number. The limits are here, too: on a
line, on a member of a JSON object, and on all rows of a file.
"""

import csv
import json
import re
import sqlite3
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from utils.errors import InputError

LONGEST_LINE = 32 * 2**20
LONGEST_MEMBER = 32 * 2**20  # characters; none of the official files comes near
_CHUNK = 2**20
_VISIBLE = re.compile(r"\S")
_DECODER = json.JSONDecoder()
# A file may give _ROW_BYTES of rows and _ROW_BYTES_PER_BYTE for each byte of its own. Compressed
# text, or a pickle that repeats one string, gives tens per byte; a decompression bomb thousands.
_ROW_BYTES = 256 * 2**20
_ROW_BYTES_PER_BYTE = 100
_LONGEST_REASON = 300

_FAULTS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    csv.Error,
    sqlite3.Error,
    sqlite3.Warning,
    struct.error,
)
_KINDS = frozenset((str, int, float, bool, type(None)))


class Reading:
    """The place that is read, `path` and, among lines, `line`; and the size of the rows so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0
        self._allowed = _ROW_BYTES
        self._seen = 0
        self.move(path)

    def move(self, path: Path) -> None:
        """Continue with another file of the same table."""
        self.path, self.line = path, 0
        if path.is_file():
            self._allowed += _ROW_BYTES_PER_BYTE * path.stat().st_size

    def lines(self, stream: IO[bytes]) -> Iterator[bytes]:
        while line := stream.readline(LONGEST_LINE + 1):
            self.line += 1
            if len(line) > LONGEST_LINE:
                raise InputError(f"a line of more than {LONGEST_LINE >> 20} MiB")
            yield line

    def rows(self, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """`rows`, checked: plain values only, and no more than a file of this size may give."""
        for row in rows:
            if not _KINDS.issuperset(map(type, row)):
                odd = set(map(type, row)) - _KINDS
                raise InputError(f"a row that holds a {odd.pop().__name__}")
            self._seen += sum(map(sys.getsizeof, row))
            if self._seen > self._allowed:
                raise InputError(f"it holds more than {self._allowed >> 20} MiB of rows")
            yield row

    def error(self, reason: str) -> InputError:
        """An error of one line: this place and `reason`."""
        reason = " ".join(reason.split())[:_LONGEST_REASON]
        if reason.startswith(str(self.path)):
            return InputError(reason)
        line = f":{self.line}" if self.line else ""
        return InputError(f"{self.path}{line}: {reason}")


def members(path: Path) -> Iterator[tuple[str, Any]]:
    """(key, value) of each member of the JSON object in `path`, in order; none where it is absent.

    The movie files of the official KG are too large to hold: one member at a time is held, and a
    window of the text around it.

    Raises:
        InputError: the file is not one JSON object.
    """
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as source:
        window = _Window(source)
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
    """The part of a text that is being read, and the position in it."""

    def __init__(self, source: IO[str]) -> None:
        self._source = source
        self._text = ""
        self._at = 0

    def peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        while not (found := _VISIBLE.search(self._text, self._at)):
            self._at = len(self._text)
            if not self._more():
                return ""
        self._at = found.start()
        return found[0]

    def take(self, expected: str) -> None:
        """Step over `expected`."""
        found = self.peek()
        if found != expected:
            raise InputError(f"{expected!r} expected, found {found or 'the end'!r}")
        self._at += 1

    def value(self) -> Any:
        """The JSON value that comes next."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except ValueError as error:
                if not self._more():
                    raise InputError(f"not JSON: {error}") from error
                continue
            # A number that ends where the window does may go on after it.
            if end < len(self._text) or not self._more():
                self._at = end
                return value

    def _more(self) -> bool:
        """Lengthen the window, by more each time that one value does not fit."""
        left = len(self._text) - self._at
        if left > LONGEST_MEMBER:
            raise InputError(f"a member of more than {LONGEST_MEMBER:,} characters")
        chunk = self._source.read(max(_CHUNK, left))
        self._text, self._at = self._text[self._at :] + chunk, 0
        return bool(chunk)


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """A `Reading` at `path`; every fault of the data met inside is an `InputError` of its place."""
    place = Reading(path)
    try:
        yield place
    except InputError as error:
        raise place.error(str(error)) from error
    except _FAULTS as error:
        raise place.error(_reason(error)) from error


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error}"
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8: {error}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    if isinstance(error, MemoryError):
        return "larger than memory"
    if isinstance(error, sqlite3.Error | csv.Error | OSError | EOFError):
        return f"not of its form: {error or type(error).__name__}"
    return f"not of its form: {error!r}"
