"""Hours of questions, in minutes: do memory, threads, open files and latency stay level?

    python -m benchmarks.soak [--minutes 10]

The example questions as task 1, 2 and 3, again and again, through `UserModel`, the mock API and the
judge. The status is 1 unless the last fifth of the time has, against the second, at most 5% more
memory and latency and no more threads, files or processes, and nothing is left open at the end.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from itertools import cycle
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import ROOT, Json, main_of, show, write
from benchmarks._memory import children, megabytes
from evaluation.dataset import Example, read_examples, to_batch
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from mock_api.process import serve
from models.records import Task
from models.settings import load_settings
from models.user_model import UserModel
from utils.errors import InputError

EXAMPLES = ROOT / "example_data"
FIFTHS = 5
MOST_GROWTH = 1.05


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of this process and its children after one pass through the questions.

    Attributes:
        seconds: of the pass, per question.
        memory: MiB, resident, with that of the children.
        threads, files: of this process.
        processes: children.
    """

    seconds: float
    memory: float
    threads: int
    files: int
    processes: int


def sample(seconds: float) -> Sample:
    running = children()
    return Sample(
        seconds,
        sum(megabytes(process, "VmRSS") for process in ("self", *running)),
        threading.active_count(),
        len(os.listdir("/proc/self/fd")),
        len(running),
    )


def answer_all(model: UserModel, examples: Sequence[Example]) -> tuple[float, list[Verdict]]:
    """Seconds per question, and the verdicts."""
    size = model.get_batch_size()
    started = time.perf_counter()
    verdicts: list[Verdict] = []
    for start in range(0, len(examples), size):
        batch = examples[start : start + size]
        answers = model.batch_generate_answer(to_batch(batch))
        items = [Item(e.id, e.query, e.golds, a) for e, a in zip(batch, answers, strict=True)]
        verdicts += [judgement.verdict for judgement in RulesJudge().judge(items)]
    return (time.perf_counter() - started) / len(examples), verdicts


def soak(minutes: float) -> tuple[list[Sample], list[str]]:
    """A sample for every pass through three tasks, and what was found to be wrong."""
    examples = list(read_examples(EXAMPLES / "questions.jsonl"))[::4]  # a pass takes seconds
    before, problems, samples = sample(0.0), [], []
    with serve(EXAMPLES / "kg") as url:
        models = [
            UserModel(load_settings(task=int(t), api_url=None if t is Task.WEB else url))
            for t in Task
        ]
        first: dict[int, list[Verdict]] = {}
        end = time.monotonic() + 60 * minutes
        seconds = []
        for number, model in cycle(enumerate(models)):
            took, verdicts = answer_all(model, examples)
            seconds.append(took)
            if first.setdefault(number, verdicts) != verdicts:
                problems.append(f"task {number + 1}: verdicts differ between two passes")
            if number == len(models) - 1:
                samples.append(sample(median(seconds)))
                seconds = []
                if time.monotonic() > end:
                    break
        failures = {f"{name}: {count}" for m in models for name, count in m.failures.items()}
    del models, model
    after = sample(0.0)
    problems += [f"failures: {failure}" for failure in sorted(failures)]
    for name in ("threads", "files", "processes"):
        left = getattr(after, name) - getattr(before, name)
        if left > 0:
            problems.append(f"{left} {name} left at the end")
    return samples, problems


def fifths(samples: Sequence[Sample]) -> list[Sample]:
    """The medians of each fifth. Raises InputError where there are too few samples."""
    if len(samples) < FIFTHS:
        raise InputError(f"{len(samples)} passes in the time; give it more --minutes")
    bounds = [len(samples) * i // FIFTHS for i in range(FIFTHS + 1)]
    return [
        Sample(*(median(column) for column in zip(*map(astuple, samples[a:b]), strict=True)))
        for a, b in zip(bounds, bounds[1:], strict=False)
    ]


def growth(second: Sample, last: Sample) -> list[str]:
    """What grew between two fifths."""
    measured = [
        f"{name}: {getattr(second, name):.4g} to {getattr(last, name):.4g}"
        for name in ("seconds", "memory")
        if getattr(last, name) > MOST_GROWTH * getattr(second, name)
    ]
    counted = [
        f"{name}: {getattr(second, name):g} to {getattr(last, name):g}"
        for name in ("threads", "files", "processes")
        if getattr(last, name) > getattr(second, name)
    ]
    return measured + counted


def measure(
    minutes: Annotated[float, typer.Option(help="how long")] = 10.0, json: Json = None
) -> int:
    samples, problems = soak(minutes)
    parts = fifths(samples)
    names = ("fifth", "ms per question", "MiB", "threads", "open files", "processes")
    rows = ((n, 1000 * p.seconds, p.memory, *astuple(p)[2:]) for n, p in enumerate(parts, 1))
    show(f"{len(samples)} passes", names, rows)
    problems += growth(parts[1], parts[-1])
    print("; ".join(problems) or "all level")
    write(json, {"fifths": [asdict(part) for part in parts], "problems": problems})
    return 1 if problems else 0


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
