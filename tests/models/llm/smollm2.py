"""The real small model in llama.cpp, with adapters of random weights, made without torch."""

import json
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from models.llm.config import LLMSettings
from models.llm.errors import LLMError
from models.llm.gguf_model import find_gguf
from models.llm.llamacpp import LlamaCppLLM

HIDDEN = 576
INNER = 1536
KEYS = 192
BLOCKS = 30
SHAPES = {  # (inputs, outputs)
    "self_attn.q_proj": (HIDDEN, HIDDEN),
    "self_attn.k_proj": (HIDDEN, KEYS),
    "mlp.down_proj": (INNER, HIDDEN),
}
RANK = 4
CONTEXT = 512


def random_adapter(folder: Path, seed: int) -> str:
    """A LoRA adapter that changes what the model writes, in peft's format."""
    rng = np.random.default_rng(seed)
    header: dict[str, object] = {}
    content = b""
    for block in range(BLOCKS):
        for layer, (inputs, outputs) in SHAPES.items():
            name = f"base_model.model.model.layers.{block}.{layer}.lora_"
            for part, shape in (("A", (RANK, inputs)), ("B", (outputs, RANK))):
                values = rng.normal(0.0, 0.06, shape).astype("<f2").tobytes()
                header[f"{name}{part}.weight"] = {
                    "dtype": "F16",
                    "shape": shape,
                    "data_offsets": [len(content), len(content) + len(values)],
                }
                content += values
    folder.mkdir(parents=True)
    head = json.dumps(header).encode()
    weights = struct.pack("<Q", len(head)) + head + content
    (folder / "adapter_model.safetensors").write_bytes(weights)
    layers = [layer.rpartition(".")[2] for layer in SHAPES]
    config = {"peft_type": "LORA", "r": RANK, "lora_alpha": 2 * RANK, "target_modules": layers}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    return str(folder)


def write_float32(file: Path, out: Path) -> None:
    """Write a quantized model with dequantized weights."""
    import gguf

    reader = gguf.GGUFReader(file)
    writer = gguf.GGUFWriter(out, "llama")
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in (
            "general.architecture",
            "general.file_type",
        ):
            item_type = field.types[1] if len(field.types) > 1 else None
            writer.add_key_value(name, field.contents(), field.types[0], item_type)
    for tensor in reader.tensors:
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, values.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The model's file; the test is skipped where the packages are not installed."""
    for name in ("xllamacpp", "gguf"):
        pytest.importorskip(name, reason=f"{name} is not installed: the extra llamacpp")
    try:
        return find_gguf("smollm2")
    except LLMError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def random_adapters(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("adapters")
    return {name: random_adapter(folder / name, seed) for seed, name in enumerate("ab")}


def load(adapters: dict[str, str], **settings: object) -> LlamaCppLLM:
    # More threads than one wait for each other where tests run side by side.
    fields: dict[str, object] = {"context": CONTEXT, "slots": 2, "threads": 1, **settings}
    return LlamaCppLLM.load(LLMSettings("llamacpp:smollm2", adapters, **fields))  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def llamacpp(random_adapters: dict[str, str]) -> Iterator[LlamaCppLLM]:
    yield load(random_adapters)
