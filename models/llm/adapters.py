"""LoRA adapters on disk, and whether each fits its base model; only headers are read."""

import importlib.util
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.llm.errors import AdapterIncompatible, ModelMissing
from models.llm.gguf_model import read_config
from utils.lfs import pointer_problem
from utils.model_files import (
    WeightsError,
    model_hash,
    pickled_weights,
    read_tensors,
    safetensors_header,
    stated_size,
)

WEIGHTS = "adapter_model.safetensors"
CARD = "training.json"  # beside them: what an adapter was made of
_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # the values of vLLM's max_lora_rank
# A plain adapter has these values in adapter_config.json, or lacks the fields: it is added to the
# weights of its base, and nothing else.
_PLAIN_LORA = {
    "use_dora": False,
    "bias": "none",
    "lora_bias": False,
    "modules_to_save": None,
    "layer_replication": None,
    "use_qalora": False,
    "alora_invocation_tokens": None,
    "trainable_token_indices": None,
}
_NOT_PLAIN = "merge it into its base (peft's merge_and_unload) and serve that model without it"
# Ways to begin (`init_lora_weights`) that change the base, too: the adapter alone is half of it.
_CHANGED_BASE = ("pissa", "olora", "corda", "loftq")
_CONVERT = (
    "save it for the base as it was: peft's save_pretrained(…, "
    "path_initial_model_for_weight_conversion=…)"
)
_TENSOR = re.compile(r"\.layers\.(\d+)\.\w+\.(\w+)\.lora_([AB])\.")
_LORA = re.compile(r"\.lora_(?:[AB]|embedding_[AB])\b")


@dataclass(frozen=True, slots=True)
class Adapter:
    """A LoRA adapter.

    Attributes:
        name: its name in the settings.
        folder: its files.
        base: the model on which it was trained, by its config.
        rank: the largest rank of its layers.
        size: of its weights, in bytes.
    """

    name: str
    folder: Path
    base: str
    rank: int
    size: int


def find_model(path: str) -> Path:
    """The folder of a model.

    Raises:
        ModelMissing: there is no model, or its weights are pickles; the message has the remedy.
    """
    folder = Path(path)
    if not (folder / "config.json").is_file():
        raise ModelMissing(
            f"there is no model at {folder}: download it in Hugging Face's format (config.json, "
            f"*.safetensors, tokenizer files): `hf download ORGANISATION/{folder.name} "
            f"--local-dir {folder}`"
        )
    for pickled in pickled_weights(folder):
        raise ModelMissing(pickled.says)
    if not any(folder.glob("*.safetensors")):
        raise ModelMissing(f"{folder} has a config.json and no weights (*.safetensors)")
    return folder


def base_context(folder: Path) -> int:
    """The maximum context of the model in `folder`, in tokens."""
    return int(_json_object(folder / "config.json").get("max_position_embeddings", 2048))


def read_adapter(name: str, path: str, model: Path | None = None) -> Adapter:
    """The adapter in the folder `path`.

    Args:
        name: its name in the settings.
        path: its folder.
        model: its base model, a folder or a GGUF file; None: its tensors are not compared with a
            model.

    Raises:
        ModelMissing: there is no adapter.
        AdapterIncompatible: it is not plain LoRA, or its tensors do not fit `model`.
    """
    folder = Path(path).absolute()  # a message must say where it was looked for
    file = folder / "adapter_config.json"
    if not file.is_file() or not (folder / WEIGHTS).is_file():
        raise ModelMissing(
            f"there is no adapter {name!r} at {folder}: put the adapter_config.json and "
            f"{WEIGHTS} there that peft saved"
        )
    config = _json_object(file)
    if config.get("peft_type") != "LORA":
        raise AdapterIncompatible(f"{name}: only LoRA is served, this is {config.get('peft_type')}")
    for setting, plain_value in _PLAIN_LORA.items():
        value = config.get(setting)
        if value not in (None, plain_value, [], False):
            raise AdapterIncompatible(
                f"{name}: only plain LoRA is served, this has {setting} = {value!r}: {_NOT_PLAIN}"
            )
    start = str(config.get("init_lora_weights", "")).lower()
    if start.startswith(_CHANGED_BASE):
        raise AdapterIncompatible(
            f"{name}: init_lora_weights = {start!r} changed its base, too: {_CONVERT}"
        )
    if not isinstance(config.get("lora_alpha"), (int, float)):
        raise AdapterIncompatible(f"{name}: {file} has no lora_alpha: copy the config again")
    try:
        rank_pattern = config.get("rank_pattern") or {}
        ranks = {int(rank) for rank in (config["r"], *rank_pattern.values())}
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise AdapterIncompatible(f"{name}: {file} has no rank `r`: {error!r}") from error
    base = str(config.get("base_model_name_or_path") or "")
    size = (folder / WEIGHTS).stat().st_size
    damage = _damage(folder / WEIGHTS)
    if damage:
        raise AdapterIncompatible(f"{name}: {damage}")
    adapter = Adapter(name, folder, base, max(ranks), size)
    misfit = _misfit(model, adapter, ranks) if model else None
    if misfit:
        raise AdapterIncompatible(
            f"the adapter {name!r} ({folder}, trained on {base or '?'}) does not fit {model}: "
            f"{misfit}"
        )
    return adapter


