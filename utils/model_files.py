"""Checks of model files on disk: present, no LFS pointers, not truncated, no pickles."""

import hashlib
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from utils.errors import CragError
from utils.lfs import pointer_problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MOST_HEADER_BYTES = 100 << 20
_ENDS = 1 << 20  # bytes; hashing a whole 8B model takes a minute
_INDEX = "model.safetensors.index.json"
_PICKLES = ("pytorch_model*.bin", "adapter_model.bin")  # loaded if there are no safetensors
_NUMPY_TYPES = {"F32": "<f4", "F16": "<f2", "BF16": "<u2"}


class WeightsError(CragError):
    """Weights are missing, incomplete or differ from the table."""


class Defect(StrEnum):
    """The kinds of defects of a file."""

    MISSING = "missing"
    POINTER = "LFS pointer"
    TRUNCATED = "truncated"
    CHANGED = "changed"
    PICKLED = "pickle"


@dataclass(frozen=True, slots=True)
class Problem:
    """A file with a defect; `says` is a message for users."""

    file: Path
    defect: Defect
    says: str


def sha256(file: Path) -> str:
    """The checksum of the file, in hex."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def model_hash(folder: Path) -> str:
    """A SHA-256 that identifies a model: of both ends of its weight files. Its config is left out:
    a newer version of transformers writes it in another way."""
    digest = hashlib.sha256()
    for file in sorted(folder.glob("*.safetensors")):
        with file.open("rb") as weights:
            digest.update(weights.read(_ENDS))
            weights.seek(max(0, file.stat().st_size - _ENDS))
            digest.update(weights.read(_ENDS))
    return digest.hexdigest()


def file_problem(
    file: Path, size: int | None = None, checksum: str | None = None
) -> Problem | None:
    """The defect of `file`; None if there is none.

    Args:
        file: its expected path.
        size: its bytes; None: the size stated in the header of a safetensors file.
        checksum: its SHA-256, which takes about 1 s per GB to compute; None: not compared.
    """
    if not file.is_file():
        return Problem(file, Defect.MISSING, f"{file} is not there")
    pointer = pointer_problem(file)
    if pointer is not None:
        return Problem(file, Defect.POINTER, pointer)
    if size is None and file.suffix == ".safetensors":
        size = stated_size(file)
        if size is None:
            return Problem(file, Defect.TRUNCATED, f"{file} has no whole safetensors header")
    actual = file.stat().st_size
    if size is not None and actual != size:
        defect = Defect.TRUNCATED if actual < size else Defect.CHANGED
        return Problem(file, defect, f"{file} has {actual} bytes, expected {size}")
    if checksum is not None and sha256(file) != checksum:
        return Problem(file, Defect.CHANGED, f"{file} has another checksum than its pin")
    return None


def model_problems(place: Path) -> Iterator[Problem]:
    """The defects of the model (a folder) or file at `place`, according to its files' headers."""
    if not place.exists():
        yield Problem(place, Defect.MISSING, f"{place} is not there")
        return
    files = model_files(place)
    for name in _shards(place):
        shard = place / name
        if not shard.is_file():
            files.append(shard)
    for file in files:
        problem = file_problem(file)
        if problem is not None:
            yield problem
    yield from pickled_weights(place)


def pickled_weights(folder: Path) -> Iterator[Problem]:
    """The weights in `folder` that exist only as pickles, which can run code when loaded."""
    for pattern in _PICKLES:
        for file in sorted(folder.rglob(pattern)):
            if not any(file.parent.glob("*.safetensors")):
                says = f"{file} is a pickle: take the model's safetensors, or convert it"
                yield Problem(file, Defect.PICKLED, says)


def model_files(place: Path) -> list[Path]:
    """The files of a model's folder except hidden ones (partial downloads); a file is itself."""
    if place.is_file():
        return [place]
    files = []
    for path in place.rglob("*"):
        hidden = any(name.startswith(".") for name in path.relative_to(place).parts)
        if path.is_file() and not hidden:
            files.append(path)
    return sorted(files)


def _shards(folder: Path) -> set[str]:
    """The names of the files in a model's index; empty if there is no readable index."""
    try:
        index = json.loads((folder / _INDEX).read_text(encoding="utf-8"))
        return {str(name) for name in index["weight_map"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()


def safetensors_header(file: Path) -> tuple[int, dict[str, Any]]:
    """The length of a safetensors file's header, and its row for each tensor.

    Only the header is read.

    Raises:
        WeightsError: the file has no such header.
    """
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > min(_MOST_HEADER_BYTES, file.stat().st_size):
                raise ValueError("its header is longer than the file")
            header = json.loads(stream.read(length))
        header.pop("__metadata__", None)
        return int(length), header
    except (OSError, ValueError, TypeError, AttributeError, struct.error) as error:
        raise WeightsError(f"{file} is no safetensors file: {error}") from error


def read_tensors(file: Path) -> Iterator[tuple[str, "NDArray[Any]"]]:
    """Name and values of each tensor in a safetensors file of float32, float16 or bfloat16.

    Raises:
        WeightsError: the file is damaged, or has tensors of another type.
    """
    import numpy as np

    length, rows = safetensors_header(file)
    content = np.memmap(file, dtype=np.uint8, mode="r", offset=8 + length)
    try:
        for name, row in rows.items():
            start, end = row["data_offsets"]
            values = content[start:end].view(_NUMPY_TYPES[row["dtype"]])
            if row["dtype"] == "BF16":  # the upper half of a float32
                values = (values.astype(np.uint32) << 16).view(np.float32)
            yield name, values.reshape(row["shape"])
    except (LookupError, TypeError, ValueError) as error:
        raise WeightsError(f"{file}: its tensors cannot be read: {error!r}") from error


def stated_size(file: Path) -> int | None:
    """The size in bytes that a safetensors file's header states; None if it has no header."""
    try:
        length, header = safetensors_header(file)
        ends = [row["data_offsets"][1] for row in header.values()]
        return 8 + length + max(ends, default=0)
    except (WeightsError, LookupError, TypeError):
        return None
