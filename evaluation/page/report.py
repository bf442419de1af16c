"""The page report.html: one run, its figures and every question with its trace."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain, groupby
from pathlib import Path
from typing import Any

from evaluation.about import DATASET_PATH
from evaluation.dataset import SLICES
from evaluation.finished_run import FinishedRun, read_run
from evaluation.judge.protocol import Verdict
from evaluation.page.html import write_page
from evaluation.report import GROUP_NAMES
from evaluation.run_folder import REPORT_PAGE
from evaluation.score import WORTH, QuestionResult, group_of, measure
from models.prompts import FOLDER, load_prompt
from models.runtime.trace import Step

_MOST_POINTS = 200  # of a curve


def write_report_page(folder: Path) -> Path:
    """Write `report.html` into the folder of a finished run, and return its path.

    Raises:
        InputError: the folder holds no run, or the page cannot be written.
    """
    run = read_run(folder)
    results = list(run.results.values())
    curves = {name: curve(results, values) for name, values in run.confidences().items()}
    data = {
        "kind": "report",
        "group_names": GROUP_NAMES,
        "runs": [described(run)],
        "prompts": prompts(),
        "figures": {
            "metrics": asdict(measure(results)),
            "curves": curves,
            "stages": stages(run.traces.values()),
        },
        "settings": run.settings,
        "about": {name: value for name, value in run.about.items() if name != DATASET_PATH},
        "notes": run.notes,
    }
    system = run.settings.get("system", "evaluation").rpartition("/")[2]  # of a model: no path
    dataset = run.settings.get("dataset", folder.name)
    return write_page(
        folder / REPORT_PAGE,
        f"{system} on {dataset}",
        data,
        [question_row(id, [run]) for id in run.results],
        [[run.traces.get(id, ())] for id in run.results],
    )


def curve(results: Sequence[QuestionResult], confidence: Mapping[str, float]) -> dict[str, Any]:
    """Risk and score if only those answers stand whose `confidence` reaches a threshold.

    An answer without a confidence always stands; at least one answer must have one.

    Returns:
        points: `[threshold, coverage, risk, score]` from the highest threshold down; coverage is
            the share of all questions that are answered, risk the wrong share of the answered.
        best: the point of the highest score; as_run: the point of no threshold.
        with_confidence, answered: numbers of answers.
    """
    answered = [result for result in results if result.verdict is not Verdict.MISSING]
    with_confidence = [result for result in answered if result.id in confidence]
    with_confidence.sort(key=lambda result: -confidence[result.id])
    standing = [result for result in answered if result.id not in confidence]
    points = []
    for threshold, group in groupby(with_confidence, key=lambda result: confidence[result.id]):
        standing += group
        wrong = sum(result.verdict is Verdict.WRONG for result in standing)
        score = sum(WORTH[result.verdict] for result in standing) / len(results)
        points.append([threshold, len(standing) / len(results), wrong / len(standing), score])
    as_run = points[-1]
    every = math.ceil(len(points) / _MOST_POINTS)
    return {
        "points": [*points[:-1:every], as_run],
        "best": max(points, key=lambda point: point[3]),
        "as_run": as_run,
        "with_confidence": len(with_confidence),
        "answered": len(answered),
    }


def stages(traces: Iterable[Sequence[Step]]) -> list[dict[str, Any]]:
    """Calls and seconds of each step, the slowest first."""
    seconds_by_step: dict[str, list[float]] = defaultdict(list)
    for step in chain.from_iterable(traces):
        seconds_by_step[step.name].append(step.seconds)
    rows = []
    for name, seconds in seconds_by_step.items():
        total = sum(seconds)
        rows.append(
            {"name": name, "calls": len(seconds), "mean": total / len(seconds), "sum": total}
        )
    return sorted(rows, key=lambda row: -row["sum"])


def described(run: FinishedRun, label: str = "") -> dict[str, Any]:
    """The names of a run, and whether it has traces. `label`: its column beside other runs."""
    return {"label": label, "name": run.folder.resolve().name, "traced": bool(run.traces)}


def question_row(id: str, runs: Sequence[FinishedRun]) -> dict[str, Any]:
    """A question in the table, with what became of it in each run."""
    first = runs[0].results[id]
    return {
        "id": id,
        "query": first.query,
        "golds": first.golds,
        **{name: group_of(first, name) for name in SLICES},
        "runs": [_outcome(run, id) for run in runs],
    }


def prompts() -> dict[str, Any]:
    """The turns of every prompt, by its name: a trace has the values that are put into them."""
    files = [file.relative_to(FOLDER) for file in FOLDER.glob("*/*.txt")]
    names = sorted(str(file.with_suffix("")) for file in files)
    return {name: load_prompt(name).turns for name in names}


def _outcome(run: FinishedRun, id: str) -> dict[str, Any]:
    """What became of a question in a run."""
    result = run.results[id]
    usages = result.usage.values()
    label = run.labels.get(id)
    return {
        "answer": result.prediction,
        "verdict": result.verdict,
        "reason": result.reason,
        "disputed": result.disputed,
        "label": asdict(label) if label else None,
        "seconds": result.answered_after if run.timed_each else result.seconds,
        "source": run.source(id),
        "failures": result.failures,
        "tokens": sum(usage["prompt"] + usage["completion"] for usage in usages),
        "dollars": sum(usage["dollars"] for usage in usages),
    }
