"""Adapters are read from their headers, and refused where they do not fit; no torch is needed."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from models.llm.__main__ import main
from models.llm.adapters import check_adapters, find_model, max_rank, read_adapter
from models.llm.errors import AdapterIncompatible, ModelMissing

BASE = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "max_position_embeddings": 512,
    "model_type": "llama",
}


def make_base(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(BASE))
    return folder


def make_adapter(
    folder: Path,
    *,
    rank: int = 8,
    hidden: int = 64,
    keys: int = 32,
    layer: int = 0,
    part: str = "",
    **config: Any,
) -> str:
    """An adapter of k_proj, of the shapes that peft writes; its weights are a header alone."""
    folder.mkdir(parents=True)
    written = {
        "peft_type": "LORA",
        "r": rank,
        "lora_alpha": 16,
        "target_modules": ["v_proj", "k_proj"],
        "base_model_name_or_path": "some/base",
    }
    (folder / "adapter_config.json").write_text(json.dumps(written | config))
    name = f"base_model.model.{part or f'model.layers.{layer}.self_attn.k_proj'}.lora_"
    header = {
        f"{name}A.weight": {"dtype": "F32", "shape": [rank, hidden], "data_offsets": [0, 0]},
        f"{name}B.weight": {"dtype": "F32", "shape": [keys, rank], "data_offsets": [0, 0]},
        "__metadata__": {"format": "pt"},
    }
    content = json.dumps(header).encode()
    file = folder / "adapter_model.safetensors"
    file.write_bytes(struct.pack("<Q", len(content)) + content)
    return str(folder)


def test_one_that_fits_is_what_its_files_say(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    plain = {"use_dora": False, "bias": "none", "modules_to_save": None, "rank_pattern": {"x": 32}}
    [adapter] = check_adapters(base, {"kg": make_adapter(tmp_path / "kg", **plain)})
    assert (adapter.name, adapter.base, adapter.rank) == ("kg", "some/base", 32)
    assert adapter.size > 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hidden": 128}, r"k_proj.*64 inputs"),
        ({"keys": 64}, r"k_proj.*32 outputs"),
        ({"layer": 2}, "layer 2, the model has 2"),
        ({"peft_type": "IA3"}, "only LoRA"),
        ({"use_dora": True}, "use_dora = True"),
        ({"bias": "lora_only"}, "bias = 'lora_only'"),
        ({"modules_to_save": ["lm_head"]}, "modules_to_save"),
        ({"r": 16}, r"\[8, 64\], its config says rank \[16\]"),
        ({"r": None}, "no rank"),
        ({"part": "transformer.h.0.attn.c_attn"}, "none of its tensors"),
    ],
)
def test_one_for_another_model_is_refused(
    tmp_path: Path, wrong: dict[str, Any], message: str
) -> None:
    base = make_base(tmp_path / "base")
    with pytest.raises(AdapterIncompatible, match=message):
        check_adapters(base, {"kg": make_adapter(tmp_path / "kg", **wrong)})


def test_a_file_that_is_no_safetensors_is_refused(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    place = make_adapter(tmp_path / "kg")
    (Path(place) / "adapter_model.safetensors").write_bytes(b"\xff" * 20)
    with pytest.raises(AdapterIncompatible, match="no safetensors"):
        check_adapters(base, {"kg": place})


def test_room_is_made_for_the_highest_rank(tmp_path: Path) -> None:
    adapters = [
        read_adapter("a", make_adapter(tmp_path / str(rank), rank=rank)) for rank in (8, 12, 1024)
    ]
    assert (max_rank(adapters[:1]), max_rank(adapters[:2])) == (8, 16)
    with pytest.raises(AdapterIncompatible, match=r"rank 1024.*up to 512"):
        max_rank(adapters)


def test_what_is_missing_is_said_with_what_belongs_there(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="hf download"):
        find_model(str(tmp_path / "nothing"))


def test_weights_that_are_only_pickles_are_refused(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base")
    (base / "pytorch_model.bin").write_bytes(b"pickle")
    with pytest.raises(ModelMissing, match="is a pickle"):
        find_model(str(base))
    adapter = Path(make_adapter(tmp_path / "kg"))
    (adapter / "adapter_model.safetensors").rename(adapter / "adapter_model.bin")
    with pytest.raises(ModelMissing, match=r"adapter_model\.safetensors"):
        read_adapter("kg", str(adapter))


@pytest.mark.engine
def test_the_command_lists_them_and_says_which_do_not_fit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("vllm", "torch", "transformers", "peft"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    base = make_base(tmp_path / "base")
    good, bad = make_adapter(tmp_path / "good"), make_adapter(tmp_path / "bad", hidden=8)
    settings = tmp_path / "settings.toml"
    settings.write_text(
        f"""
        [llms.default]
        spec = "vllm:{base}"
        [llms.default.adapters]
        good = "{good}"
        [subtasks.route]
        adapter = "good"
        [subtasks.answer_web]
        """
    )
    assert main(["check", "--settings", str(settings)]) == 0
    table = capsys.readouterr().out
    assert "some/base" in table
    assert "for route" in table
    settings.write_text(f'llm = "hf:{base}"\n[llms.default]\nspec = "hf:x"\nadapters.b = "{bad}"')
    assert main(["check", "--settings", str(settings)]) == 2
    assert "64 inputs" in capsys.readouterr().out.replace("\n", " ")
    settings.write_text("nonsense = 1")
    assert main(["check", "--settings", str(settings)]) == 2
