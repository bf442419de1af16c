"""One mixed batch against one question at a time with `set_adapter`, as db3 had to do it.

It makes a random Llama with four adapters, asks 16 questions through four subtasks, each with its
own adapter, both ways on the same engine, and prints the throughputs. `--programs 1000` instead
lets the untrained model write that many programs under the KG language's grammar, and counts those
that end within 256 tokens, and of these those that parse. The status is 1 where a target is missed.
On a CPU, vLLM starts fastest with VLLM_ENABLE_V1_MULTIPROCESSING=0 VLLM_CPU_KVCACHE_SPACE=1 in the
environment.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import command
from benchmarks._random_llama import save_random
from models.kg.language.grammar import Bounds, constraint_text
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM, Constraint, ConstraintKind, FinishReason, Message, Prompt
from training.kg import canonical
from utils.deadline import Deadline

QUESTIONS = 16
SUBTASKS = ("route", "write_query", "answer_kg", "answer_web")
LEAST_GAINS = {"vllm": 4.0, "hf": 2.0}
LEAST_ENDED = 0.99  # of the programs
CONTEXT = 4096
TOKENS = 32  # that each prompt may write
PROGRAM_TOKENS = 256


@dataclass(frozen=True, slots=True)
class Throughputs:
    """Tokens/s of one batch, and of one prompt after the other."""

    batch: float
    one_by_one: float

    @property
    def gain(self) -> float:
        """How many times faster the batch is."""
        return self.batch / self.one_by_one

    def in_words(self) -> str:
        """The figures in one line."""
        return f"batch {self.batch:.4g}, one_by_one {self.one_by_one:.4g}, gain {self.gain:.4g}"


@dataclass(frozen=True, slots=True)
class RandomPrograms:
    """Random programs: how many were requested, ended in time, and of these could be parsed."""

    requested: int
    ended: int
    parsed: int

    @property
    def meet_target(self) -> bool:
        """Whether nearly all ended, and all of these can be parsed."""
        return self.ended >= LEAST_ENDED * self.requested and self.parsed == self.ended

    def in_words(self) -> str:
        """The figures in one line."""
        return f"requested {self.requested}, ended {self.ended}, parsed {self.parsed}"


@command
def main(
    engines: Annotated[list[str] | None, typer.Option(help="vllm, hf; default: both")] = None,
    programs: Annotated[int, typer.Option(help="write so many random programs instead")] = 0,
) -> int:
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        adapters = save_random(
            Path(folder), adapters=SUBTASKS, layers=4, hidden=256, context=CONTEXT
        )
        for name in engines or LEAST_GAINS:
            llm = make_llm(LLMSettings(f"{name}:{folder}", adapters, dtype="float32", eager=True))
            if programs:
                random_programs = write_programs(llm, programs)
                figures = random_programs.in_words()
                met = random_programs.meet_target
            else:
                throughputs = measure_both_ways(llm)
                figures = throughputs.in_words()
                met = throughputs.gain >= LEAST_GAINS[name]
            print(f"{name}:", figures)
            if not met:
                print("  target MISSED")
                status = 1
    return status


def measure_both_ways(llm: LLM) -> Throughputs:
    """The throughput of all prompts in one batch, and of one prompt after the other."""
    prompts = []
    for number in range(QUESTIONS):
        for subtask in SUBTASKS:
            system = Message("system", f"{subtask}: be brief")
            user = Message("user", f"{number} a film? " * 8)
            prompts.append(Prompt((system, user), adapter=subtask, max_tokens=TOKENS))
    one_by_one = [[prompt] for prompt in prompts]
    _tokens_per_second(llm, [prompts])  # warm up
    _tokens_per_second(llm, one_by_one[: len(SUBTASKS)])
    return Throughputs(_tokens_per_second(llm, [prompts]), _tokens_per_second(llm, one_by_one))


def _tokens_per_second(llm: LLM, batches: Sequence[Sequence[Prompt]]) -> float:
    """Over `batches`, run in turn."""
    tokens = 0
    start = time.perf_counter()
    for batch in batches:
        completions = llm.generate(batch, deadline=Deadline.after(600))
        tokens += sum(completion.tokens for completion in completions)
    return tokens / (time.perf_counter() - start)


def write_programs(llm: LLM, count: int) -> RandomPrograms:
    """How many random programs ended within 256 tokens, and how many of these parsed."""
    bounds = Bounds(statements=2, depth=1, names=2, conditions=2, characters=8)
    prompt = Prompt(
        (Message("user", "a film"),),
        max_tokens=PROGRAM_TOKENS,
        temperature=1.0,
        n=count,
        seed=1,
        constraint=Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds=bounds)),
    )
    (completion,) = llm.generate([prompt], deadline=Deadline.after(600))
    ended = [each.text for each in completion.samples if each.finish_reason is FinishReason.STOP]
    parsed = [text for text in ended if canonical(text) is not None]
    return RandomPrograms(count, len(ended), len(parsed))


if __name__ == "__main__":
    sys.exit(main())
