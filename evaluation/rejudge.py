"""New verdicts over answers that were given before; no question is answered again."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.dataset import read_examples
from evaluation.judge.protocol import Item, Judge
from evaluation.page.report import write_report_page
from evaluation.report import Report, as_json, as_markdown
from evaluation.run_folder import (
    PREDICTIONS,
    REPORT,
    RESULTS,
    RUN,
    TRACES,
    RunFolder,
    read_results,
    read_traces,
    write_text,
)
from evaluation.runner import Answered, judge_items, judged
from evaluation.score import Result
from models.records import IDK
from utils.errors import InputError

JUDGED = "judged"  # the folder in a run's folder that holds other judges' verdicts


def rejudge(run: Path, judge: Judge) -> Path:
    """Judge the predictions of a run anew, into `run/judged/NAME`, a run folder itself.

    Raises:
        InputError: the folder holds no run, or cannot be written.
    """
    before = list(read_results(run / PREDICTIONS).values())
    items = [Item(r.id, r.query, r.golds, r.prediction) for r in before]
    results = [
        replace(result, verdict=new.verdict, reason=new.reason, judge_failed=new.failed)
        for result, new in zip(before, judge_items(judge, items), strict=True)
    ]
    settings = {**_settings(run), "judge": judge.name}
    return write_run(run / JUDGED / re.sub(r"[^\w.+-]+", "_", judge.name), results, settings)


def score_predictions(file: Path, dataset: Path, judge: Judge, out: Path) -> Path:
    """Judge a file of predictions, JSON lines with `prediction` and `interaction_id` or `query`.

    Raises:
        InputError: a line has neither, or a question has no prediction.
    """
    by_name = _predictions(file)
    examples = [replace(example, pages=()) for example in read_examples(dataset)]
    found = [by_name.get(e.id, by_name.get(e.query)) for e in examples]
    lacking = [e.id for e, text in zip(examples, found, strict=True) if text is None]
    if lacking:
        raise InputError(f"{file}: no prediction for {len(lacking)} questions, as {lacking[0]}")
    count = len(examples)
    answered = Answered(
        [text or IDK for text in found], 0.0, [()] * count, [{}] * count, [[]] * count
    )
    settings = {"dataset": dataset.name, "predictions": file.name, "judge": judge.name}
    return write_run(out, judged(judge, examples, answered), settings)


def write_run(folder: Path, results: Sequence[Result], settings: Mapping[str, str]) -> Path:
    """Write results as a run's folder, in place of what was there; returns it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PREDICTIONS).unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error})") from error
    out = RunFolder(folder)
    out.start(settings)
    out.append(results)
    report = Report.of(results, settings)
    write_text(folder / RESULTS, as_json(report))
    write_text(folder / REPORT, as_markdown(report))
    write_report_page(folder)
    out.discard_if_unused()
    return folder


def _settings(run: Path) -> dict[str, str]:
    try:
        settings: dict[str, str] = json.loads((run / RUN).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{run}: not a run's folder ({error})") from error
    return settings


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
            found[str(name)] = str(row["prediction"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{file}, line {number}: `prediction` and `interaction_id` or `query` are wanted "
                f"({error!r})"
            ) from error
    return found


def shards_merged(runs: Sequence[Path], out: Path) -> Path:
    """The shards of one run, made with `--shard 1/N` to `N/N`, as the run without shards.

    Raises:
        InputError: they are not all the shards of one run, or one is not finished.
    """
    for run in runs:
        if not (run / RESULTS).exists():
            raise InputError(f"{run}: not finished; go on with it by --resume")
    settings = [_settings(run) for run in runs]
    shards = [one.pop("shard", "") for one in settings]
    wanted = [f"{i}/{len(runs)}" for i in range(1, len(runs) + 1)]
    if sorted(shards) != sorted(wanted):
        raise InputError(f"the shards {', '.join(wanted)} are wanted, not {', '.join(shards)}")
    if any(one != settings[0] for one in settings):
        raise InputError("the shards were run with different settings: compare their run.json")
    by_shard = dict(zip(shards, runs, strict=True))
    results = [list(read_results(by_shard[name] / PREDICTIONS).values()) for name in wanted]
    longest = max(map(len, results))
    merged = [some[i] for i in range(longest) for some in results if i < len(some)]
    write_run(out, merged, settings[0])
    traces = {trace["id"]: trace for run in runs for trace in read_traces(run)}
    if traces:
        with_traces = RunFolder(out)
        (out / TRACES).unlink(missing_ok=True)
        with_traces.append_traces([traces[one.id] for one in merged if one.id in traces])
        write_report_page(out)
    return out
