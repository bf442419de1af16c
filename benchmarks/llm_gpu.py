"""Speed and memory of an 8B-shaped Llama of random weights on a GPU in transformers + peft.

It builds the model on the GPU (Llama 3 8B's shape, nothing is downloaded or saved), with three LoRA
adapters of db3's rank and targets, and prints tokens/s and peak memory of db3's three calls for 1
and 16 questions: without peft, with adapters loaded but off, with one adapter, and with three in
one batch. The last lines say how long a batch of 16 questions takes, by all calls together.
`--size tiny` runs the same on a CPU in seconds.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass
from itertools import product
from typing import Any, Literal

from benchmarks._command import command
from benchmarks._random_llama import (
    ADAPTERS,
    VOCABULARY,
    llama_config,
    make_tokenizer,
    random_lora,
)
from models.llm.chat import Chat
from models.llm.hf import TransformersLLM
from models.llm.protocol import Completion, Message, Prompt
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
BATCHES = (1, 16)  # questions
LIMIT_S = 30.0  # the contest's limit for an answer
COLUMNS = (
    "adapters",
    "call",
    "questions",
    "prompt tokens",
    "first token s",
    "s",
    "peak GiB",
    "tokens/s",
)


@dataclass(frozen=True, slots=True)
class CallShape:
    """The tokens of a call's prompt and of its completion."""

    name: str
    prompt: int
    completion: int


DB3_CALLS = (
    CallShape("write_query", 2300, 40),
    CallShape("answer_kg", 250, 20),
    CallShape("answer_web", 4000, 75),
)


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """One line of the table: `COLUMNS`."""

    adapters: str
    call: str
    questions: int
    prompt_tokens: int
    first_token_s: float
    seconds: float
    peak_gib: float
    tokens_per_second: float


@command
def main(size: Literal["8b", "tiny"] = "8b") -> int:
    torch = package("torch")
    cuda = torch.cuda.is_available()
    if not cuda and size != "tiny":
        print("no CUDA device here; --size tiny runs on a CPU", file=sys.stderr)
        return FAILED
    config = llama_config(context=8192, rope_theta=500000.0, **SIZES[size])
    torch.manual_seed(0)
    with torch.device("cuda" if cuda else "cpu"):  # the weights are made where they stay
        factory = package("transformers").AutoModelForCausalLM
        model = factory.from_config(config, dtype=torch.half)
    weights = sum(parameter.numel() for parameter in model.parameters()) / 1e9
    device = torch.cuda.get_device_name() if cuda else "CPU"
    libraries = f"torch {torch.__version__}, transformers {package('transformers').__version__}"
    print(f"{device}, {weights:.2f}e9 weights, half, {libraries}")
    print(*COLUMNS, sep="\t")
    batch_seconds: defaultdict[str, float] = defaultdict(float)
    for row in _measured_rows(model):  # at once: a later one may exceed the memory
        print(*map(_column_text, astuple(row)), sep="\t", flush=True)
        if row.questions == max(BATCHES):
            batch_seconds[row.adapters] += row.seconds
    for adapters, seconds in batch_seconds.items():
        print(
            f"{adapters}: all calls for {max(BATCHES)} questions take {seconds:.1f} s; "
            f"{LIMIT_S:.0f} s are {LIMIT_S / seconds:.1f} times that"
        )
    return 0


def _column_text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _measured_rows(model: Any) -> Iterator[GenerationRow]:
    yield from _rows_of_model(model, {"no peft": [None]})
    adapted = package("peft").get_peft_model(
        model, random_lora(), adapter_name=ADAPTERS[0], autocast_adapter_dtype=False
    )
    for name in ADAPTERS[1:]:
        adapted.add_adapter(name, random_lora(), autocast_adapter_dtype=False)
    yield from _rows_of_model(adapted, {"off": [None], "one": ADAPTERS[:1], "three": ADAPTERS})


class TimedModel:
    """A model whose answers to prompts of one length are timed."""

    def __init__(self, model: Any) -> None:
        most_tokens = max(call.prompt + call.completion for call in DB3_CALLS)
        chat = Chat(make_tokenizer(), most_tokens + 64)
        self._llm = TransformersLLM(model, chat, batch_tokens=1 << 20)
        self._tokens_per_word = self._llm.count(" film")

    def ask(
        self, questions: int, adapters: Sequence[str | None], prompt_tokens: int, max_tokens: int
    ) -> tuple[list[Completion], float]:
        """The completions, and the seconds; the prompts take turns with the adapters."""
        words = " film" * ((prompt_tokens - 16) // self._tokens_per_word)
        prompts = []
        for number in range(questions):
            message = Message("user", f"{number}{words}")
            adapter = adapters[number % len(adapters)]
            prompts.append(Prompt((message,), adapter, max_tokens=max_tokens))
        start = time.perf_counter()
        completions = self._llm.generate(prompts, deadline=Deadline.after(600))
        return completions, time.perf_counter() - start


def _rows_of_model(
    model: Any, adapters_by_label: dict[str, Sequence[str | None]]
) -> Iterator[GenerationRow]:
    """A row for each way in which adapters are used, each call and each number of questions."""
    timed = TimedModel(model)
    cuda = package("torch").cuda
    for call, questions in product(DB3_CALLS, BATCHES):
        timed.ask(questions, [None], call.prompt, 2)  # CUDA loads kernels when they are first used
    for (label, adapters), call, questions in product(
        adapters_by_label.items(), DB3_CALLS, BATCHES
    ):
        if cuda.is_available():
            cuda.reset_peak_memory_stats()
        _, first_token_s = timed.ask(questions, adapters, call.prompt, 1)
        completions, seconds = timed.ask(questions, adapters, call.prompt, call.completion)
        tokens = sum(completion.tokens for completion in completions)
        peak = cuda.max_memory_allocated() / (1 << 30) if cuda.is_available() else 0.0
        yield GenerationRow(
            adapters=label,
            call=call.name,
            questions=questions,
            prompt_tokens=completions[0].prompt_tokens,
            first_token_s=first_token_s,
            seconds=seconds,
            peak_gib=peak,
            tokens_per_second=tokens / seconds,
        )


if __name__ == "__main__":
    sys.exit(main())
