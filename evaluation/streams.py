"""The rows of a dataset file as they come off the disk, whatever it is packed in."""

import bz2
import gzip
import io
import re
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Self

from utils.errors import InputError

KINDS = ".jsonl, .jsonl.bz2, .jsonl.gz, .tar, .tar.bz2, .tar.gz, or one of these in .part1 … .partN"
MAX_LINE_BYTES = 256 * 2**20  # a row of 50 pages has some 30 MiB; a small file may unpack to much
_CHUNK_BYTES = 2**20
COUNTED_BYTES = 8_000_000  # up to here on disk, counting the rows takes a second or two
_HEADERS_WITH_CONTENT = (
    *(tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE),
    *(tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK),
)
_PART = re.compile(r"\.part(\d+)$")


@dataclass(frozen=True, slots=True)
class StreamRow:
    """One line: `member` is the file inside an archive, empty for a plain file; lines from 1.

    `cut`: it is longer than `MAX_LINE_BYTES`, and `data` is empty.
    """

    data: bytes
    line: int
    member: str = ""
    cut: bool = False


@dataclass(slots=True)
class Consumed:
    """How much of the file, in bytes on disk, has been read: gives the time left of a run."""

    done: int = 0
    total: int = 0

    @property
    def fraction(self) -> float:
        """Between 0 and 1; 0 while nothing is known."""
        return min(1.0, self.done / self.total) if self.total else 0.0


def parts_of(path: Path) -> list[Path]:
    """The files that together are `path`: itself, or its parts in numeric order.

    `path` may be a part, or the name that the parts have without `.partN`.

    Raises:
        InputError: there is no such file, or a part between two others is missing (it is named).
    """
    number = _PART.search(path.name)
    if number is None and path.is_file():
        return [path]
    whole = path.name[: number.start()] if number else path.name
    found: dict[int, Path] = {}
    if path.parent.is_dir():
        for candidate in path.parent.iterdir():
            match = _PART.search(candidate.name)
            if match and candidate.name[: match.start()] == whole and candidate.is_file():
                found[int(match.group(1))] = candidate
    if not found:
        raise InputError(f"{path}: no such dataset file")
    for expected in range(min(1, *found), max(found) + 1):
        if expected not in found:
            raise InputError(f"{path.with_name(f'{whole}.part{expected}')}: this part is missing")
    return [found[key] for key in sorted(found)]


def rows(path: Path, consumed: Consumed | None = None) -> Iterator[StreamRow]:
    """Every non-blank line of the dataset, streamed; nothing is extracted to disk.

    Raises:
        InputError: the file is missing, of an unknown kind, broken or cut short.
    """
    seen = consumed if consumed is not None else Consumed()
    parts = parts_of(path)
    name = _PART.sub("", path.name)
    inner, packing = _split(name)
    if not inner.endswith((".jsonl", ".tar")):
        raise InputError(f"{path}: unknown kind of dataset; known are {KINDS}")
    seen.done, seen.total = 0, sum(part.stat().st_size for part in parts)
    try:
        with (
            io.BufferedReader(_Joined(parts, seen)) as raw,
            closing(_unpacked(raw, packing)) as content,
        ):
            yield from _members(content, path) if inner.endswith(".tar") else _lines(content, "")
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        hint = "; is its last part missing?" if len(parts) > 1 else ""
        raise InputError(f"{path}: broken or cut short ({error}){hint}") from error


def count_rows(path: Path) -> int | None:
    """How many rows the dataset has; None where the file is too large to be read for that."""
    if sum(part.stat().st_size for part in parts_of(path)) > COUNTED_BYTES:
        return None
    return sum(1 for _ in rows(path))


class _Joined(io.RawIOBase):
    """Several files read as one stream, one open at a time; `consumed` counts their bytes."""

    def __init__(self, paths: Sequence[Path], consumed: Consumed) -> None:
        super().__init__()
        self._rest = list(paths)
        self._file: IO[bytes] | None = None
        self._consumed = consumed

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        while True:
            if self._file is None:
                if not self._rest:
                    return 0
                self._file = self._rest.pop(0).open("rb")
            chunk = self._file.read(len(buffer))
            if chunk:
                buffer[: len(chunk)] = chunk
                self._consumed.done += len(chunk)
                return len(chunk)
            self._file.close()
            self._file = None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        super().close()


def _split(name: str) -> tuple[str, str]:
    """`("x.jsonl", ".bz2")` for "x.jsonl.bz2"; an empty packing where there is none."""
    for packing in (".bz2", ".gz"):
        if name.endswith(packing):
            return name.removesuffix(packing), packing
    return name, ""


def _unpacked(raw: IO[bytes], packing: str) -> IO[bytes]:
    if packing == ".bz2":
        return bz2.open(raw, "rb")
    if packing == ".gz":
        return gzip.open(raw, "rb")  # type: ignore[return-value]  # a GzipFile reads as IO[bytes]
    return raw


def _lines(content: IO[bytes], member: str) -> Iterator[StreamRow]:
    number = 0
    while line := content.readline(MAX_LINE_BYTES):
        number += 1
        if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
            yield StreamRow(b"", number, member, cut=True)  # before the rest, which has no bound
            while (rest := content.readline(_CHUNK_BYTES)) and not rest.endswith(b"\n"):
                pass
        elif not line.isspace():
            line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            yield StreamRow(line, number, member)


class _Header(tarfile.TarInfo):
    """Refuses the headers that tarfile would read into memory whatever their size."""

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


def _members(content: IO[bytes], path: Path) -> Iterator[StreamRow]:
    """The rows of every .jsonl in a tar, in the archive's order.

    The packing is undone before tarfile sees the stream: its own bz2 mode reads only the first
    of the streams that parallel packers write.
    """
    found = False
    with tarfile.open(fileobj=content, mode="r|", tarinfo=_Header) as archive:
        for member in archive:
            name = member.name.rsplit("/", 1)[-1]
            inner, packing = _split(name)
            hidden = name.startswith(".")  # "._x.jsonl": what macOS's tar adds
            if not member.isfile() or hidden or not inner.endswith(".jsonl"):
                continue
            packed = archive.extractfile(member)
            if packed is None:
                continue
            found = True
            with closing(packed), closing(_unpacked(packed, packing)) as unpacked:
                yield from _lines(unpacked, name)
    if not found:
        raise InputError(f"{path}: no .jsonl file in this archive")