def name_of_model(model: Path) -> str:
    """What a model calls itself; empty if it does not say."""
    if model.suffix == ".gguf":
        is_readable = importlib.util.find_spec("gguf") is not None
        return str(read_config(model).get("name", "")) if is_readable else ""
    return str(_json_object(model / "config.json").get("_name_or_path") or "")


def is_of_other_weights(adapter: Adapter, model: Path) -> bool:
    """Whether an adapter's card has the hash of its base, and a model's folder has another. A GGUF
    file has other weights than the folder that it was made of: nothing is known."""
    card = adapter.folder / CARD
    stated = _json_object(card).get("base_sha256") if card.is_file() else None
    return bool(stated) and model.is_dir() and stated != model_hash(model)


def is_same_model(name: str, other: str) -> bool:
    """Whether two names may be of one model: without organisation, case and signs, one begins with
    the other.

    >>> is_same_model("HuggingFaceTB/SmolLM2-135M-Instruct", "smollm2 135m instruct")
    True
    >>> is_same_model("meta-llama/Llama-3.2-1B", "Llama 3.2 3B Instruct")
    False
    """
    short, long = sorted((_letters_of(name), _letters_of(other)), key=len)
    return not short or long.startswith(short)


def _letters_of(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.rstrip("/").rpartition("/")[2].lower())


def max_rank(adapters: Sequence[Adapter]) -> int:
    """The value of vLLM's max_lora_rank.

    Raises:
        AdapterIncompatible: an adapter has a higher rank than vLLM serves.
    """
    largest = max(adapters, key=lambda adapter: adapter.rank)
    for rank in _RANKS:
        if largest.rank <= rank:
            return rank
    raise AdapterIncompatible(
        f"the adapter {largest.name!r} has rank {largest.rank}; vLLM serves up to {_RANKS[-1]}"
    )


def _damage(file: Path) -> str | None:
    """What is wrong with an adapter's weights, whatever their base; None: nothing."""
    problem = pointer_problem(file)
    if problem:
        return problem
    stated = stated_size(file)
    if stated is not None and stated > file.stat().st_size:
        return f"{file} is truncated: it has {file.stat().st_size:,} of {stated:,} bytes"
    if not any(map(_LORA.search, _tensor_shapes(file))):
        return f"{file} has no LoRA tensors"
    return None


def has_numbers(adapter: Adapter) -> bool:
    """Whether all weights of an adapter are finite; reads them all.

    Raises:
        WeightsError: they cannot be read.
    """
    import numpy as np

    tensors = read_tensors(adapter.folder / WEIGHTS)
    return all(bool(np.isfinite(values).all()) for _, values in tensors)


def _misfit(model: Path, adapter: Adapter, ranks: Collection[int]) -> str | None:
    """The first tensor of `adapter` whose shape does not fit, in words; None if all fit.

    A layer with `into` inputs and `out` outputs has the tensors A of (rank, into) and B of
    (out, rank).
    """
    config = read_config(model) if model.suffix == ".gguf" else _json_object(model / "config.json")
    layers = _linear_shapes(config)
    for tensor, shape in _tensor_shapes(adapter.folder / WEIGHTS).items():
        match = _TENSOR.search(tensor)
        if match is None:
            continue  # an unknown part: the engine checks it
        layer, part, side = match.groups()
        depth = config.get("num_hidden_layers")
        if isinstance(depth, int) and int(layer) >= depth:
            return f"{tensor} is of layer {layer}, the model has {depth} layers (from 0)"
        if part not in layers:
            continue
        into, out = layers[part]
        if side == "A":
            fits = shape[-1] == into
            rank = shape[0]
        else:
            fits = shape[0] == out
            rank = shape[-1]
        if not fits:
            return f"{tensor} is {shape}, the model's layer has {into} inputs and {out} outputs"
        if rank not in ranks:
            return f"{tensor} is {shape}, its config says rank {sorted(ranks)}"
    return None


def _linear_shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """(inputs, outputs) of the linear layers in each block of a Llama-like model.

    Empty for a model of another kind.
    """
    if not {"hidden_size", "num_attention_heads", "intermediate_size"} <= config.keys():
        return {}
    hidden = config["hidden_size"]
    inner = config["intermediate_size"]
    heads = config["num_attention_heads"]
    key_heads = config.get("num_key_value_heads") or heads
    head_width = config.get("head_dim") or hidden // heads
    queries = heads * head_width
    keys = key_heads * head_width
    return {
        "q_proj": (hidden, queries),
        "k_proj": (hidden, keys),
        "v_proj": (hidden, keys),
        "o_proj": (queries, hidden),
        "gate_proj": (hidden, inner),
        "up_proj": (hidden, inner),
        "down_proj": (inner, hidden),
    }


def _tensor_shapes(file: Path) -> dict[str, list[int]]:
    """The shape of each tensor in a safetensors file, by its header."""
    try:
        _, rows = safetensors_header(file)
        return {name: row["shape"] for name, row in rows.items()}
    except (WeightsError, LookupError, TypeError) as error:
        raise AdapterIncompatible(f"{file}: its tensors cannot be read: {error}") from error


def _json_object(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelMissing(f"{file} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise ModelMissing(f"{file} is not a JSON object")
    return content
