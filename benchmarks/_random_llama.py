"""Llamas of random weights, with a tokenizer trained on our prompts: for benchmarks and tests.

Nothing is downloaded. The adapters have the rank, scale and target modules of db3's Table 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.llm.packages import package
from training.small_base import BEGIN, END, PAD, make_tokenizer

TARGETS = ("k_proj", "q_proj", "v_proj", "up_proj", "down_proj", "gate_proj")
ADAPTERS = ("route", "write_query", "answer_web")
VOCABULARY = 512


def make_config(
    vocabulary: int,
    *,
    layers: int = 2,
    hidden: int = 64,
    context: int = 1024,
    scale: float = 0.3,
    **other: Any,
) -> Any:
    """A Llama's config. A larger `scale` of its random weights tells the tokens further apart."""
    shape = {
        "intermediate_size": 2 * hidden,
        "num_attention_heads": hidden // 32,
        "num_key_value_heads": max(1, hidden // 64),
    }
    return package("transformers").LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        max_position_embeddings=context,
        initializer_range=scale,
        bos_token_id=BEGIN,
        eos_token_id=[PAD, END],
        **(shape | other),
    )


def lora_config() -> Any:
    """db3's Table 1. The B matrices are random too: of zeros, an adapter would change nothing."""
    return package("peft").LoraConfig(
        r=8,
        lora_alpha=16,
        target_modules=list(TARGETS),
        bias="none",
        task_type="CAUSAL_LM",
        init_lora_weights=False,
    )


def save(folder: Path, *, adapters: Sequence[str] = ADAPTERS, **shape: Any) -> dict[str, str]:
    """Write a random model to `folder`; the folders of its adapters by their names."""
    torch, transformers, peft = package("torch"), package("transformers"), package("peft")
    tokenizer = make_tokenizer((), VOCABULARY)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = make_config(len(tokenizer), **shape)
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    places = {}
    for name in adapters:
        places[name] = str(folder / "adapters" / name)
        base = transformers.AutoModelForCausalLM.from_pretrained(str(folder))
        peft.get_peft_model(base, lora_config()).save_pretrained(places[name])
    return places
