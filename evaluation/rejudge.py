"""New verdicts over answers that were given before; no question is answered again."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    as_lines,
    named_folder,
    read_object,
    read_results,
    read_traces,
    write_text,
)
from evaluation.runner import Answered, judged
from evaluation.score import Result
from models.records import IDK
from utils.errors import InputError

JUDGED = "judged"  # the folder in a run's folder that holds other judges' verdicts


def rejudge(run: Path, judge: Judge) -> Path:
    """Judge the predictions of a run anew, into `run/judged/NAME`, a run folder itself.

    Raises:
        InputError: the folder holds no run, or cannot be written, or the judge failed for every
            answer; earlier verdicts of that judge are kept then.
    """
    before = list(read_results(run / PREDICTIONS).values())
    items = [Item(r.id, r.query, r.golds, r.prediction) for r in before]
    judgements = judge_items(judge, items)
    if judgements and all(judgement.failed for judgement in judgements):
        raise InputError(f"{judge.name} judged nothing: {judgements[0].reason}")
    results = [
        replace(result, verdict=new.verdict, reason=new.reason, judge_failed=new.failed)
        for result, new in zip(before, judgements, strict=True)
    ]
    settings = {**_settings(run), "judge": judge.name}
    return write_run(run / JUDGED / re.sub(r"[^\w.+-]+", "_", judge.name), results, settings)


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
    found = [by_name.get(e.id, by_name.get(e.query)) for e in examples]
    lacking = [e.id for e, text in zip(examples, found, strict=True) if text is None]
    if lacking:
        raise InputError(f"{file}: no prediction for {len(lacking)} questions, as {lacking[0]}")
    count = len(examples)
    answered = Answered(
        [cut(text or IDK) for text in found], 0.0, [()] * count, [{}] * count, [[]] * count
    )
    settings = {"dataset": dataset.name, "predictions": file.name, "judge": judge.name}
    results = judged(judge, examples, answered)
    return write_run(named_folder(out, resume=False), results, settings)


def write_run(
    folder: Path,
    results: Sequence[Result],
    settings: Mapping[str, str],
    notes: Mapping[str, int] | None = None,
) -> Path:
    """Write results as a run's folder, in place of a run that was there; returns it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error})") from error
    out = RunFolder(folder)  # nobody else writes there
    write_text(folder / RUN, json.dumps(dict(settings), indent=2) + "\n")
    write_text(folder / PREDICTIONS, as_lines(results))
    report = Report.of(results, settings, notes)
    write_text(folder / RESULTS, as_json(report))
    write_report_page(folder)
    out.discard_if_unused()
    return folder


def _settings(run: Path) -> dict[str, str]:
    return {name: str(value) for name, value in read_object(run / RUN).items()}


def _finished(run: Path) -> dict[str, Any]:
    """The figures of a finished run. Raises InputError where it is not finished."""
    figures = read_object(run / RESULTS)
    if figures.get("total") != len(read_results(run / PREDICTIONS)):
        raise InputError(f"{run}: not finished; go on with it by --resume")
    return figures


def _predictions(file: Path) -> dict[str, str]:
    """Predictions by id, or by query where there is none."""
    found: dict[str, str] = {}
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: cannot be read ({error})") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: dict[str, Any] = json.loads(line)
            name = row.get("interaction_id") or row.get("id") or row["query"]
            text = IDK if row["prediction"] is None else row["prediction"]
            if not isinstance(text, str) or str(name) in found:
                raise TypeError("no text, or a second prediction")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{file}, line {number}: one text `prediction` for an `interaction_id` or `query` "
                f"is wanted ({error!r})"
            ) from error
        found[str(name)] = text
    return found


def shards_merged(runs: Sequence[Path], out: Path) -> Path:
    """The shards of one run, made with `--shard 1/N` to `N/N`, as the run without shards.

    Raises:
        InputError: they are not all the shards of one run, or one is not finished.
    """
    figures = [_finished(run) for run in runs]
    settings = [_settings(run) for run in runs]
    shards = [one.pop("shard", "") for one in settings]
    wanted = [f"{i}/{len(runs)}" for i in range(1, len(runs) + 1)]
    if sorted(shards) != sorted(wanted):
        raise InputError(f"the shards {', '.join(wanted)} are wanted, not {', '.join(shards)}")
    limits = {str(one["settings"].get("limit")) for one in figures}
    if any(one != settings[0] for one in settings) or len(limits) > 1:
        raise InputError("the shards were run with different settings: compare their run.json")
    by_shard = dict(zip(shards, runs, strict=True))
    results = [list(read_results(by_shard[name] / PREDICTIONS).values()) for name in wanted]
    sizes = list(map(len, results))
    longest = max(sizes)
    if sizes != sorted(sizes, reverse=True) or longest - min(sizes) > 1:
        raise InputError(f"the shards have {sizes} questions: not those of one run")
    merged = [some[i] for i in range(longest) for some in results if i < len(some)]
    if len({one.id for one in merged}) < len(merged):
        raise InputError("a question is in two shards: not those of one run")
    notes: Counter[str] = Counter()
    for each in figures:
        notes.update(each["notes"])
    write_run(named_folder(out, resume=False), merged, settings[0], notes)
    traces = {trace["id"]: trace for run in runs for trace in read_traces(run)}
    if traces:
        with_traces = RunFolder(out)
        (out / TRACES).unlink(missing_ok=True)
        with_traces.append_traces([traces[one.id] for one in merged if one.id in traces])
        write_report_page(out)
    return out
