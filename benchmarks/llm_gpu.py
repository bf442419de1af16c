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
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.protocol import Completion, Message, Prompt
from training.small_base import ADAPTERS, VOCABULARY, llama_config, make_tokenizer, random_lora
from utils.cli import FAILED
from utils.deadline import Deadline
from utils.packages import package

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
COLUMNS = ("adapters", "questions", "prompt tokens", "first token s", "s", "peak GiB", "tokens/s")


@command
def main(size: Literal["8b", "tiny"] = "8b") -> int:
    torch, transformers = package("torch"), package("transformers")
    cuda = torch.cuda.is_available()
    if not cuda and size != "tiny":
        print("no CUDA device here; --size tiny runs on a CPU", file=sys.stderr)
        return FAILED
    config = llama_config(context=8192, rope_theta=500000.0, **SIZES[size])
    torch.manual_seed(0)
    with torch.device("cuda" if cuda else "cpu"):  # the weights are made where they stay
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=torch.half)
    weights = sum(p.numel() for p in model.parameters()) / 1e9
    device = torch.cuda.get_device_name() if cuda else "CPU"
    print(f"{device}, {weights:.2f}e9 weights, half, torch {torch.__version__}")
    print(*COLUMNS, sep="\t")
    for row in _measured(model):  # at once: a later one may exceed the memory
        told = (f"{value:.2f}" if isinstance(value, float) else value for value in row)
        print(*told, sep="\t", flush=True)
    return 0


def _measured(model: Any) -> Iterator[Sequence[object]]:
    yield from _cases(model, {"no peft": [None]})
    adapted = package("peft").get_peft_model(
        model, random_lora(), adapter_name=ADAPTERS[0], autocast_adapter_dtype=False
    )
    for name in ADAPTERS[1:]:
        adapted.add_adapter(name, random_lora(), autocast_adapter_dtype=False)
    yield from _cases(adapted, {"off": [None], "one": ADAPTERS[:1], "three": ADAPTERS})


def _cases(model: Any, used: dict[str, Sequence[str | None]]) -> Iterator[Sequence[object]]:
    """A row for each way in which adapters are `used` and each number of questions."""
    chat = Chat(make_tokenizer((), VOCABULARY), PROMPT_TOKENS + MAX_TOKENS + 64)
    llm, cuda = TransformersLLM(model, chat, batch_tokens=1 << 20), package("torch").cuda
    words = " film" * ((PROMPT_TOKENS - 16) // llm.count(" film"))

    def timed(
        questions: int, adapters: Sequence[str | None], tokens: int
    ) -> tuple[list[Completion], float]:
        prompts = [
            Prompt(
                (Message("user", f"{n}{words}"),), adapters[n % len(adapters)], max_tokens=tokens
            )
            for n in range(questions)
        ]
        start = time.perf_counter()
        made = llm.generate(prompts, deadline=Deadline.after(600))
        return made, time.perf_counter() - start

    timed(1, [None], 4)  # warm up
    for label, adapters in used.items():
        for questions in BATCHES:
            if cuda.is_available():
                cuda.reset_peak_memory_stats()
            _, first = timed(questions, adapters, 1)
            made, seconds = timed(questions, adapters, MAX_TOKENS)
            rate = sum(one.tokens for one in made) / seconds
            peak = cuda.max_memory_allocated() / (1 << 30) if cuda.is_available() else 0.0
            yield label, questions, made[0].prompt_tokens, first, seconds, peak, rate


if __name__ == "__main__":
    sys.exit(main())
