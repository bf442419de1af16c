"""Adapters are read from their headers, without torch, and refused if they do not fit."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from models.llm.adapters import find_model, max_rank, read_adapter
from models.llm.errors import AdapterIncompatible, ModelMissing

BASE = {"hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4}
BASE["num_key_value_heads"] = 2


def make_base(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BASE))
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")
    return folder


def make_adapter(
    folder: Path, *, rank: int = 8, hidden: int = 64, keys: int = 32, **config: Any
) -> str:
    """An adapter of k_proj with the shapes that peft writes; its weights are only a header."""
    folder.mkdir(parents=True)
    defaults = {"peft_type": "LORA", "r": rank, "base_model_name_or_path": "some/base"}
    (folder / "adapter_config.json").write_text(json.dumps(defaults | config))
    name = "base_model.model.model.layers.0.self_attn.k_proj.lora_"
    header = {
        f"{name}A.weight": {"dtype": "F32", "shape": [rank, hidden], "data_offsets": [0, 0]},
        f"{name}B.weight": {"dtype": "F32", "shape": [keys, rank], "data_offsets": [0, 0]},
    }
    content = json.dumps(header).encode()
    file = folder / "adapter_model.safetensors"
    file.write_bytes(struct.pack("<Q", len(content)) + content)
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
