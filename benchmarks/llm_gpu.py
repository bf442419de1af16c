"""Speed and memory of an 8B-shaped Llama of random weights on a GPU in transformers + peft.

It builds the model on the GPU (Llama 3 8B's shape, nothing is downloaded or saved), with three LoRA
adapters of db3's rank and targets, and prints tokens/s and peak memory for 1 and 16 questions:
without peft, with adapters loaded but off, with one adapter, and with three in one batch.
`--size tiny` runs the same on a CPU in seconds.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from benchmarks._command import command
from benchmarks._random_llama import ADAPTERS, VOCABULARY, lora_config
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.packages import package
from models.llm.protocol import Message, Prompt
from training.small_base import llama_config, make_tokenizer
from utils.cli import FAILED
from utils.deadline import Deadline

SIZES: dict[str, dict[str, int]] = {
    "8b": {
        "vocabulary": 128256,
        "layers": 32,
        "hidden": 4096,
        "intermediate_size": 14336,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
    },
    "tiny": {"vocabulary": VOCABULARY, "layers": 2, "hidden": 64},
}
PROMPT_TOKENS, MAX_TOKENS, BATCHES = 1024, 128, (1, 16)
Row = dict[str, Any]  # one measurement; `adapters` says which were used


@command
def main(size: Literal["8b", "tiny"] = "8b") -> int:
    torch = package("torch")
    cuda = torch.cuda.is_available()
    if not cuda and size != "tiny":
        print("no CUDA device here; --size tiny runs on a CPU", file=sys.stderr)
        return FAILED
    model = _build(SIZES[size], cuda)
    weights = sum(p.numel() for p in model.parameters()) / 1e9
    device = torch.cuda.get_device_name() if cuda else "CPU"
    print(f"{device}, {weights:.2f}e9 weights, half, torch {torch.__version__}")
    for row in _measure(model):
        told = (f"{k} {v:.2f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
        print(", ".join(told), flush=True)
    return 0


def _build(shape: dict[str, int], cuda: bool) -> Any:
    """The model, its weights made where they stay."""
    torch, transformers = package("torch"), package("transformers")
    config = llama_config(context=8192, rope_theta=500000.0, **shape)
    torch.manual_seed(0)
    with torch.device("cuda" if cuda else "cpu"):
        return transformers.AutoModelForCausalLM.from_config(config, dtype=torch.half)


def _measure(model: Any) -> Iterator[Row]:
    yield from _cases(model, {"no peft": [None]})
    adapted = package("peft").get_peft_model(
        model, lora_config(), adapter_name=ADAPTERS[0], autocast_adapter_dtype=False
    )
    for name in ADAPTERS[1:]:
        adapted.add_adapter(name, lora_config(), autocast_adapter_dtype=False)
    yield from _cases(adapted, {"off": [None], "one": ADAPTERS[:1], "three": ADAPTERS})


def _cases(model: Any, used: dict[str, Sequence[str | None]]) -> Iterator[Row]:
    chat = Chat(make_tokenizer((), VOCABULARY), PROMPT_TOKENS + MAX_TOKENS + 64)
    llm = TransformersLLM(model, chat, batch_tokens=1 << 20)
    llm.generate(_prompts(llm, 1, [None], 4), deadline=Deadline.after(600))  # warm up
    for label, adapters in used.items():
        for batch in BATCHES:
            yield _case(llm, label, adapters, batch)


def _prompts(
    llm: TransformersLLM, batch: int, adapters: Sequence[str | None], max_tokens: int
) -> list[Prompt]:
    words = " film" * ((PROMPT_TOKENS - 16) // llm.count(" film"))
    return [
        Prompt(
            (Message("user", f"{number}{words}"),),
            adapters[number % len(adapters)],
            max_tokens=max_tokens,
        )
        for number in range(batch)
    ]


def _case(llm: TransformersLLM, label: str, adapters: Sequence[str | None], batch: int) -> Row:
    cuda = package("torch").cuda
    if cuda.is_available():
        cuda.reset_peak_memory_stats()
    seconds = {}
    for max_tokens in (1, MAX_TOKENS):
        prompts = _prompts(llm, batch, adapters, max_tokens)
        before = time.perf_counter()
        done = llm.generate(prompts, deadline=Deadline.after(300))
        seconds[max_tokens] = time.perf_counter() - before
    tokens = sum(one.tokens for one in done)
    return {
        "adapters": label,
        "batch": batch,
        "prompt_tokens": llm.count_prompt(prompts[0]),
        "tokens": tokens,
        "seconds": seconds[MAX_TOKENS],
        "first_seconds": seconds[1],
        "peak_gib": cuda.max_memory_allocated() / (1 << 30) if cuda.is_available() else 0.0,
        "tokens_per_second": tokens / seconds[MAX_TOKENS],
    }


if __name__ == "__main__":
    sys.exit(main())
