"""Tokens per second of an engine: one prompt, a batch, and a batch with several LoRA adapters.

`peft` is `hf` with the rows of all adapters in one batch (peft's `adapter_names`), where `hf` has a
batch for each. MODEL is as in the setting `spec`, or tiny or 8b: a model of random weights with
three adapters (8b: Llama 3's shape, 16 GB in the temporary folder). The prompts and answers are as
long as those of db3's three calls. Memory is the GPU's, where there is one.
"""

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import command, show
from benchmarks._memory import peak_mb
from benchmarks._random_llama import SHAPES, save_random
from models.llm.config import LLMSettings
from models.llm.hf import SampledSequence, TransformersLLM
from models.llm.llms import make_llm
from models.llm.protocol import LLM, Message, Prompt
from utils.deadline import Deadline
from utils.errors import InputError

QUESTIONS = 16  # of a batch
CONTEXT = 4608
SHORT_CONTEXT = 512
_BASE = "__base__"  # peft's name of the model without an adapter
_NUMBERS = count()  # no two prompts begin alike: engines remember what they have read


@dataclass(frozen=True, slots=True)
class Call:
    """The tokens of a prompt and of its completion."""

    name: str
    prompt: int
    completion: int


SHORT_CALLS = (Call("short", 100, 32),)
DB3_CALLS = (
    Call("write_query", 2300, 40),
    Call("answer_kg", 250, 20),
    Call("answer_web", 4000, 75),
)


class MixedBatchLLM(TransformersLLM):
    """transformers with prompts of all adapters in one batch, by peft's `adapter_names`."""

    def _batches(self, rows: Sequence[SampledSequence]) -> Iterator[list[SampledSequence]]:
        yield list(rows)

    def _adapted(self, adapter: str | None) -> AbstractContextManager[None]:
        return nullcontext()

    def _run(self, rows: list[SampledSequence], deadline: Deadline) -> None:
        names = [row.prompt.adapter or _BASE for row in rows]
        with self._model._enable_peft_forward_hooks(adapter_names=names):
            super()._run(rows, deadline)


class TimedLLM:
    """An engine and its speed."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._word = llm.count(" film")
        self._template = llm.count_prompt(Prompt((Message("user", "100"),)))

    def prompts(self, call: Call, adapters: Sequence[str | None]) -> list[Prompt]:
        """A batch of prompts, which take turns with the adapters."""
        words = " film" * ((call.prompt - self._template) // self._word)
        prompts = []
        for place in range(QUESTIONS):
            message = Message("user", f"{next(_NUMBERS)}{words}")
            adapter = adapters[place % len(adapters)]
            prompts.append(Prompt((message,), adapter, max_tokens=call.completion))
        return prompts

    def run(self, batches: Sequence[Sequence[Prompt]]) -> str:
        """The tokens written per second, and the seconds, by one batch after the other."""
        tokens = 0
        start = time.perf_counter()
        for batch in batches:
            completions = self._llm.generate(batch, deadline=Deadline.after(600))
            tokens += sum(completion.tokens for completion in completions)
        seconds = time.perf_counter() - start
        return f"{tokens / seconds:.1f} ({seconds:.2f})"


def figures_of(llm: TimedLLM, call: Call, adapters: Sequence[str]) -> dict[str, str]:
    """The figures of a call by the columns of the table."""
    first_token = replace(call, completion=1)
    llm.run([llm.prompts(first_token, adapters or [None])])  # CUDA loads kernels at first use
    ways = {
        "first token": [llm.prompts(first_token, [None])[:1]],
        "alone": [llm.prompts(call, [None])[:1]],
        f"{QUESTIONS}, no adapter": [llm.prompts(call, [None])],
    }
    if adapters:
        mixed = llm.prompts(call, adapters)
        in_turn = llm.prompts(call, adapters)
        ways["one adapter"] = [llm.prompts(call, adapters[:1])]
        ways[f"{len(adapters)} at once"] = [mixed]
        ways[f"{len(adapters)} in turn"] = [
            in_turn[place :: len(adapters)] for place in range(len(adapters))
        ]
    figures = {"call": call.name}
    for way, batches in ways.items():
        figures[way] = llm.run(batches)
    return figures


def in_folder(adapters: Path | None) -> dict[str, str]:
    """The folders of adapters by their names."""
    configs = sorted(adapters.glob("*/adapter_config.json")) if adapters else []
    return {file.parent.name: str(file.parent) for file in configs}


def used_mb() -> float:
    """The peak memory of the GPU, or else of this process and its children."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return float(torch.cuda.max_memory_allocated() / 2**20)
    return peak_mb()


@command
def main(
    llm: Annotated[str, typer.Argument(help="hf:MODEL, peft:MODEL, vllm:MODEL, llamacpp:MODEL")],
    adapters: Annotated[
        Path | None, typer.Option(exists=True, help="a folder with LoRA adapters")
    ] = None,
    cpu: Annotated[bool, typer.Option("--cpu", help="short prompts in place of db3's")] = False,
) -> None:
    engine, _, model = llm.partition(":")
    with tempfile.TemporaryDirectory() as folder:
        adapter_folders = in_folder(adapters)
        if model in SHAPES:
            with ProcessPoolExecutor(1, get_context("spawn")) as maker:  # with its own memory
                adapter_folders = maker.submit(save_random, Path(folder), model, CONTEXT).result()
            model = folder
        if engine == "peft" and not adapter_folders:
            raise InputError(f"{llm} needs the folder of its --adapters")
        settings = LLMSettings(
            f"{'hf' if engine == 'peft' else engine}:{model}",
            adapter_folders,
            context=SHORT_CONTEXT if cpu else CONTEXT,
            batch_tokens=QUESTIONS * CONTEXT,
            eager=cpu,
            slots=QUESTIONS,
        )
        start = time.perf_counter()
        timed = TimedLLM(MixedBatchLLM.load(settings) if engine == "peft" else make_llm(settings))
        seconds = time.perf_counter() - start
        calls = SHORT_CALLS if cpu else DB3_CALLS
        for call in calls:  # shown at once: a later one may exceed the memory
            figures = figures_of(timed, call, list(adapter_folders))
            show(f"{llm}: tokens/s (seconds)", list(figures), [list(figures.values())])
    print(f"ready after {seconds:.1f} s; peak memory {used_mb():.0f} MB")


if __name__ == "__main__":
    sys.exit(main())
