"""`python -m training confidence`: a confidence model, its threshold and its reliability curve."""

import json
from argparse import ArgumentParser, Namespace
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from training.confidence import FOLDS, fit, in_words, read_predicted, reliability_plot
from training.records import file_hash

HELP = "fit how likely an answer is right, on held-out predictions, to maximise the CRAG score"


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="answers with features and verdicts, JSON lines")
    parser.add_argument("--out", type=Path, default=Path("confidence.json"), metavar="FILE")
    parser.add_argument("--folds", type=int, default=FOLDS)


def run(options: Namespace, console: Console) -> int:
    rows = read_predicted(options.file)
    with console.status(f"fitting on {len(rows)} answers"):
        model, check = fit(rows, folds=options.folds)
    data = {"sha256": file_hash(options.file), "answers": len(rows)}
    told = {"model": model.as_json(), "held_out": asdict(check), "data": data}
    options.out.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    options.out.with_suffix(".svg").write_text(reliability_plot(check), encoding="utf-8")
    console.print(in_words(model, check), markup=False, highlight=False)
    console.print(f"{options.out} and {options.out.with_suffix('.svg')}", highlight=False)
    return 0
