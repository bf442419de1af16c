"""`python -m training confidence`: a confidence model, its threshold and its reliability curve."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from evaluation.calibrate import FOLDS
from evaluation.judge.factory import make_judge
from evaluation.run_folder import TRACES, write_text
from models.settings import load_settings
from training.confidence import (
    fit,
    in_words,
    predicted_of_run,
    read_predicted,
    reliability_plot,
)
from training.records import file_hash

HELP = "fit how likely an answer is right, on held-out predictions, to maximise the CRAG score"


def arguments(parser: ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("file", nargs="?", type=Path, help="answers with features and verdicts")
    source.add_argument("--from-run", type=Path, metavar="FOLDER", help="a run with --trace")
    parser.add_argument("--judge", default="rules", metavar="rules|openai:URL#MODEL")
    parser.add_argument("--out", type=Path, default=Path("confidence.json"), metavar="FILE")
    parser.add_argument("--folds", type=int, default=FOLDS)


def run(options: Namespace, console: Console) -> int:
    system: str | None = None
    if options.from_run is not None:
        judge = make_judge(options.judge, api_key=load_settings().judge_api_key)
        rows, system = predicted_of_run(options.from_run, judge)
        source = options.from_run / TRACES
    else:
        rows, source = list(read_predicted(options.file)), options.file
    with console.status(f"fitting on {len(rows)} answers"):
        model, check = fit(rows, system=system, folds=options.folds)
    data = {"sha256": file_hash(source), "answers": len(rows)}
    told = {"model": model.as_json(), "held_out": asdict(check), "data": data}
    write_text(options.out, json.dumps(told, indent=2) + "\n")
    write_text(options.out.with_suffix(".svg"), reliability_plot(check))
    console.print(in_words(model, check), markup=False, highlight=False)
    console.print(f"{options.out} and {options.out.with_suffix('.svg')}", highlight=False)
    return 0
