"""Steps of training on a CPU, with and without `keep_freed_memory`.

Each side runs in processes of its own, in turn: a Llama of SmolLM2's shape and random weights reads
a batch, forward and backward. The status is 1 unless keeping freed memory is faster.
"""

import multiprocessing
import resource
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Annotated

import typer

from benchmarks._command import Json, command, show, write
from benchmarks._random_llama import llama_config
from training.packages import package
from utils.memory import keep_freed_memory

VOCABULARY = 49152
BATCH = 16
TOKENS = 128  # of each text


@dataclass(frozen=True, slots=True)
class Cost:
    """What the steps of one process took.

    Attributes:
        seconds: a step, the median.
        system: seconds of each step in the kernel, the mean.
        peak_mb: the process's peak of memory.
    """

    seconds: float
    system: float
    peak_mb: float


@command
def main(
    steps: Annotated[int, typer.Option(min=1, help="of each process")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="processes of each side")] = 2,
    json_file: Json = None,
) -> int:
    costs: dict[bool, list[Cost]] = {False: [], True: []}
    for _ in range(rounds):
        for keep, cost in costs.items():
            cost.append(_in_a_process(keep, steps))
    figures = {
        "glibc's default": _best(costs[False]),
        "freed memory kept": _best(costs[True]),
    }
    rows = [(name, cost.seconds, cost.system, cost.peak_mb) for name, cost in figures.items()]
    show("A step of training", ("memory", "s", "s in the kernel", "peak, MB"), rows)
    default, kept = figures.values()
    gain = default.seconds / kept.seconds
    print(f"{gain:.2f} times as fast")
    write(json_file, {"gain": gain})
    return 0 if gain > 1 else 1


def _best(costs: list[Cost]) -> Cost:
    return min(costs, key=lambda cost: cost.seconds)


def _in_a_process(keep: bool, steps: int) -> Cost:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(measure, keep, steps).result()


def measure(keep: bool, steps: int) -> Cost:
    """What `steps` cost in this process, after one to warm up."""
    if keep:
        keep_freed_memory()
    torch = package("torch")
    torch.manual_seed(0)
    config = llama_config(
        VOCABULARY,
        layers=30,
        hidden=576,
        context=1024,
        intermediate_size=1536,
        num_attention_heads=9,
        num_key_value_heads=3,
        tie_word_embeddings=True,
    )
    model = package("transformers").LlamaForCausalLM(config)
    ids = torch.randint(VOCABULARY, (BATCH, TOKENS))

    def step() -> None:
        model(input_ids=ids, labels=ids).loss.backward()
        model.zero_grad()

    step()
    before = resource.getrusage(resource.RUSAGE_SELF)
    seconds = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    after = resource.getrusage(resource.RUSAGE_SELF)
    return Cost(
        seconds=statistics.median(seconds),
        system=(after.ru_stime - before.ru_stime) / steps,
        peak_mb=after.ru_maxrss / 1024,
    )


if __name__ == "__main__":
    sys.exit(main())
