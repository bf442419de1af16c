"""The lines of a dataset file, streamed from disk, however it is packed."""

import bz2
import gzip
import io
import json
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import IO, Any, Self

from utils.errors import InputError
from utils.lfs import pointer_problem

KINDS = ".jsonl, .jsonl.bz2, .jsonl.gz, .tar, .tar.bz2, .tar.gz, or one of these in .part1 … .partN"
MAX_LINE_BYTES = 256 * 2**20  # a row of 50 pages has some 30 MiB; a small file may unpack to much
_CHUNK_BYTES = 2**20
_MOST_COUNTED_BYTES = 64 * 2**20
_HEADERS_WITH_CONTENT = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PART = re.compile(r"\.part(\d+)$")


@dataclass(frozen=True, slots=True)
class StreamRow:
    """One line of a dataset.

    Attributes:
        line: its number, from 1.
        member: the file inside an archive; empty for a plain file.
        cut: it is longer than `MAX_LINE_BYTES`, and `data` is empty.
    """

    data: bytes
    line: int
    member: str = ""
    cut: bool = False


@dataclass(slots=True)
class ReadNotes:
    """Counts that are updated while a dataset is read. Sizes are bytes on disk.

    Attributes:
        rows_in_all: how many rows will be read, as far as that is known beforehand.
    """

    bytes_read: int = 0
    bytes_in_all: int = 0
    rows_in_all: int | None = None
    bad_rows: int = 0
    renamed_ids: int = 0


def parts_of(path: Path) -> list[Path]:
    """The files of the dataset `path`: itself, or its parts in numeric order.

    `path` may be a part, or the name that the parts have without `.partN`.

    Raises:
        InputError: there is no such file, or a part between two others is missing (it is named).
    """
    whole = _PART.sub("", path.name)
    if path.name == whole and path.is_file():
        return [path]
    parts: dict[int, Path] = {}
    for file in path.parent.glob(f"{escape(whole)}.part*"):
        number = _PART.search(file.name)
        if number:
            parts[int(number[1])] = file
    if not parts:
        reason = "no such dataset file"
        if path.is_dir():
            reason = "a folder, not a dataset file"
        elif path.exists():
            reason = "no file, but a pipe or device: it is read more than once, so save it first"
        raise InputError(f"{path}: {reason}")
    for expected in range(min(1, *parts), max(parts) + 1):
        if expected not in parts:
            raise InputError(f"{path.with_name(f'{whole}.part{expected}')}: this part is missing")
    return [parts[number] for number in sorted(parts)]


def rows(path: Path, notes: ReadNotes) -> Iterator[StreamRow]:
    """The non-blank lines of the dataset, streamed; nothing is extracted to disk.

    Raises:
        InputError: the file is missing, of an unknown kind, broken or cut short.
    """
    parts = parts_of(path)
    for part in parts:
        pointer = pointer_problem(part)
        if pointer is not None:
            raise InputError(pointer)
    name = _PART.sub("", path.name)
    inner = _unpacked_name(name)
    if not inner.endswith((".jsonl", ".tar")):
        raise InputError(f"{path}: unknown kind of dataset; known are {KINDS}")
    notes.bytes_read = 0
    notes.bytes_in_all = sum(part.stat().st_size for part in parts)
    try:
        with (
            io.BufferedReader(_JoinedFiles(parts, notes)) as raw,
            closing(_unpacked(raw, name)) as content,
        ):
            if inner.endswith(".tar"):
                yield from _archive_lines(content, path)
            else:
                yield from _lines(content, "")
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        hint = "; is its last part missing?" if len(parts) > 1 else ""
        raise InputError(f"{path}: broken or cut short ({error}){hint}") from error


def count_rows(path: Path) -> int | None:
    """The number of non-blank lines of a small plain file; None of any other dataset."""
    if not path.name.endswith(".jsonl") or not path.is_file():
        return None  # packed, or several files
    if path.stat().st_size > _MOST_COUNTED_BYTES:
        return None
    with path.open("rb") as lines:
        return sum(1 for line in lines if line.strip())


def json_objects(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a small file of JSON lines, each with its place as errors name it.

    Raises:
        InputError: the file cannot be read, or a line is no JSON object.
    """
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{file}, line {number}"
        try:
            yield place, dict(json.loads(line))
        except (ValueError, TypeError) as error:
            raise InputError(f"{place}: not a JSON object ({error})") from error


class _JoinedFiles(io.RawIOBase):
    """Several files read as one stream, one open at a time; `notes` counts their bytes."""

    def __init__(self, paths: Sequence[Path], notes: ReadNotes) -> None:
        super().__init__()
        self._files = (path.open("rb", buffering=0) for path in paths)
        self._file: IO[bytes] | None = next(self._files)
        self._notes = notes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        while self._file is not None:
            size = self._file.readinto(buffer)  # type: ignore[attr-defined]
            if size:
                self._notes.bytes_read += size
                return int(size)
            self._file.close()
            self._file = next(self._files, None)
        return 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def _unpacked_name(name: str) -> str:
    """The name of a file without the ending of its compression."""
    return name.removesuffix(".bz2").removesuffix(".gz")


def _unpacked(packed: IO[bytes], name: str) -> IO[bytes]:
    """The decompressed content of a file, by the ending of its name."""
    if name.endswith(".bz2"):
        return bz2.open(packed, "rb")
    if name.endswith(".gz"):
        return gzip.open(packed, "rb")  # type: ignore[return-value]  # a GzipFile reads as IO[bytes]
    return packed


def _lines(content: IO[bytes], member: str) -> Iterator[StreamRow]:
    """The non-blank lines of a file of JSON lines."""
    number = 0
    while line := content.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            yield StreamRow(b"", number, member, cut=True)  # before the rest, which has no bound
            _skip_line(content)
        elif not line.isspace():
            if number == 1:
                line = line.removeprefix(_BYTE_ORDER_MARK)
            yield StreamRow(line, number, member)


def _skip_line(content: IO[bytes]) -> None:
    """Read the rest of a line without keeping it in memory."""
    while True:
        chunk = content.readline(_CHUNK_BYTES)
        if not chunk or chunk.endswith(b"\n"):
            return


class _BoundedHeader(tarfile.TarInfo):
    """A header of an archive; one that tarfile would read without a limit is an error."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _HEADERS_WITH_CONTENT and header.size > _CHUNK_BYTES:
            raise tarfile.ReadError(f"a header of {header.size:,} bytes")
        if header.type == tarfile.GNUTYPE_SPARSE:
            raise tarfile.ReadError("a sparse file")
        return header

    def _proc_gnusparse_10(self, *_: object) -> None:
        raise tarfile.ReadError("a sparse file")


def _archive_lines(content: IO[bytes], path: Path) -> Iterator[StreamRow]:
    """The rows of every .jsonl in a tar, in the archive's order.

    The stream is decompressed before tarfile reads it: tarfile's bz2 mode reads only the first of
    the streams that parallel packers write.
    """
    is_dataset = False
    with tarfile.open(fileobj=content, mode="r|", tarinfo=_BoundedHeader) as archive:
        for member in archive:
            name = member.name.rsplit("/", 1)[-1]
            hidden = name.startswith(".")  # "._x.jsonl": what macOS's tar adds
            if hidden or not member.isfile() or not _unpacked_name(name).endswith(".jsonl"):
                continue
            packed = archive.extractfile(member)
            if packed is None:
                continue
            is_dataset = True
            with closing(packed), closing(_unpacked(packed, name)) as unpacked:
                yield from _lines(unpacked, name)
    if not is_dataset:
        raise InputError(f"{path}: no .jsonl file in this archive")
