"""New verdicts for existing answers: other judges, files of predictions, merged shards."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from evaluation.dataset import read_examples, unique_name
from evaluation.judge.protocol import Item, Judge, judge_items, raise_if_all_failed
from evaluation.page.report import write_report_page
from evaluation.report import Report, as_json
from evaluation.run_folder import (
    OTHER_JUDGES,
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
from evaluation.score import QuestionResult
from evaluation.streams import json_objects
from models.records import IDK
from models.runtime.trace import Step
from utils.errors import InputError


def rejudge(run: Path, judge: Judge) -> Path:
    """Judge the predictions of a run again, into `run/judged/NAME`, a run folder itself.

    Raises:
        InputError: the folder holds no run, or cannot be written.
        JudgeError: the judge failed wherever its model was asked; its earlier verdicts are kept.
    """
    results = list(read_results(run).values())
    items = [Item(result.id, result.query, result.golds, result.prediction) for result in results]
    judgements = judge_items(judge, items)
    raise_if_all_failed(judge, judgements)
    new_results = [
        replace(
            result,
            verdict=judgement.verdict,
            reason=judgement.reason,
            judge_failed=judgement.failed,
            rule=judgement.rule,
            disputed=judgement.disputed,
            by_model=judgement.by_model,
        )
        for result, judgement in zip(results, judgements, strict=True)
    ]
    settings = {**read_object(run / RUN), "judge": judge.name}
    folder = run / OTHER_JUDGES / re.sub(r"[^\w.+-]+", "_", judge.name)
    return write_run(folder, new_results, settings)


def score_predictions(
    file: Path, dataset: Path, judge: Judge, out: Path, cut: Callable[[str], str] = str
) -> Path:
    """Judge a file of predictions, JSON lines with `prediction` and `interaction_id` or `query`.

    A prediction of null is "i don't know". `cut` shortens each as the evaluator does. Where several
    questions have one id, their predictions are in the order of the questions.

    Raises:
        InputError: a line has neither, a question has no prediction or two, or `out` holds
            something.
    """
    by_name = _read_predictions(file)
    unused = set(by_name)
    examples = [replace(example, pages=()) for example in read_examples(dataset)]
    predictions: list[str] = []
    lacking: list[str] = []
    for example in examples:
        name = example.id if example.id in by_name else example.query
        if name not in by_name:
            lacking.append(example.id)
            continue
        unused.discard(name)
        predictions.append(cut(by_name[name]))
    if lacking:
        raise InputError(f"{file}: no prediction for {len(lacking)} questions, as {lacking[0]}")
    for name in by_name:
        original = name.rpartition("#")[0]
        if name in unused and original in by_name:
            raise InputError(f"{file}: more predictions than questions are called {original!r}")
    nothing = [()] * len(examples)
    results = judged(judge, examples, Answered(predictions, 0, nothing, nothing))
    settings = {"dataset": dataset.name, "predictions": file.name, "judge": judge.name}
    return write_run(named_folder(out), results, settings)


def merge_shards(runs: Sequence[Path], out: Path) -> Path:
    """The shards of one run, made with `--shard 1/N` to `N/N`, as the run without shards.

    Raises:
        InputError: they are not all the shards of one run, or one is not finished.
    """
    settings = [read_object(run / RUN) for run in runs]
    shards = [run_settings.pop("shard", "") for run_settings in settings]
    expected = [f"{number}/{len(runs)}" for number in range(1, len(runs) + 1)]
    if sorted(shards) != sorted(expected):
        raise InputError(f"expected the shards {', '.join(expected)}, got {', '.join(shards)}")
    in_order = [runs[shards.index(shard)] for shard in expected]
    results_by_shard = [list(read_results(run).values()) for run in in_order]
    summaries = [read_object(run / RESULTS) for run in in_order]
    for run, results, summary in zip(in_order, results_by_shard, summaries, strict=True):
        if summary.get("total") != len(results):
            raise InputError(f"{run}: not finished; resume it with --resume")
    limits = {summary["settings"]["limit"] for summary in summaries}
    if len(limits) > 1 or any(run_settings != settings[0] for run_settings in settings):
        raise InputError("the shards were run with different settings: compare their run.json")
    merged = _interleaved(results_by_shard)
    if len({result.id for result in merged}) < len(merged):
        raise InputError("a question is in two shards: not those of one run")
    notes: Counter[str] = Counter()
    traces: dict[str, list[Step]] = {}
    for summary in summaries:
        notes.update(summary["notes"])
    for run in runs:
        traces |= read_traces(run)
    return write_run(named_folder(out), merged, settings[0], notes, traces)


def _interleaved(results_by_shard: Sequence[Sequence[QuestionResult]]) -> list[QuestionResult]:
    """The results in the order of the dataset: the first of each shard, then the second, …"""
    merged: list[QuestionResult] = []
    for row in zip_longest(*results_by_shard):
        merged += [result for result in row if result is not None]
    return merged


def write_run(
    folder: Path,
    results: Sequence[QuestionResult],
    settings: Mapping[str, str],
    notes: Mapping[str, int] | None = None,
    traces: Mapping[str, Sequence[Step]] | None = None,
) -> Path:
    """Write results as a run's folder, in place of a run that was there; return the folder."""
    out = RunFolder(named_folder(folder, resume=True))
    for name in (PREDICTIONS, TRACES):
        (folder / name).unlink(missing_ok=True)
    out.start(settings)
    if traces:
        traced = [result for result in results if result.id in traces]
        out.append_traces([trace_of(result, traces[result.id]) for result in traced])
    out.append(results)
    write_json(folder / RESULTS, as_json(Report(results, settings, notes or {})))
    write_report_page(folder)
    out.discard_if_unused()
    return folder


def _read_predictions(file: Path) -> dict[str, str]:
    """Predictions by id, or by query where there is none; of several with one name, each has its
    own."""
    predictions: dict[str, str] = {}
    for place, row in json_objects(file):
        name = str(row.get("interaction_id") or row.get("id") or row.get("query") or "")
        is_text = "prediction" in row and isinstance(row["prediction"], str | None)
        if not name or not is_text:
            raise InputError(
                f"{place}: one text `prediction` for an `interaction_id` or `query` is wanted"
            )
        predictions[unique_name(name, predictions)] = row["prediction"] or IDK
    return predictions
