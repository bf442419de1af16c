"""`python -m training parser`: the semantic parser's weights, from questions, answers and a KG."""

import json
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import RulesJudge
from evaluation.run_folder import write_text
from mock_api.local import LocalClient
from models.batch import read_query_time
from models.kg.semparse.parser import WEIGHTS, Parsed, SemanticParser
from models.ranking.log_linear import Model, choose, read_model
from training.parser import (
    FOLDS,
    Example,
    Outcome,
    Share,
    best_threshold,
    cross_validate,
    fit,
    oracle,
    share,
)
from training.records import file_hash, json_lines
from utils.deadline import Deadline

HELP = "fit the weights of the semantic parser by weak supervision"
_SECONDS = 60.0  # a question
_NONE = Model({}, {}, 0.0)


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, nargs="+", required=True, metavar="FILE",
        help="questions with answers; a row with a `why`, or `answerable` false: not in the KG",
    )  # fmt: skip
    parser.add_argument("--kg", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=WEIGHTS, metavar="FILE")
    parser.add_argument("--folds", type=int, default=FOLDS)
    parser.add_argument(
        "--most-wrong", type=float, default=0.04, metavar="SHARE",
        help="the share of wrong answers that the threshold allows, on folds",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--score", type=Path, metavar="WEIGHTS",
        help="fit nothing: say what these weights score on the data",
    )  # fmt: skip


def run(options: Namespace, console: Console) -> int:
    rows = [row for file in options.data for _, row in json_lines(file)]
    examples = gather(rows, options.kg, options.workers)
    console.print(f"some candidate is right: {oracle(examples):.1%} of the answerable questions")
    if options.score is not None:
        model = read_model(options.score)
        said = [_said(e, model) for e in examples]
        console.print(_table(said, model.threshold), _curve(said))
        return 0
    with console.status("cross-validating"):
        outcomes = cross_validate(examples, options.folds)
    threshold = best_threshold(outcomes, options.most_wrong)
    console.print(_table(outcomes, threshold), _curve(outcomes))
    model = fit(examples, threshold)
    card = {
        "what": "weights of models/kg/semparse, by weak supervision (python -m training parser)",
        "date": date.today().isoformat(),
        "data": {str(Path(*file.parts[-2:])): file_hash(file) for file in options.data},
        "questions": len(examples),
        "cross_validation": {
            "folds": options.folds,
            "oracle": round(oracle(examples), 4),
            "answerable": _rounded(share(outcomes, threshold, True)),
            "unanswerable": _rounded(share(outcomes, threshold, False)),
        },
    }
    told = {"card": card, "model": asdict(model)}
    write_text(options.out, json.dumps(told, indent=1, sort_keys=True) + "\n")
    console.print(f"{options.out}", highlight=False)
    return 0


def _rounded(found: Share) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(found).items()}


def gather(rows: Sequence[dict[str, Any]], kg: Path, workers: int) -> list[Example]:
    """The candidates of every question, each with a verdict."""
    _parser(kg)  # the KG is made ready once
    tasks = [(row, kg) for row in rows]
    with ProcessPoolExecutor(workers) as pool:
        found = pool.map(_example, tasks, chunksize=8)
        return list(track(found, "running candidates", total=len(rows)))


@cache
def _parser(kg: Path) -> SemanticParser:
    return SemanticParser(LocalClient(kg), model=_NONE)


def _example(task: tuple[dict[str, Any], Path]) -> Example:
    row, kg = task
    now = read_query_time(str(row.get("query_time") or ""))
    query = str(row["query"])
    parsed = _parser(kg).parse(query, now, Deadline.after(_SECONDS))
    golds = tuple(str(gold) for gold in (row["answer"], *row.get("alt_ans", ())))
    verdicts: dict[str | None, Verdict] = {None: Verdict.MISSING}
    for derivation in parsed.derivations:
        if derivation.answer is not None and derivation.answer not in verdicts:
            item = Item("", query, golds, derivation.answer)
            verdicts[derivation.answer] = RulesJudge().judge([item])[0].verdict
    return Example(
        str(row.get("interaction_id", "")),
        _cluster(parsed, query),
        str(row.get("domain", "unknown")),
        bool(row.get("answerable", "why" not in row)),
        tuple((d.answer, d.features) for d in parsed.derivations),
        tuple(verdicts[d.answer] for d in parsed.derivations),
    )


def _cluster(parsed: Parsed, query: str) -> str:
    """A question less its names and times: what questions of one wording share."""
    if parsed.rules is None:
        return query
    spans = parsed.rules.spans
    taken = {i for thing in spans.things for i in thing.used}
    taken |= {i for _, used in spans.times for i in used}
    return " ".join(sorted({s for i, s in enumerate(spans.stems) if i not in taken}))


def _said(example: Example, model: Model) -> Outcome:
    choice = choose(example.candidates, model)
    if choice is None:
        return Outcome(example, None, Verdict.MISSING, 0.0)
    return Outcome(example, choice.answer, example.verdicts[choice.index], choice.probability)


def _table(outcomes: Sequence[Outcome], threshold: float) -> Table:
    """Figures by domain, and of questions that the KG cannot answer."""
    table = Table(title=f"threshold {threshold:.2f}; best: right whatever its probability")
    for name in (
        "questions",
        "n",
        "some right",
        "best right",
        "right",
        "wrong",
        "unscored",
        "false premises",
    ):
        table.add_column(name)
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        able = outcome.example.answerable
        groups["all" if able else "unanswerable"].append(outcome)
        if able:
            groups[outcome.example.domain].append(outcome)
    for name, some in sorted(groups.items()):
        found, best = share(some, threshold), share(some, 0.0)
        some_right = oracle([o.example for o in some]) if name != "unanswerable" else 0.0
        shares = (some_right, best.right, found.right, found.wrong, found.unscored)
        table.add_row(name, str(len(some)), *(f"{s:.1%}" for s in shares), str(found.invalid))
    return table


def _curve(outcomes: Sequence[Outcome]) -> Table:
    """What other thresholds give."""
    table = Table("threshold", "right", "wrong", "wrong of unanswerable", "false premises")
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        able, unable = share(outcomes, threshold, True), share(outcomes, threshold, False)
        shares = (able.right, able.wrong, unable.wrong)
        table.add_row(f"{threshold:.1f}", *(f"{s:.1%}" for s in shares), str(unable.invalid))
    return table
