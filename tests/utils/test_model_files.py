"""Files that are not whole: missing, LFS pointers, truncated, changed."""

import hashlib
import json
import struct
from pathlib import Path

import pytest

from utils.model_files import Defect, file_problem, model_problems, read_pointer


def safetensors(values: int) -> bytes:
    """A whole file with one tensor of bytes."""
    header = {"w": {"dtype": "U8", "shape": [values], "data_offsets": [0, values]}}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(values)


WHOLE = safetensors(200)
DIGEST = hashlib.sha256(WHOLE).hexdigest()
POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{DIGEST}\nsize {len(WHOLE)}\n"


@pytest.mark.parametrize(
    ("content", "defect"),
    [
        (None, Defect.MISSING),
        (POINTER.encode(), Defect.POINTER),
        (WHOLE[:-1], Defect.TRUNCATED),
        (WHOLE[:-1] + b"!", Defect.CHANGED),
        (WHOLE + b"!", Defect.CHANGED),
        (WHOLE, None),
    ],
)
def test_what_is_wrong_with_a_file(
    tmp_path: Path, content: bytes | None, defect: Defect | None
) -> None:
    file = tmp_path / "model.safetensors"
    if content is not None:
        file.write_bytes(content)
    found = file_problem(file, len(WHOLE), DIGEST)
    assert (found.defect if found else None) == defect


@pytest.mark.parametrize("content", [WHOLE[:-1], b"", b"short", WHOLE[:20]])
def test_a_safetensors_file_says_itself_that_it_is_truncated(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "adapter_model.safetensors").write_bytes(content)
    assert [found.defect for found in model_problems(tmp_path)] == [Defect.TRUNCATED]


def test_a_pointer_is_read() -> None:
    read = read_pointer(POINTER.encode())
    assert read and (read.sha256, read.size) == (DIGEST, len(WHOLE))
    assert read_pointer(WHOLE) is None
