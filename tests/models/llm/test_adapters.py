"""Adapters are read from their headers, without torch, and refused if they do not fit."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from models.llm.adapters import find_model, has_numbers, max_rank, read_adapter
from models.llm.errors import AdapterIncompatible, ModelMissing
from models.llm.gguf_model import find_gguf
from tests.utils.test_model_files import pointer

POINTER = pointer(bytes(99))
BASE = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4}
BASE |= {"num_key_value_heads": 2, "num_hidden_layers": 2}


def make_base(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BASE))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    return folder


def make_adapter(
    folder: Path,
    *,
    rank: int = 8,
    hidden: int = 64,
    keys: int = 32,
    layer: int = 0,
    value: float = 0.0,
    **config: Any,
) -> str:
    """An adapter of k_proj with the shapes that peft writes, and one value in all of its weights; a
    part of its config that is None is left out."""
    folder.mkdir(parents=True)
    defaults = {
        "peft_type": "LORA",
        "r": rank,
        "lora_alpha": 16,
        "base_model_name_or_path": "some/base",
    }
    fields = {name: each for name, each in (defaults | config).items() if each is not None}
    (folder / "adapter_config.json").write_text(json.dumps(fields))
    name = f"base_model.model.model.layers.{layer}.self_attn.k_proj.lora_"
    size = 4 * rank * hidden
    ends = (size, size + 4 * keys * rank)
    header = {
        f"{name}A.weight": {"dtype": "F32", "shape": [rank, hidden], "data_offsets": [0, size]},
        f"{name}B.weight": {"dtype": "F32", "shape": [keys, rank], "data_offsets": [*ends]},
    }
    content = json.dumps(header).encode()
    numbers = struct.pack("<f", value) * (ends[1] // 4)
    file = folder / "adapter_model.safetensors"
    file.write_bytes(struct.pack("<Q", len(content)) + content + numbers)
    return str(folder)


def test_an_adapter_that_fits_is_read_from_its_files(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    plain = {"use_dora": False, "bias": "none", "modules_to_save": None, "rank_pattern": {"x": 32}}
    adapter = read_adapter("kg", make_adapter(tmp_path / "kg", **plain), base)
    assert (adapter.name, adapter.base, adapter.rank) == ("kg", "some/base", 32)
    assert adapter.size > 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hidden": 128}, r"k_proj.*64 inputs"),
        ({"keys": 64}, r"k_proj.*32 outputs"),
        ({"peft_type": "IA3"}, "only LoRA"),
        ({"use_dora": True}, "use_dora = True"),
        ({"init_lora_weights": "pissa"}, "init_lora_weights = 'pissa' changed its base"),
        ({"init_lora_weights": "pissa_niter_4"}, "changed its base"),
        ({"init_lora_weights": "olora"}, "path_initial_model_for_weight_conversion"),
        ({"init_lora_weights": "corda"}, "changed its base"),
        ({"init_lora_weights": "loftq"}, "changed its base"),
        ({"alora_invocation_tokens": [1, 2]}, "alora_invocation_tokens = .*merge"),
        ({"layer_replication": [[0, 2], [1, 2]]}, "layer_replication = "),
        ({"use_qalora": True}, "use_qalora = True"),
        ({"lora_bias": True}, "lora_bias = True"),
        ({"trainable_token_indices": [5]}, "trainable_token_indices = "),
        ({"lora_alpha": None}, "no lora_alpha"),
        ({"lora_alpha": "16"}, "no lora_alpha"),
        ({"layer": 77}, "is of layer 77, the model has 2 layers"),
        ({"bias": "lora_only"}, "bias = 'lora_only'"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"r": 16}, r"\[8, 64\], its config says rank \[16\]"),
        ({"r": None}, "no rank"),
    ],
)
def test_an_unfit_adapter_is_refused(tmp_path: Path, wrong: dict[str, Any], message: str) -> None:
    base = make_base(tmp_path / "base")
    with pytest.raises(AdapterIncompatible, match=message):
        read_adapter("kg", make_adapter(tmp_path / "kg", **wrong), base)


@pytest.mark.parametrize("start", [True, "gaussian", "eva", "orthogonal", None])
def test_a_start_that_leaves_the_base_as_it_is_is_served(tmp_path: Path, start: Any) -> None:
    path = make_adapter(tmp_path / "kg", init_lora_weights=start)
    assert read_adapter("kg", path, make_base(tmp_path / "base")).rank == 8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (POINTER, "LFS"),
        (b"", "cannot be read"),
        (b"<html>not found</html>", "cannot be read"),
        (struct.pack("<Q", 2) + b"{}", "no LoRA tensors"),
        (None, "truncated: it has "),
    ],
)
def test_damaged_weights_are_named(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = make_adapter(tmp_path / "kg")
    file = tmp_path / "kg" / "adapter_model.safetensors"
    file.write_bytes(file.read_bytes()[:-7] if content is None else content)
    with pytest.raises(AdapterIncompatible, match=message):
        read_adapter("kg", path)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 0.5])
def test_weights_that_are_no_numbers_are_found(tmp_path: Path, value: float) -> None:
    adapter = read_adapter("kg", make_adapter(tmp_path / "kg", value=value))
    assert has_numbers(adapter) is (value == 0.5)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"<!doctype html><title>404</title>", "it is a web page"),
        (POINTER, "LFS"),
        (b"PK\x03\x04abc", "it begins with"),
        (b"ggml", "it begins with"),
    ],
)
def test_a_file_that_is_no_gguf_says_what_it_is(
    tmp_path: Path, content: bytes, message: str
) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    with pytest.raises(ModelMissing, match=message):
        find_gguf(str(file))


def test_the_maximum_rank_holds_the_highest_rank_of_the_adapters(tmp_path: Path) -> None:
    adapters = [
        read_adapter("a", make_adapter(tmp_path / str(rank), rank=rank)) for rank in (8, 12, 1024)
    ]
    assert (max_rank(adapters[:1]), max_rank(adapters[:2])) == (8, 16)
    with pytest.raises(AdapterIncompatible, match=r"rank 1024.*up to 512"):
        max_rank(adapters)


def test_weights_that_are_missing_broken_or_only_pickles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="hf download"):
        find_model(str(tmp_path / "nothing"))
    base = make_base(tmp_path / "base")
    adapter = make_adapter(tmp_path / "kg")
    (base / "model.safetensors").rename(base / "pytorch_model.bin")
    with pytest.raises(ModelMissing, match="is a pickle"):
        find_model(str(base))
    weights = Path(adapter) / "adapter_model.safetensors"
    weights.write_bytes(b"\xff" * 20)
    with pytest.raises(AdapterIncompatible, match="no safetensors"):
        read_adapter("kg", adapter, base)
    weights.rename(weights.with_suffix(".bin"))
    with pytest.raises(ModelMissing, match=r"adapter_model\.safetensors"):
        read_adapter("kg", adapter)
