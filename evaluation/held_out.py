"""The answer of each step in a traced run, with its confidence and its verdict."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import read_results, read_traces
from utils.errors import InputError


@dataclass(frozen=True, slots=True)
class StageAnswer:
    """One stage's answer to one question. `confidence` from 0 to 1."""

    confidence: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One question, with the answer of each stage that gave one."""

    id: str
    stages: Mapping[str, StageAnswer]


def rows_of_run(run: Path, judge: Judge, stages: Sequence[str]) -> list[HeldOut]:
    """The answers of the stages in a traced run, judged.

    A step with a stage's name and a confidence is that stage's answer; of several, as after a
    second attempt, the last.

    Raises:
        InputError: the run has no traces or no predictions, or no stage in them.
    """
    results = read_results(run)
    said = [
        (results[id], step)
        for id, steps in read_traces(run).items()
        for step in steps
        if id in results and step.name in stages and "confidence" in step.inputs
    ]
    if not said:
        raise InputError(f"{run}: no step of a trace is one of {', '.join(stages)}")
    items = [Item(f"{r.id} {step.name}", r.query, r.golds, step.output) for r, step in said]
    found: dict[str, dict[str, StageAnswer]] = defaultdict(dict)
    for (result, step), judgement in zip(said, judge.judge(items), strict=True):
        sure = float(step.inputs["confidence"])
        found[result.id][step.name] = StageAnswer(sure, judgement.verdict)
    return [HeldOut(id, by_stage) for id, by_stage in found.items()]
