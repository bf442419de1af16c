"""Reads the files of an import: any fault of a file is one `InputError` that names it.

Files come from outside. An importer states what it expects and lets everything else fail; `reading`
adds the file's name and, where lines are read, the line's number. The limits are here, too: on a
line, and on all rows of a file.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from utils.errors import InputError

LONGEST_LINE = 32 * 2**20
# A file may give _ROW_BYTES of rows and _ROW_BYTES_PER_BYTE for each byte of its own. Compressed
# text, or a pickle that repeats one string, gives tens per byte; a decompression bomb thousands.
_ROW_BYTES = 256 * 2**20
_ROW_BYTES_PER_BYTE = 100
_LONGEST_REASON = 300
_PLAIN_TYPES = frozenset((str, int, float, bool, type(None)))

TableRows = Iterator[Sequence[Any]]  # of one table of the store


class Reading:
    """The file that is read and, among lines, the line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line = 0

    def lines(self, stream: IO[bytes]) -> Iterator[bytes]:
        """The lines of a stream; their numbers become `line`.

        Raises:
            InputError: a line is too long.
        """
        while line := stream.readline(LONGEST_LINE + 1):
            self.line += 1
            if len(line) > LONGEST_LINE:
                raise InputError(f"a line of more than {LONGEST_LINE >> 20} MiB")
            yield line

    def rows(self, rows: Iterable[Sequence[Any]]) -> TableRows:
        """`rows`, checked: plain values only, and no more than a file of this size may give.

        Raises:
            InputError: a row holds another type, or there are too many bytes of rows.
        """
        allowed = _ROW_BYTES + _ROW_BYTES_PER_BYTE * self.path.stat().st_size
        size = 0
        for row in rows:
            odd_types = set(map(type, row)) - _PLAIN_TYPES
            if odd_types:
                raise InputError(f"a row that holds a {odd_types.pop().__name__}")
            size += sum(map(sys.getsizeof, row))
            if size > allowed:
                raise InputError(f"it holds more than {allowed >> 20} MiB of rows")
            yield row


@contextmanager
def reading(path: Path) -> Iterator[Reading]:
    """A `Reading` of `path`.

    Raises:
        InputError: anything failed inside; the message is one line that begins with the place.
    """
    place = Reading(path)
    try:
        yield place
    except Exception as error:
        reason = str(error)
        if not isinstance(error, InputError):
            reason = f"not of its form: {type(error).__name__}: {error}"
        line = f":{place.line}" if place.line else ""
        reason = " ".join(reason.split())[:_LONGEST_REASON]
        raise InputError(f"{path}{line}: {reason}") from error
