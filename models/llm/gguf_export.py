"""A GGUF model written in Hugging Face's format, which transformers, peft and vLLM read."""

from pathlib import Path
from typing import Any

from models.llm.gguf_model import INSTALL
from utils.packages import package

_FROM_GGUF = "quantization_config"  # what transformers notes in the config of such a model


def export(file: Path, folder: Path) -> None:
    """Write the model in `file` to `folder`: config, tokenizer with chat template, safetensors.

    Quantized weights are dequantized, and kept in half precision.

    Raises:
        MissingPackageError: torch, transformers or gguf is not installed.
    """
    package("gguf", INSTALL)
    torch = package("torch", "-e '.[transformers]'")
    transformers = package("transformers", "-e '.[transformers]'")
    source: dict[str, Any] = {"gguf_file": file.name, "local_files_only": True}
    dequantized = transformers.AutoModelForCausalLM.from_pretrained(
        str(file.parent), dtype=torch.float32, **source
    )
    config = dequantized.config
    if hasattr(config, _FROM_GGUF):
        delattr(config, _FROM_GGUF)
    # A model that was read from GGUF refuses to be saved: its weights go into a new one.
    model = type(dequantized)(config)
    model.load_state_dict(dequantized.state_dict())
    model.generation_config = dequantized.generation_config
    model.half().save_pretrained(str(folder))
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(file.parent), **source)
    # transformers 5.17 takes another token of the file for the end of a turn than the model does.
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(config.eos_token_id)
    tokenizer.save_pretrained(str(folder))
