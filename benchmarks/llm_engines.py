"""SmolLM2 in three engines on a CPU: speed, memory, start, and whether they write the same.

transformers (`hf:`) is the reference. Each engine runs in a process of its own, one after the
other: transformers and vLLM on the dequantized weights, llama.cpp on the quantized ones. The
programs of 40 example questions are written greedily, by the base model and by an adapter. The
status is 1 where llama.cpp decodes less than 3 times as fast as transformers, or an engine writes
other texts than it for more than a tenth of the prompts. The base's texts count for engines that
have the same weights: quantized ones soon choose another of two tokens that are nearly as likely.
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import ROOT, Json, command, show, write
from benchmarks._memory import peak_mb
from evaluation.dataset import read_examples
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.gguf_export import export
from models.llm.gguf_model import find_gguf
from models.llm.protocol import LLM, Completion, Message, Prompt
from models.prompts import load_prompt
from utils.deadline import Deadline

ENGINES = ("hf", "vllm", "llamacpp")
LEAST_GAIN = 3.0  # of llama.cpp's decoding over that of transformers
LEAST_SAME = 0.9  # of the texts
QUESTIONS = 40
PROGRAM_TOKENS = 40
READ_TOKENS = 400  # of a long prompt, about
WRITTEN_TOKENS = 64
TOGETHER = 16  # prompts at once
CONTEXT = 1024
_MEMORY = 0.2  # share for vLLM, most of it for its cache; the model needs 1 GB
_REPEATS = 3
_ADAPTER = "write_query"
_EXAMPLES = ROOT / "example_data" / "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Figures:
    """One engine's figures.

    Attributes:
        start: seconds until the first token.
        prefill: tokens read per second, of one prompt.
        decode: tokens written per second, of one prompt.
        together: the same of sixteen prompts at once.
        memory: its peak, in MB.
        base: what the base model wrote for each question.
        adapted: what the adapter wrote.
    """

    start: float
    prefill: float
    decode: float
    together: float
    memory: float
    base: tuple[str, ...]
    adapted: tuple[str, ...]


@command
def main(
    adapter: Annotated[Path, typer.Option(help="a LoRA adapter of write_query for SmolLM2")],
    engines: Annotated[list[str] | None, typer.Option(help="default: all three")] = None,
    json: Json = None,
) -> int:
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        export(find_gguf("smollm2"), Path(folder))
        for name in engines or ENGINES:
            place = "smollm2" if name == "llamacpp" else folder
            settings = LLMSettings(
                f"{name}:{place}",
                {_ADAPTER: str(adapter)},
                context=CONTEXT,
                dtype="float32",
                memory=_MEMORY,
                eager=True,
            )
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                figures[name] = pool.submit(measure, settings).result()
    reference = figures.get("hf")
    columns = "engine|start s|prefill tokens/s|decode tokens/s|16 at once|MB|same base|same adapter"
    rows = []
    met = True
    for name, one in figures.items():
        same_base = _same(one.base, reference.base) if reference else float("nan")
        same_adapted = _same(one.adapted, reference.adapted) if reference else float("nan")
        speeds = (one.start, one.prefill, one.decode, one.together, one.memory)
        rows.append((name, *speeds, same_base, same_adapted))
        same = same_adapted if name == "llamacpp" else min(same_base, same_adapted)
        met = met and (reference is None or same >= LEAST_SAME)
    show(f"SmolLM2-135M, {QUESTIONS} questions", columns.split("|"), rows)
    write(json, {name: asdict(one) for name, one in figures.items()})
    if reference and "llamacpp" in figures:
        gain = figures["llamacpp"].decode / reference.decode
        print(f"llama.cpp decodes {gain:.1f} times as fast as transformers")
        met = met and gain >= LEAST_GAIN
    return 0 if met else 1


def measure(settings: LLMSettings) -> Figures:
    """The figures of one engine, loaded in this process."""
    # vLLM's own process would keep this one from ending.
    os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    begin = time.perf_counter()
    llm = make_llm(settings)
    _generate(llm, [_prompt("Say hello.", 1)])
    start = time.perf_counter() - begin
    # Each text begins differently: no engine has read its beginning before.
    long = [_prompt(f"{number} " + "word " * READ_TOKENS, 1) for number in range(_REPEATS)]
    reading = [_timed(llm, [prompt]) for prompt in long]
    story = [_prompt(f"Write story {number}.", WRITTEN_TOKENS) for number in range(TOGETHER)]
    writing = [_timed(llm, [prompt]) for prompt in story[:_REPEATS]]
    together = _timed(llm, story)
    base, adapted = (_texts(llm, name) for name in (None, _ADAPTER))
    return Figures(
        start=start,
        prefill=max(one.read / one.seconds for one in reading),
        decode=max(one.written / one.seconds for one in writing),
        together=together.written / together.seconds,
        memory=peak_mb(),
        base=base,
        adapted=adapted,
    )


@dataclass(frozen=True, slots=True)
class _Run:
    """Tokens read and written by one call, and its seconds."""

    read: int
    written: int
    seconds: float


def _timed(llm: LLM, prompts: Sequence[Prompt]) -> _Run:
    begin = time.perf_counter()
    completions = _generate(llm, prompts)
    seconds = time.perf_counter() - begin
    read = sum(completion.prompt_tokens for completion in completions)
    return _Run(read, sum(completion.tokens for completion in completions), seconds)


def _texts(llm: LLM, adapter: str | None) -> tuple[str, ...]:
    """What a model writes as programs for the example questions."""
    template = load_prompt("db3/write_query_short")
    prompts = []
    for example in list(read_examples(_EXAMPLES))[:QUESTIONS]:
        messages = template.render({"question": example.query})
        prompts.append(Prompt(messages, adapter, max_tokens=PROGRAM_TOKENS))
    return tuple(completion.text for completion in _generate(llm, prompts))


def _generate(llm: LLM, prompts: Sequence[Prompt]) -> list[Completion]:
    return llm.generate(prompts, deadline=Deadline.after(600))


def _prompt(text: str, tokens: int) -> Prompt:
    return Prompt((Message("user", text),), max_tokens=tokens)


def _same(texts: Sequence[str], reference: Sequence[str]) -> float:
    """The share of texts that are the reference's."""
    same = sum(one == other for one, other in zip(texts, reference, strict=True))
    return same / len(reference)


if __name__ == "__main__":
    sys.exit(main())
