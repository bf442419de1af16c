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
ProcessState = dict[str, float]  # of this process and its children, after a pass


def state(seconds: float) -> ProcessState:
    """The state after a pass through the questions that took `seconds` per question."""
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
        items = [
            Item(example.id, example.query, example.golds, answer)
            for example, answer in zip(batch, answers, strict=True)
        ]
        verdicts += [judgement.verdict for judgement in RulesJudge().judge(items)]
    return (time.perf_counter() - started) / len(examples), verdicts


def soak(minutes: float) -> tuple[list[ProcessState], list[str]]:
    """The state after every pass through three tasks, and the problems found."""
    examples = list(read_examples(EXAMPLES / "questions.jsonl"))[::4]  # a pass takes seconds
    before = state(0.0)
    with serve(EXAMPLES / "kg") as url:
        states, problems = _passes(_models(url), examples, minutes)
    after = state(0.0)
    for name in ("threads", "files", "processes"):
        if after[name] > before[name]:
            problems.append(f"{after[name] - before[name]} {name} left at the end")
    return states, problems


def _models(url: str) -> list[UserModel]:
    """A model for each task."""
    models = []
    for task in Task:
        api_url = None if task is Task.WEB else url
        models.append(UserModel(load_settings(task=int(task), api_url=api_url)))
    return models


def _passes(
    models: Sequence[UserModel], examples: Sequence[Example], minutes: float
) -> tuple[list[ProcessState], list[str]]:
    """As of `soak`, before the models and the server are gone."""
    states: list[ProcessState] = []
    problems: list[str] = []
    first_verdicts: dict[int, list[Verdict]] = {}
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        seconds = []
        for task, model in enumerate(models, start=1):
            seconds_of_task, verdicts = answer_all(model, examples)
            seconds.append(seconds_of_task)
            if first_verdicts.setdefault(task, verdicts) != verdicts:
                problems.append(f"task {task}: verdicts differ between two passes")
        states.append(state(median(seconds)))
    failures: set[str] = set()
    for model in models:
        failures.update(f"{name}: {count}" for name, count in model.failures.items())
    problems += [f"failures: {failure}" for failure in sorted(failures)]
    return states, problems


def fifths(states: Sequence[ProcessState]) -> list[ProcessState]:
    """The medians of each fifth.

    Raises:
        InputError: there are too few passes.
    """
    if len(states) < FIFTHS:
        raise InputError(f"{len(states)} passes in the time; give it more --minutes")
    bounds = [len(states) * i // FIFTHS for i in range(FIFTHS + 1)]
    return [
        {name: median(each[name] for each in states[start:end]) for name in states[0]}
        for start, end in pairwise(bounds)
    ]


@command
def main(minutes: Annotated[float, typer.Option(help="how long")] = 10.0) -> int:
    states, problems = soak(minutes)
    parts = fifths(states)
    rows = [(str(number), *part.values()) for number, part in enumerate(parts, 1)]
    show(f"{len(states)} passes", ("fifth", *parts[0]), rows)
    second = parts[1]
    last = parts[-1]
    for name in second:
        if last[name] > MOST_GROWTH.get(name, 1.0) * second[name]:
            problems.append(f"{name}: {second[name]:.4g} to {last[name]:.4g}")
    print("; ".join(problems) or "all level")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
