"""Whether a file of weights is what it should be: there, whole, no pointer, of its checksum."""

import hashlib
import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from utils.errors import CragError
from utils.weights.table import File, Model, Table

_CHUNK = 1 << 20
_MOST_POINTER_BYTES = 1024  # git-lfs writes about 130
_MOST_HEADER_BYTES = 100 << 20
_INDEX = "model.safetensors.index.json"
_POINTER = re.compile(
    rb"\Aversion https://git-lfs\.github\.com/spec/v1\n"
    rb"(?:.*\n)*?oid sha256:(?P<oid>[0-9a-f]{64})\nsize (?P<size>\d+)\n"
)


class Fault(StrEnum):
    """What can be wrong with a file."""

    MISSING = "missing"
    POINTER = "LFS pointer"
    TRUNCATED = "truncated"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that is not as it should be; `says` is a sentence for a person."""

    file: Path
    fault: Fault
    says: str


class WeightsError(CragError):
    """Weights are missing, incomplete or not those of the table."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """What git-lfs keeps in git in place of a file."""

    sha256: str
    size: int


def read_pointer(content: bytes) -> Pointer | None:
    """The pointer that `content` is; None: it is something else."""
    match = _POINTER.match(content[:_MOST_POINTER_BYTES])
    return Pointer(match["oid"].decode(), int(match["size"])) if match else None


def sha256(file: Path) -> str:
    """The checksum of the file, in hex."""
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def trouble(file: Path, expected: File | None = None, *, deep: bool = True) -> Trouble | None:
    """What is wrong with `file`, None where nothing is.

    Args:
        file: where it should lie.
        expected: its row of the table; None: only what the file says of itself is looked at.
        deep: whether the checksum is computed, some 1 s a GB; sizes and headers are always read.
    """
    if not file.is_file():
        return Trouble(file, Fault.MISSING, f"{file} is not there")
    with file.open("rb") as stream:
        pointer = read_pointer(stream.read(_MOST_POINTER_BYTES))
    if pointer is not None:
        says = f"{file} is an LFS pointer, not the file of {pointer.size} bytes: `git lfs pull`"
        return Trouble(file, Fault.POINTER, says)
    size = file.stat().st_size
    wanted = expected.size if expected else None
    if wanted is None and file.suffix == ".safetensors":
        wanted = safetensors_size(file)
        if wanted is None:
            return Trouble(file, Fault.TRUNCATED, f"{file} has no whole safetensors header")
    if wanted is not None and size != wanted:
        fault = Fault.TRUNCATED if size < wanted else Fault.CHANGED
        return Trouble(file, fault, f"{file} has {size} bytes of {wanted}")
    if deep and expected and expected.sha256 and sha256(file) != expected.sha256:
        return Trouble(file, Fault.CHANGED, f"{file} is not the file of the table: its checksum")
    return None


def troubles(model: Model, root: Path, *, deep: bool = True) -> Iterator[Trouble]:
    """What is wrong with the files of `model` below `root`."""
    folder = root / model.folder
    if not model.files and not folder.is_dir():
        yield Trouble(folder, Fault.MISSING, f"{folder} is not there")
    for expected in model.files:
        found = trouble(folder / expected.path, expected, deep=deep)
        if found:
            yield found


def place_troubles(
    place: Path, root: Path, table: Table, *, deep: bool = True
) -> Iterator[Trouble]:
    """What is wrong with the model or file at `place`, an absolute path.

    By its row of `table` where it lies below `root` and has one that names files, else by what
    each file says of itself.
    """
    model = table.at(place.relative_to(root)) if place.is_relative_to(root) else None
    if model is not None and model.files:
        yield from troubles(model, root, deep=deep)
        return
    if not place.exists():
        yield Trouble(place, Fault.MISSING, f"{place} is not there")
    for file in files_of(place):
        found = trouble(file)
        if found:
            yield found
    for name in _shards(place):
        if not (place / name).is_file():
            yield Trouble(place / name, Fault.MISSING, f"{place / name} is not there")


def files_of(place: Path) -> list[Path]:
    """The files of a model's folder, without what a download left behind; a file is its own."""
    if place.is_file():
        return [place]
    inside = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".part")
    return sorted(p for p in inside if not any(n[0] == "." for n in p.relative_to(place).parts))


def _shards(folder: Path) -> list[str]:
    """The parts of a model that its index names."""
    try:
        named = json.loads((folder / _INDEX).read_text(encoding="utf-8"))["weight_map"].values()
        return sorted(set(named))
    except (OSError, ValueError, KeyError, AttributeError):
        return []


def safetensors_size(file: Path) -> int | None:
    """The bytes that a safetensors file should have by its own header; None: it has no header."""
    size = file.stat().st_size
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > min(_MOST_HEADER_BYTES, size):
                return None
            header = json.loads(stream.read(length))
        ends = [row["data_offsets"][1] for name, row in header.items() if name != "__metadata__"]
        return 8 + int(length) + max(ends, default=0)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error):
        return None
