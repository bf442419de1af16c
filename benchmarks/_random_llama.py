"""Llamas of random weights, with a tokenizer trained on our prompts: for benchmarks and tests.

Nothing is downloaded. The adapters have the rank, scale and target modules of db3's Table 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from training.recipe import Recipe
from training.sft import lora
from training.small_base import llama_config, make_tokenizer
from utils.packages import package

ADAPTERS = ("route", "write_query", "answer_web")
VOCABULARY = 512


def lora_config() -> Any:
    """db3's Table 1. The B matrices are random too: of zeros, an adapter would change nothing."""
    config = lora(Recipe("route"))
    config.init_lora_weights = False
    return config


def save(
    folder: Path,
    *,
    adapters: Sequence[str] = ADAPTERS,
    layers: int = 2,
    hidden: int = 64,
    context: int = 1024,
) -> dict[str, str]:
    """Write a random model to `folder`; the folders of its adapters by their names."""
    torch, transformers, peft = package("torch"), package("transformers"), package("peft")
    tokenizer = make_tokenizer((), VOCABULARY)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = llama_config(
        len(tokenizer), layers=layers, hidden=hidden, context=context,
        initializer_range=0.3,  # large, to tell the tokens further apart
    )  # fmt: skip
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    places = {}
    for name in adapters:
        places[name] = str(folder / "adapters" / name)
        base = transformers.AutoModelForCausalLM.from_pretrained(str(folder))
        peft.get_peft_model(base, lora_config()).save_pretrained(places[name])
    return places
