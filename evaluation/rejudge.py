"""New verdicts for existing answers: other judges, files of predictions, merged shards."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item, Judge, judge_items
from evaluation.page.report import write_report_page
from evaluation.report import Report, as_json
from evaluation.run_folder import (
    PREDICTIONS,
    RESULTS,
    RUN,
    TRACES,
    RunFolder,
    named_folder,
    read_object,
    read_results,
    read_traces,
    write_json,
)
from evaluation.runner import Answered, judged, trace_of
from evaluation.score import Result
from evaluation.streams import json_objects
from models.records import IDK
from models.runtime.trace import Step
from utils.errors import InputError

JUDGED = "judged"  # the folder in a run's folder that holds other judges' verdicts


def rejudge(run: Path, judge: Judge) -> Path:
    """Judge the predictions of a run again, into `run/judged/NAME`, a run folder itself.

    Raises:
        InputError: the folder holds no run, or cannot be written, or the judge failed for every
            answer; earlier verdicts of that judge are kept then.
    """
    before = list(read_results(run).values())
    items = [Item(r.id, r.query, r.golds, r.prediction) for r in before]
    judgements = judge_items(judge, items)
    if judgements and all(judgement.failed for judgement in judgements):
        raise InputError(f"{judge.name} judged nothing: {judgements[0].reason}")
    results = [
        replace(result, verdict=new.verdict, reason=new.reason, judge_failed=new.failed)
        for result, new in zip(before, judgements, strict=True)
    ]
    settings = {**read_object(run / RUN), "judge": judge.name}
    folder = run / JUDGED / re.sub(r"[^\w.+-]+", "_", judge.name)
    return write_run(folder, results, settings)


def score_predictions(
    file: Path, dataset: Path, judge: Judge, out: Path, cut: Callable[[str], str] = str
) -> Path:
    """Judge a file of predictions, JSON lines with `prediction` and `interaction_id` or `query`.

    A prediction of null is "i don't know". `cut` shortens each as the evaluator does.

    Raises:
        InputError: a line has neither, a question has no prediction or two, or `out` holds
            something.
    """
    by_name = _predictions(file)
    examples = [replace(example, pages=()) for example in read_examples(dataset)]
    lacking = [e.id for e in examples if by_name.keys().isdisjoint((e.id, e.query))]
    if lacking:
        raise InputError(f"{file}: no prediction for {len(lacking)} questions, as {lacking[0]}")
    found = [by_name[e.id if e.id in by_name else e.query] for e in examples]
    none = [()] * len(examples)
    results = judged(judge, examples, Answered([cut(text) for text in found], 0, none, none))
    settings = {"dataset": dataset.name, "predictions": file.name, "judge": judge.name}
    return write_run(named_folder(out), results, settings)


def shards_merged(runs: Sequence[Path], out: Path) -> Path:
    """The shards of one run, made with `--shard 1/N` to `N/N`, as the run without shards.

    Raises:
        InputError: they are not all the shards of one run, or one is not finished.
    """
    settings = [read_object(run / RUN) for run in runs]
    shards = [one.pop("shard", "") for one in settings]
    wanted = [f"{i}/{len(runs)}" for i in range(1, len(runs) + 1)]
    if sorted(shards) != sorted(wanted):
        raise InputError(f"expected the shards {', '.join(wanted)}, got {', '.join(shards)}")
    in_order = [runs[shards.index(shard)] for shard in wanted]
    results = [list(read_results(run).values()) for run in in_order]
    figures = [read_object(run / RESULTS) for run in in_order]
    for run, found, summary in zip(in_order, results, figures, strict=True):
        if summary.get("total") != len(found):
            raise InputError(f"{run}: not finished; resume it with --resume")
    limits = {summary["settings"]["limit"] for summary in figures}
    if any(one != settings[0] for one in settings) or len(limits) > 1:
        raise InputError("the shards were run with different settings: compare their run.json")
    merged = [one for row in zip_longest(*results) for one in row if one is not None]
    if len({one.id for one in merged}) < len(merged):
        raise InputError("a question is in two shards: not those of one run")
    notes: Counter[str] = Counter()
    for summary in figures:
        notes.update(summary["notes"])
    traces = {id: steps for run in runs for id, steps in read_traces(run).items()}
    return write_run(named_folder(out), merged, settings[0], notes, traces)


def write_run(
    folder: Path,
    results: Sequence[Result],
    settings: Mapping[str, str],
    notes: Mapping[str, int] | None = None,
    traces: Mapping[str, Sequence[Step]] | None = None,
) -> Path:
    """Write results as a run's folder, in place of a run that was there; returns it."""
    out = RunFolder(named_folder(folder, resume=True))
    for name in (PREDICTIONS, TRACES):
        (folder / name).unlink(missing_ok=True)
    out.start(settings)
    if traces:
        out.append_traces([trace_of(one, traces[one.id]) for one in results if one.id in traces])
    out.append(results)
    write_json(folder / RESULTS, as_json(Report(results, settings, notes or {})))
    write_report_page(folder)
    out.discard_if_unused()
    return folder


def _predictions(file: Path) -> dict[str, str]:
    """Predictions by id, or by query where there is none."""
    found: dict[str, str] = {}
    for where, row in json_objects(file):
        name = str(row.get("interaction_id") or row.get("id") or row.get("query") or "")
        if not name or name in found or not isinstance(row.get("prediction", 0), str | None):
            raise InputError(
                f"{where}: one text `prediction` for an `interaction_id` or `query` is wanted"
            )
        found[name] = row["prediction"] or IDK
    return found
