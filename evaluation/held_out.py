"""What each step of a system said in a traced run, how sure it was, and whether it was right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import read_results, read_traces
from utils.errors import InputError


@dataclass(frozen=True, slots=True)
class Said:
    """One stage's answer to one question. `confidence` from 0 to 1."""

    confidence: float
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class HeldOut:
    """One question, with what each stage said that gave an answer."""

    id: str
    stages: Mapping[str, Said]


def rows_of_run(run: Path, judge: Judge, stages: Sequence[str]) -> list[HeldOut]:
    """What each stage said in a traced run, judged.

    A step of the trace that bears a stage's name and was given a confidence is that stage's answer;
    of several, as after a second attempt, the last.

    Raises:
        InputError: the run has no traces or no predictions, or no stage in them.
    """
    results, found = read_results(run), {}
    for id, steps in read_traces(run).items():
        said = {
            step.name: (float(step.inputs["confidence"]), step.output)
            for step in steps
            if step.name in stages and "confidence" in step.inputs
        }
        if said and id in results:
            found[id] = said
    if not found:
        raise InputError(f"{run}: no step of a trace is one of {', '.join(stages)}")
    items = [
        Item(f"{id} {name}", results[id].query, results[id].golds, text)
        for id, said in found.items()
        for name, (_, text) in said.items()
    ]
    judged = iter(judge.judge(items))
    return [
        HeldOut(id, {name: Said(sure, next(judged).verdict) for name, (sure, _) in said.items()})
        for id, said in found.items()
    ]
