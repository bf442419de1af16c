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
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import command
from models.kg.language.grammar import Bounds, constraint_text
from models.llm.config import LLMSettings
from models.llm.factory import make_llm
from models.llm.protocol import LLM, Constraint, ConstraintKind, FinishReason, Message, Prompt
from training.kg import written
from training.small_base import save_random
from utils.deadline import Deadline

QUESTIONS = 16
SUBTASKS = ("route", "write_query", "answer_kg", "answer_web")
TARGETS = {"vllm": 4.0, "hf": 2.0}
CONTEXT = 4096
TOKENS = 32  # that each prompt may write


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
        for name in engines or TARGETS:
            llm = make_llm(LLMSettings(f"{name}:{folder}", adapters, dtype="float32", eager=True))
            found = _programs(llm, programs) if programs else _both(llm)
            print(f"{name}:", ", ".join(f"{key} {value:.4g}" for key, value in found.items()))
            if not _met(found, TARGETS[name]):
                print("  target MISSED")
                status = 1
    return status


def _met(found: dict[str, float], gain: float) -> bool:
    if "asked" in found:
        return found["ended"] >= 0.99 * found["asked"] and found["parsed"] == found["ended"]
    return found["gain"] >= gain


def _both(llm: LLM) -> dict[str, float]:
    """Tokens/s both ways, and their ratio."""
    prompts = [
        Prompt(
            (Message("system", f"{subtask}: be brief"), Message("user", f"{number} a film? " * 8)),
            adapter=subtask,
            max_tokens=TOKENS,
        )
        for number in range(QUESTIONS)
        for subtask in SUBTASKS
    ]
    _rate(llm, [prompts])  # warm up
    _rate(llm, [[prompt] for prompt in prompts[: len(SUBTASKS)]])
    batch, one_by_one = _rate(llm, [prompts]), _rate(llm, [[prompt] for prompt in prompts])
    return {"batch": batch, "one_by_one": one_by_one, "gain": batch / one_by_one}


def _rate(llm: LLM, batches: Sequence[Sequence[Prompt]]) -> float:
    """Tokens/s over `batches`, run in turn."""
    before = time.perf_counter()
    done = [one for batch in batches for one in llm.generate(batch, deadline=Deadline.after(600))]
    return sum(one.tokens for one in done) / (time.perf_counter() - before)


def _programs(llm: LLM, count: int) -> dict[str, float]:
    """How many random programs ended within 256 tokens, and how many of these parsed."""
    bounds = Bounds(statements=2, depth=1, names=2, conditions=2, characters=8)
    grammar = Constraint(ConstraintKind.GRAMMAR, constraint_text(bounds=bounds))
    prompt = Prompt(
        (Message("user", "a film"),),
        max_tokens=256, temperature=1.0, n=count, seed=1, constraint=grammar,
    )  # fmt: skip
    done = llm.generate([prompt], deadline=Deadline.after(600))[0].samples
    ended = [one.text for one in done if one.finish_reason is FinishReason.STOP]
    parsed = sum(written(text) is not None for text in ended)
    return {"asked": count, "ended": len(ended), "parsed": parsed}


if __name__ == "__main__":
    sys.exit(main())
