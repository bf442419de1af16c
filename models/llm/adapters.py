"""LoRA adapters on disk, and whether each fits its base model; no tensor is read."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.llm.errors import AdapterIncompatible, ModelMissing
from utils.model_files import WeightsError, pickled_weights, safetensors_header

_WEIGHTS = "adapter_model.safetensors"
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # the values of vLLM's max_lora_rank
# vLLM serves only adapters with these values in adapter_config.json, or without them.
_PLAIN = {"use_dora": False, "bias": "none", "modules_to_save": None}
_TENSOR = re.compile(r"\.layers\.\d+\.\w+\.(\w+)\.lora_([AB])\.")


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter.

    Attributes:
        base: the model that it says it was trained on.
        rank: the largest of its layers.
        size: in bytes.
    """

    name: str
    folder: Path
    base: str
    rank: int
    size: int


def find_model(path: str) -> Path:
    """The folder of a model. Raises ModelMissing, which says what belongs there; also for weights
    that are pickles."""
    folder = Path(path)
    if not (folder / "config.json").is_file():
        raise ModelMissing(
            f"there is no model at {folder}: download one in Hugging Face's format (config.json, "
            f"*.safetensors, tokenizer files), for example with `hf download "
            f"meta-llama/Meta-Llama-3-8B-Instruct --local-dir {folder}`"
        )
    for pickled in pickled_weights(folder):
        raise ModelMissing(pickled.says)
    return folder


def base_context(folder: Path) -> int:
    """The maximum context of the model in `folder`, in tokens."""
    return int(_json(folder / "config.json").get("max_position_embeddings", 2048))


def read_adapter(name: str, path: str, model: Path | None = None) -> Adapter:
    """What the adapter in the folder `path` is.

    Raises:
        ModelMissing: there is no adapter.
        AdapterIncompatible: it is not plain LoRA, or its tensors are not those of `model`.
    """
    folder = Path(path)
    file = folder / "adapter_config.json"
    if not file.is_file() or not (folder / _WEIGHTS).is_file():
        raise ModelMissing(
            f"there is no adapter {name!r} at {folder}: put the adapter_config.json and "
            f"{_WEIGHTS} there that peft saved"
        )
    config = _json(file)
    if config.get("peft_type") != "LORA":
        raise AdapterIncompatible(f"{name}: only LoRA is served, this is {config.get('peft_type')}")
    for setting, plain in _PLAIN.items():
        if config.get(setting) not in (None, plain, [], False):
            raise AdapterIncompatible(
                f"{name}: only plain LoRA is served, this has {setting} = {config[setting]!r}"
            )
    try:
        ranks = set(map(int, (config["r"], *(config.get("rank_pattern") or {}).values())))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AdapterIncompatible(f"{name}: {file} has no rank `r`: {error!r}") from error
    base = str(config.get("base_model_name_or_path") or "")
    found = Adapter(name, folder, base, max(ranks), (folder / _WEIGHTS).stat().st_size)
    if model and (wrong := _misfit(model, found, ranks)):
        raise AdapterIncompatible(
            f"the adapter {name!r} ({folder}, trained on {base or '?'}) does not fit {model}: "
            f"{wrong}"
        )
    return found


def max_rank(adapters: Sequence[Adapter]) -> int:
    """The value of vLLM's max_lora_rank. Raises AdapterIncompatible where none is enough."""
    most = max(adapters, key=lambda adapter: adapter.rank)
    for rank in _RANKS:
        if most.rank <= rank:
            return rank
    raise AdapterIncompatible(
        f"the adapter {most.name!r} has rank {most.rank}; vLLM serves up to {_RANKS[-1]}"
    )


def _misfit(model: Path, adapter: Adapter, ranks: Collection[int]) -> str | None:
    """The first tensor of `adapter` that is not of the shape of the model's layer, or of none of
    `ranks`, in words."""
    shapes = _linear_shapes(_json(model / "config.json"))
    for tensor, shape in _tensors(adapter.folder / _WEIGHTS).items():
        match = _TENSOR.search(tensor)
        if match is None or match[1] not in shapes:
            continue  # an unknown part: the engine checks it
        into, out = shapes[match[1]]
        if shape[-1] != into if match[2] == "A" else shape[0] != out:
            return f"{tensor} is {shape}, the model's layer has {into} inputs and {out} outputs"
        if shape[0 if match[2] == "A" else -1] not in ranks:
            return f"{tensor} is {shape}, its config says rank {sorted(ranks)}"
    return None


def _linear_shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """(inputs, outputs) of the linear layers in each block of a Llama-like model."""
    if not {"hidden_size", "num_attention_heads", "intermediate_size"} <= config.keys():
        return {}
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    width, inner = config.get("head_dim") or hidden // heads, config["intermediate_size"]
    keys = (config.get("num_key_value_heads") or heads) * width
    return {
        "q_proj": (hidden, heads * width),
        "k_proj": (hidden, keys),
        "v_proj": (hidden, keys),
        "o_proj": (heads * width, hidden),
        "gate_proj": (hidden, inner),
        "up_proj": (hidden, inner),
        "down_proj": (inner, hidden),
    }


def _tensors(file: Path) -> dict[str, list[int]]:
    """The shape of each tensor in a safetensors file, from its header alone."""
    try:
        return {name: row["shape"] for name, row in safetensors_header(file)[1].items()}
    except (WeightsError, LookupError, TypeError) as error:
        raise AdapterIncompatible(f"{file}: its tensors cannot be read: {error}") from error


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelMissing(f"{file} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ModelMissing(f"{file} is not a JSON object")
    return content
