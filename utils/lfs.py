"""Pointer files of git-lfs, which stand in place of large files that were not fetched."""

import re
from dataclasses import dataclass
from pathlib import Path

MOST_POINTER_BYTES = 1024  # git-lfs writes about 130
_POINTER = re.compile(
    rb"\Aversion https://git-lfs\.github\.com/spec/v1\n"
    rb"(?:.*\n)*?oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>\d+)\n"
)


@dataclass(frozen=True, slots=True)
class Pointer:
    """The pointer file that git-lfs stores in git instead of a large file."""

    sha256: str
    size: int


def read_pointer(content: bytes) -> Pointer | None:
    """The LFS pointer in `content`; None if it is not one."""
    match = _POINTER.match(content[:MOST_POINTER_BYTES])
    if match is None:
        return None
    return Pointer(match["oid"].decode(), int(match["size"]))


def pointer_problem(file: Path) -> str | None:
    """What is wrong if `file` is an LFS pointer, and what to do; None if it is not one."""
    with file.open("rb") as stream:
        pointer = read_pointer(stream.read(MOST_POINTER_BYTES))
    if pointer is None:
        return None
    return f"{file} is an LFS pointer, not the file of {pointer.size} bytes: `git lfs pull`"
