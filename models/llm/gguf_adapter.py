"""LoRA adapters of peft, converted once to llama.cpp's format."""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.llm.adapters import WEIGHTS, Adapter, read_adapter
from models.llm.errors import AdapterIncompatible
from models.llm.gguf_model import INSTALL, read_config
from utils.model_files import read_tensors, sha256
from utils.packages import package

# The layers of a Llama: their names in peft, and in GGUF.
_LAYERS = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
_ARCHITECTURE = "llama"  # GGUF's name; others order the rows of queries and keys otherwise
_HEADS = {"q_proj": "num_attention_heads", "k_proj": "num_key_value_heads"}
_TENSOR = re.compile(r"\.layers\.(?P<block>\d+)\.\w+\.(?P<layer>\w+)\.lora_(?P<part>[AB])\.")
_FORMAT = "1"  # of the files written here; part of their names
_SHORT_HASH = 16  # characters

Tensor = NDArray[Any]


def converted_adapter(name: str, path: str, model: Path) -> Path:
    """The adapter in peft's folder `path` as a GGUF file for `model`.

    The file lies in that folder, or where nothing can be written there, in the user's cache
    (`~/.cache/crag`); its name has a hash of adapter and model, so that it is made once.

    Raises:
        ModelMissing: there is no adapter.
        AdapterIncompatible: it does not fit the model, or llama.cpp cannot serve its kind.
        MissingPackageError: gguf is not installed.
    """
    adapter = read_adapter(name, path)
    file_name = f"adapter-{_hash_of(adapter, model)}.gguf"
    file = adapter.folder / file_name
    if not file.is_file() and not os.access(adapter.folder, os.W_OK):
        file = Path.home() / ".cache" / "crag" / file_name
    if file.is_file():
        return file
    read_adapter(name, path, model)  # raises if it does not fit
    config = read_config(model)
    if config["architecture"] != _ARCHITECTURE:
        raise AdapterIncompatible(
            f"{name}: adapters are converted for Llama models, and {model.name} is one of the kind "
            f"{config['architecture']!r}"
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    _write_whole(file, adapter, config)
    return file


def _hash_of(adapter: Adapter, model: Path) -> str:
    """A hash of what the file depends on; of the model, only its name and size."""
    digest = hashlib.sha256()
    for part in (
        _FORMAT,
        sha256(adapter.folder / WEIGHTS),
        sha256(adapter.folder / "adapter_config.json"),
        model.name,
        str(model.stat().st_size),
    ):
        digest.update(part.encode() + b"\0")
    return digest.hexdigest()[:_SHORT_HASH]


def _write_whole(file: Path, adapter: Adapter, config: Mapping[str, Any]) -> None:
    """Write the file as a whole or not at all."""
    with tempfile.TemporaryDirectory(dir=file.parent) as work:
        unfinished = Path(work) / file.name
        _write(unfinished, adapter, config)
        unfinished.rename(file)


def _write(file: Path, adapter: Adapter, config: Mapping[str, Any]) -> None:
    writer = package("gguf", INSTALL).GGUFWriter(file, arch=config["architecture"])
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", _alpha(adapter))
    for name, tensor in _tensors(adapter, config):
        writer.add_tensor(name, tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _alpha(adapter: Adapter) -> float:
    """The alpha that gives peft's scale; llama.cpp divides it by the rank.

    Raises:
        AdapterIncompatible: layers have different scales.
    """
    config = json.loads((adapter.folder / "adapter_config.json").read_text(encoding="utf-8"))
    if config.get("alpha_pattern") or config.get("rank_pattern"):
        raise AdapterIncompatible(
            f"{adapter.name}: llama.cpp serves adapters with one rank and one alpha for all layers"
        )
    alpha = float(config["lora_alpha"])
    return alpha * adapter.rank**0.5 if config.get("use_rslora") else alpha


def _tensors(adapter: Adapter, config: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Name and values of each tensor: A of (rank, inputs), B of (outputs, rank), both float32."""
    for name, tensor in read_tensors(adapter.folder / WEIGHTS):
        match = _TENSOR.search(name)
        if match is None or match["layer"] not in _LAYERS:
            raise AdapterIncompatible(f"{adapter.name}: llama.cpp serves no adapter of {name}")
        layer = match["layer"]
        values = tensor.astype(np.float32)
        if match["part"] == "B" and layer in _HEADS:
            values = _permuted(values, int(config[_HEADS[layer]]))
        yield f"blk.{match['block']}.{_LAYERS[layer]}.weight.lora_{match['part'].lower()}", values


def _permuted(values: Tensor, heads: int) -> Tensor:
    """The rows of a query or key layer in llama.cpp's order.

    Rotary embeddings pair the rows i and i + half of a head in Hugging Face's order, and
    neighbouring rows in llama.cpp's.
    """
    outputs, rank = values.shape
    by_half = values.reshape(heads, 2, outputs // heads // 2, rank)
    return np.ascontiguousarray(by_half.swapaxes(1, 2).reshape(outputs, rank))
