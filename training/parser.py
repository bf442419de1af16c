"""The semantic parser's weights, fitted on candidates that are run over a KG and judged."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

from rich.table import Table

from evaluation.judge.protocol import Item
from evaluation.judge.rules import RulesJudge
from mock_api.local import LocalClient
from models.batch import read_query_time
from models.kg.parsing.parser import ParsedQuestion, SemanticParser
from models.ranking.log_linear import LogLinearModel
from models.records import IDK
from training.weak_supervision import (
    BestAnswer,
    RankedQuestion,
    Share,
    best_threshold,
    by_answerable,
    cross_validate,
    fit,
    oracle,
    share,
    write_weights,
)
from utils.deadline import Deadline
from utils.model_files import sha256
from utils.progress import shown

_SECONDS = 60.0  # a question
_NONE = LogLinearModel({}, {}, 0.0)
_WHAT = "weights of models/kg/parsing, by weak supervision (python -m training parser)"


def fit_parser(
    examples: Sequence[RankedQuestion],
    files: Sequence[Path],
    out: Path,
    folds: int,
    most_wrong: float,
) -> tuple[list[BestAnswer], float]:
    """Write the weights of `examples`, which come from `files`, to `out`. Returns the
    cross-validated outcomes, and the threshold chosen on them."""
    outcomes = cross_validate(examples, folds)
    able, unable = by_answerable(outcomes)
    threshold = best_threshold([able], most_wrong, [able, unable])
    facts = {
        "data": {str(Path(*file.parts[-2:])): sha256(file) for file in files},
        "questions": len(examples),
        "cross_validation": {
            "folds": folds,
            "oracle": round(oracle(examples), 4),
            "answerable": _rounded(share(able, threshold)),
            "unanswerable": _rounded(share(unable, threshold)),
        },
    }
    write_weights(out, fit(examples, threshold), _WHAT, facts)
    return outcomes, threshold


def _rounded(found: Share) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(found).items()}


def gather(rows: Sequence[dict[str, Any]], kg: Path, workers: int) -> list[RankedQuestion]:
    """The candidates of every question, each with a verdict."""
    _parser(kg)  # prepares the KG once, before the processes start
    with ProcessPoolExecutor(workers) as pool:
        found = pool.map(partial(_example, kg), rows, chunksize=8)
        return list(shown(found, "questions", len(rows)))


@cache
def _parser(kg: Path) -> SemanticParser:
    return SemanticParser(LocalClient(kg), model=_NONE)


def _example(kg: Path, row: dict[str, Any]) -> RankedQuestion:
    now = read_query_time(str(row.get("query_time") or ""))
    query = str(row["query"])
    parsed = _parser(kg).parse(query, now, Deadline.after(_SECONDS))
    golds = tuple(str(gold) for gold in (row["answer"], *row.get("alt_ans", ())))
    items = [Item("", query, golds, d.answer or IDK) for d in parsed.derivations]
    return RankedQuestion(
        str(row.get("interaction_id", "")),
        _cluster(parsed, query),
        str(row.get("domain", "unknown")),
        bool(row.get("answerable", "why" not in row)),
        tuple((d.answer, d.features) for d in parsed.derivations),
        tuple(judgement.verdict for judgement in RulesJudge().judge(items)),
        tuple(d.features for d in parsed.derivations if d.ruled_out),
    )


def _cluster(parsed: ParsedQuestion, query: str) -> str:
    """The words of a question without its names and times: questions of one wording share them."""
    if parsed.coverage is None:
        return query
    spans = parsed.coverage.spans
    taken = {i for thing in spans.things for i in thing.positions}
    taken |= {i for _, positions in spans.times for i in positions}
    return " ".join(sorted({s for i, s in enumerate(spans.stems) if i not in taken}))


def threshold_table(outcomes: Sequence[BestAnswer]) -> Table:
    """The figures at other thresholds."""
    table = Table("threshold", "right", "wrong", "wrong of unanswerable", "false premises")
    for threshold in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        found, other = (share(group, threshold) for group in by_answerable(outcomes))
        shares = (f"{each:.1%}" for each in (found.right, found.wrong, other.wrong))
        table.add_row(f"{threshold:.1f}", *shares, str(other.invalid))
    return table
