"""Small Llamas with their own tokenizer, made here: nothing is downloaded.

`make_base` trains the base of the demo's adapters from scratch, on text of the KG and on programs,
never on a question with its program. `save_random` writes one of random weights, with adapters.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.prompts import FOLDER as PROMPTS
from training.packages import package
from training.recipe import Recipe
from training.sft import lora
from utils.progress import shown

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
ADAPTERS = ("route", "write_query", "answer_web")  # of a random model
VOCABULARY = 512  # of a random model
_NAME = re.compile(r'"([^"]+)"')
_FACTS = 120  # characters of facts in a document; with more, the model copies names less well
_PROMPT_SHARE = 10  # copies of our prompts' English in the tokenizer's text


@dataclass(frozen=True, slots=True)
class Shape:
    """How large the model is and how long it is trained."""

    vocabulary: int = 2500
    hidden: int = 128
    layers: int = 4
    inner: int = 384
    context: int = 512
    documents: int = 14000
    steps: int = 600
    batch: int = 24
    length: int = 80
    learning_rate: float = 3e-3
    seed: int = 0


def documents(
    sentences_by_program: Mapping[str, Sequence[str]], count: int, seed: int
) -> list[str]:
    """Texts of the KG: some facts about a thing, then programs that ask for other facts of it.

    A program never stands beside what it returns, and no question is among them.

    Args:
        sentences_by_program: what each program returns, in English.
        count: of the texts.
        seed: the same seed gives the same texts.
    """
    rng = random.Random(seed)
    programs_by_name: dict[str, list[str]] = {}
    for program in sorted(sentences_by_program):
        name = _NAME.search(program)
        programs_by_name.setdefault(name[1] if name else "", []).append(program)
    names = sorted(programs_by_name)
    texts = []
    for _ in range(count):
        programs = programs_by_name[rng.choice(names)]
        chosen = rng.sample(programs, min(len(programs), rng.randint(3, 7)))
        cut = rng.randint(1, max(1, len(chosen) // 2))
        facts: list[str] = []
        for program in chosen[:cut]:
            facts += sentences_by_program[program]
        others = [
            program
            for program in chosen[cut:]
            if set(sentences_by_program[program]).isdisjoint(facts)
        ]
        texts.append("\n".join([" ".join(facts).lower()[:_FACTS], *others]))
    return texts


def make_tokenizer(texts: Iterable[str], vocabulary: int) -> Any:
    """A byte-level BPE tokenizer of `texts` and of our prompts' English."""
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
    english = [file.read_text(encoding="utf-8") for file in sorted(PROMPTS.rglob("*.txt"))]
    tokenizer.train_from_iterator([*texts, *english * _PROMPT_SHARE], trainer)
    return package("transformers").PreTrainedTokenizerFast(
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
    return package("transformers").LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        max_position_embeddings=context,
        bos_token_id=BEGIN,
        eos_token_id=[PAD, END],
        **(shape | other),
    )


def make_base(folder: Path, texts: Sequence[str], shape: Shape) -> None:
    """Write a model trained on `texts`, and its tokenizer, to `folder`."""
    tokenizer = make_tokenizer(texts, shape.vocabulary)
    rows = []
    for text in texts:
        ids = tokenizer(text, add_special_tokens=False)["input_ids"]
        rows.append([BEGIN, *ids, END][: shape.length])
    config = llama_config(
        len(tokenizer),
        layers=shape.layers,
        hidden=shape.hidden,
        context=shape.context,
        intermediate_size=shape.inner,
        num_key_value_heads=shape.hidden // 32,
        tie_word_embeddings=True,
    )
    package("torch").manual_seed(shape.seed)
    model = package("transformers").LlamaForCausalLM(config)
    _train_on(model, rows, shape)
    tokenizer.save_pretrained(str(folder))
    model.save_pretrained(str(folder))


def _train_on(model: Any, rows: Sequence[Sequence[int]], shape: Shape) -> None:
    """Train a model on token ids."""
    torch = package("torch")
    optimizer = torch.optim.AdamW(model.parameters(), lr=shape.learning_rate, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, shape.learning_rate, total_steps=shape.steps + 1, pct_start=0.1
    )
    rng = random.Random(shape.seed)
    model.train()
    for _ in shown(range(shape.steps), "base", shape.steps):
        chosen = [torch.tensor(row) for row in rng.sample(rows, shape.batch)]
        ids = torch.nn.utils.rnn.pad_sequence(chosen, batch_first=True, padding_value=PAD)
        padded = ids == PAD
        labels = ids.masked_fill(padded, -100)
        loss = model(input_ids=ids, attention_mask=~padded, labels=labels).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()


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
    transformers = package("transformers")
    tokenizer = make_tokenizer((), VOCABULARY)
    tokenizer.save_pretrained(folder)
    package("torch").manual_seed(0)
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
        package("peft").get_peft_model(base, random_lora()).save_pretrained(folders[name])
    return folders
