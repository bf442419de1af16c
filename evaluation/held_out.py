"""Held-out predictions: what each step of a system said, how sure it was, and whether it was right.

A line a question: `{"id": "q1", "stages": {"parametric": {"confidence": 0.67, "verdict": "wrong"},
"external": {...}}}`. The stages stand in the order in which the system tries them; one that gave no
answer is left out.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.judge.protocol import Item, Judge, Verdict
from evaluation.run_folder import PREDICTIONS, read_results, read_traces
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


def read_held_out(file: Path) -> tuple[list[HeldOut], str]:
    """The rows of `file`, and the SHA-256 of its bytes.

    Raises:
        InputError: it cannot be read, is empty, or a line is no such row; the line is named.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error}") from error
    rows: dict[str, HeldOut] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = _row(json.loads(line))
            if row.id in rows:
                raise ValueError(f"the id {row.id!r} stands twice")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{file}, line {number}: no held-out prediction: {error}") from error
        rows[row.id] = row
    if not rows:
        raise InputError(f"{file} holds no held-out prediction")
    return list(rows.values()), hashlib.sha256(data).hexdigest()


def write_held_out(file: Path, rows: Sequence[HeldOut]) -> None:
    """Write `rows` as `read_held_out` reads them. Raises InputError where that cannot be done."""
    lines = [
        json.dumps(
            {
                "id": row.id,
                "stages": {
                    name: {"confidence": said.confidence, "verdict": said.verdict.value}
                    for name, said in row.stages.items()
                },
            }
        )
        for row in rows
    ]
    try:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error}") from error


def stages_of(rows: Sequence[HeldOut]) -> list[str]:
    """The stages of `rows` in their order.

    Raises:
        InputError: two rows have them in different orders.
    """
    known = list(dict.fromkeys(name for row in rows for name in row.stages))
    before = {(a, b) for row in rows for a, b in _pairs(list(row.stages))}
    both = next(((a, b) for a, b in before if (b, a) in before), None)
    if both:
        raise InputError(f"the stages {both[0]} and {both[1]} do not stand in one order")
    return sorted(known, key=lambda name: sum((other, name) in before for other in known))


def rows_of_run(run: Path, judge: Judge, stages: Sequence[str]) -> list[HeldOut]:
    """What each stage said in a run with `--trace`, judged.

    A step of the trace that bears a stage's name and was given a confidence is that stage's answer;
    of several, as after a second attempt, the last.

    Raises:
        InputError: the run has no traces or no predictions, or no stage in them.
    """
    golds = read_results(run / PREDICTIONS)
    found: dict[str, dict[str, tuple[float, str]]] = {}
    for trace in read_traces(run):
        said = {
            step["name"]: (float(step["inputs"]["confidence"]), str(step["output"]))
            for step in trace["steps"]
            if step["name"] in stages and "confidence" in step["inputs"]
        }
        if said and str(trace["id"]) in golds:
            found[str(trace["id"])] = {name: said[name] for name in stages if name in said}
    if not found:
        raise InputError(f"{run}: no step of a trace is one of {', '.join(stages)}")
    items = [
        Item(f"{id} {name}", golds[id].query, golds[id].golds, text)
        for id, said in found.items()
        for name, (_, text) in said.items()
    ]
    judged = iter(judge.judge(items))
    return [
        HeldOut(id, {name: Said(sure, next(judged).verdict) for name, (sure, _) in said.items()})
        for id, said in found.items()
    ]


def _row(record: Any) -> HeldOut:
    stages: dict[str, Said] = {}
    for name, said in record["stages"].items():
        confidence = said["confidence"]
        number = isinstance(confidence, int | float) and not isinstance(confidence, bool)
        if not number or not 0 <= confidence <= 1:
            raise ValueError(f"the confidence of {name} must be from 0 to 1, is {confidence!r}")
        stages[str(name)] = Said(float(confidence), Verdict(said["verdict"]))
    return HeldOut(str(record["id"]), stages)


def _pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for place, a in enumerate(names) for b in names[place + 1 :])
