"""Whether memory, threads, open files and latency stay constant over minutes of questions.

The example questions as task 1, 2 and 3, again and again, through `UserModel`, the mock API and the
judge. The status is 1 unless the last fifth of the time has, against the second, at most 5% more
memory and latency and no more threads, files or processes, and nothing is left open at the end.
"""

import os
import sys
import threading
import time
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Annotated

import typer

from benchmarks._command import ROOT, command, show
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
MOST_GROWTH = {"ms per question": 1.05, "MiB": 1.05}  # of all else: none
State = dict[str, float]  # of this process and its children, after a pass through the questions


def state(seconds: float) -> State:
    """The state after a pass that took `seconds` per question."""
    running = children()
    return {
        "ms per question": 1000 * seconds,
        "MiB": sum(megabytes(process, "VmRSS") for process in ("self", *running)),
        "threads": threading.active_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "processes": len(running),
    }


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


def soak(minutes: float) -> tuple[list[State], list[str]]:
    """The state after every pass through three tasks, and the problems found."""
    examples = list(read_examples(EXAMPLES / "questions.jsonl"))[::4]  # a pass takes seconds
    before, problems, states = state(0.0), [], []
    with serve(EXAMPLES / "kg") as url:
        models = [
            UserModel(load_settings(task=int(t), api_url=None if t is Task.WEB else url))
            for t in Task
        ]
        first: dict[int, list[Verdict]] = {}
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            seconds = []
            for number, model in enumerate(models):
                took, verdicts = answer_all(model, examples)
                seconds.append(took)
                if first.setdefault(number, verdicts) != verdicts:
                    problems.append(f"task {number + 1}: verdicts differ between two passes")
            states.append(state(median(seconds)))
        failures = {f"{name}: {count}" for m in models for name, count in m.failures.items()}
    del models, model
    after = state(0.0)
    problems += [f"failures: {failure}" for failure in sorted(failures)]
    for name in ("threads", "files", "processes"):
        if after[name] > before[name]:
            problems.append(f"{after[name] - before[name]} {name} left at the end")
    return states, problems


def fifths(states: Sequence[State]) -> list[State]:
    """The medians of each fifth. Raises InputError where there are too few passes."""
    if len(states) < FIFTHS:
        raise InputError(f"{len(states)} passes in the time; give it more --minutes")
    bounds = [len(states) * i // FIFTHS for i in range(FIFTHS + 1)]
    return [
        {name: median(one[name] for one in states[a:b]) for name in states[0]}
        for a, b in pairwise(bounds)
    ]


@command
def main(minutes: Annotated[float, typer.Option(help="how long")] = 10.0) -> int:
    states, problems = soak(minutes)
    parts = fifths(states)
    rows = ((str(number), *part.values()) for number, part in enumerate(parts, 1))
    show(f"{len(states)} passes", ("fifth", *parts[0]), rows)
    second, last = parts[1], parts[-1]
    problems += [
        f"{name}: {second[name]:.4g} to {last[name]:.4g}"
        for name in second
        if last[name] > MOST_GROWTH.get(name, 1.0) * second[name]
    ]
    print("; ".join(problems) or "all level")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
