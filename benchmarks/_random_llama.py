"""Llamas of random weights, with a tokenizer trained on the spot: for benchmarks and tests.

Nothing is downloaded. The adapters have the rank, scale and target modules of db3's Table 1.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.llm.packages import package

TARGETS = ("k_proj", "q_proj", "v_proj", "up_proj", "down_proj", "gate_proj")
ADAPTERS = ("route", "write_query", "answer_web")

# Llama 3's, as in its tokenizer_config.json.
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}"
    "{{ message['content'] | trim }}{{ '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
SPECIAL = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<|reserved_special_token_0|>",
)
TEXTS = ("who directed the film", "the answer is in the passage", 'get_movie("a")["title"]')


def make_tokenizer(vocabulary: int = 512) -> Any:
    """A byte-level BPE tokenizer with Llama 3's special tokens and chat template."""
    tokenizers = package("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=list(SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(list(TEXTS) * 5, trainer)
    return package("transformers").PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[0],
        eos_token=SPECIAL[4],
        pad_token=SPECIAL[1],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


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
        bos_token_id=0,
        eos_token_id=[1, 4],
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
    tokenizer = make_tokenizer()
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
