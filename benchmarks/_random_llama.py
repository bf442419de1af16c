"""Llamas of random weights, for the shapes, batches and adapters of engines.

What they write means nothing. Transformers makes them; their small tokenizer is made here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from models.prompts import FOLDER as PROMPTS
from training.recipe import Recipe
from training.tuning.base_model import lora
from utils.packages import training_package

# Llama 3's special tokens and chat template, as in its tokenizer_config.json.
SPECIAL = (
    "<|begin_of_text|>",
    "<|end_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
)
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\n\n' }}"
    "{{ message['content'] | trim }}{{ '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)
BEGIN = 0  # ids of special tokens
PAD = 1
END = 4
ADAPTERS = ("route", "write_query", "answer_web")
VOCABULARY = 512


def make_tokenizer() -> Any:
    """A byte-level BPE tokenizer of `VOCABULARY` tokens, trained on our prompts' English."""
    tokenizers = training_package("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=list(SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    english = [file.read_text(encoding="utf-8") for file in sorted(PROMPTS.rglob("*.txt"))]
    tokenizer.train_from_iterator(english, trainer)
    return training_package("transformers").PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[BEGIN],
        eos_token=SPECIAL[END],
        pad_token=SPECIAL[PAD],
        chat_template=TEMPLATE,
        clean_up_tokenization_spaces=False,
    )


def llama_config(vocabulary: int, *, layers: int, hidden: int, context: int, **other: Any) -> Any:
    """A Llama's config, with grouped queries unless `other` fields say otherwise."""
    shape = {
        "intermediate_size": 2 * hidden,
        "num_attention_heads": hidden // 32,
        "num_key_value_heads": max(1, hidden // 64),
    }
    return training_package("transformers").LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        max_position_embeddings=context,
        bos_token_id=BEGIN,
        eos_token_id=[PAD, END],
        **(shape | other),
    )


def random_lora() -> Any:
    """An adapter of db3's Table 1. Its B matrices are random too: of zeros it would change
    nothing."""
    config = lora(Recipe("route"))
    config.init_lora_weights = False
    return config


def save_random(
    folder: Path,
    *,
    adapters: Sequence[str] = ADAPTERS,
    layers: int = 2,
    hidden: int = 64,
    context: int = 1024,
) -> dict[str, str]:
    """The folders of the adapters by their names: of a model of random weights, which is written to
    `folder`."""
    transformers = training_package("transformers")
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    training_package("torch").manual_seed(0)
    config = llama_config(
        len(tokenizer),
        layers=layers,
        hidden=hidden,
        context=context,
        initializer_range=0.3,  # large, to tell the tokens further apart
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    folders = {}
    for name in adapters:
        folders[name] = str(folder / "adapters" / name)
        base = transformers.AutoModelForCausalLM.from_pretrained(str(folder))
        training_package("peft").get_peft_model(base, random_lora()).save_pretrained(folders[name])
    return folders
