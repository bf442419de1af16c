"""Defects that the model files themselves show; tests/submission plants other defects."""

import hashlib
import json
import math
import struct
from pathlib import Path

import pytest

from utils.model_files import Defect, model_problems


def safetensors(**shapes: tuple[int, ...]) -> bytes:
    """A complete safetensors file of zeros, one byte per value."""
    header = {}
    end = 0
    for name, shape in shapes.items():
        start = end
        end = start + math.prod(shape)
        header[name] = {"dtype": "U8", "shape": shape, "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(end)


def pointer(content: bytes) -> bytes:
    """The pointer file that git-lfs stores in git for `content`."""
    version = "version https://git-lfs.github.com/spec/v1"
    checksum = hashlib.sha256(content).hexdigest()
    return f"{version}\noid sha256:{checksum}\nsize {len(content)}\n".encode()


WHOLE = safetensors(w=(200,))


@pytest.mark.parametrize("content", [WHOLE[:-1], b"", b"short", WHOLE[:20]])
def test_a_truncated_safetensors_file_is_found(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "adapter_model.safetensors").write_bytes(content)
    assert [problem.defect for problem in model_problems(tmp_path)] == [Defect.TRUNCATED]


@pytest.mark.parametrize("name", ["pytorch_model-00001-of-00002.bin", "adapter_model.bin"])
def test_weights_that_are_only_pickles_are_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "1_Dense").mkdir()
    (tmp_path / "1_Dense" / name).write_bytes(b"pickle")
    assert [problem.defect for problem in model_problems(tmp_path)] == [Defect.PICKLED]
    (tmp_path / "1_Dense" / "model.safetensors").write_bytes(WHOLE)
    assert list(model_problems(tmp_path)) == []
