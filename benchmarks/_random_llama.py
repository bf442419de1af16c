"""Llamas of random weights, for the shapes, batches and adapters of engines.

What they write means nothing. Transformers makes them; their small tokenizer is made here.
"""

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
SHAPES: dict[str, dict[str, Any]] = {
    "tiny": {
        "vocab_size": VOCABULARY,
        "num_hidden_layers": 2,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_attention_heads": 2,
        "num_key_value_heads": 1,
        "initializer_range": 0.3,  # large, to tell the tokens further apart
    },
    "8b": {  # Llama 3's
        "vocab_size": 128256,
        "num_hidden_layers": 32,
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "dtype": "float16",
    },
}


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


def random_lora() -> Any:
    """An adapter of db3's Table 1. Its B matrices are random too: of zeros it would change
    nothing."""
    config = lora(Recipe("route"))
    config.init_lora_weights = False
    return config


def save_random(folder: Path, shape: str = "tiny", context: int = 1024) -> dict[str, str]:
    """The folders of three adapters by their names: of a model of random weights, which is written
    to `folder`.

    Args:
        folder: an empty folder.
        shape: one of `SHAPES`.
        context: tokens of a prompt and its completion.
    """
    torch = training_package("torch")
    transformers = training_package("transformers")
    make_tokenizer().save_pretrained(folder)
    config = transformers.LlamaConfig(
        max_position_embeddings=context,
        bos_token_id=BEGIN,
        eos_token_id=[PAD, END],
        **SHAPES[shape],
    )
    torch.manual_seed(0)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = transformers.AutoModelForCausalLM.from_config(config)
        model.save_pretrained(folder)
        model = training_package("peft").get_peft_model(model, random_lora(), ADAPTERS[0])
        for name in ADAPTERS[1:]:
            model.add_adapter(name, random_lora())
    model.save_pretrained(folder / "adapters")
    return {name: str(folder / "adapters" / name) for name in ADAPTERS}
