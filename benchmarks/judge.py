"""How well the rules judge does against an LLM judge: coverage, agreement, leniency.

It reads judged_pairs.jsonl. Leniency is the share of predictions called correct when paired with
another question's answer of the same type. Near misses are invented predictions that contain the
gold and are wrong, and right ones in other words. The authors of the rules have read all of them:
their figures are training scores. Blind sets (benchmarks/blind/judge_*.jsonl) were written by
people who had not seen the rules; docs/LOG.md says which were read since. The status is 1 where a
target is missed.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from benchmarks._command import CRAG_DATA, ROOT, Data, Json, main_of, rows_of, show, write
from evaluation.judge.normalize import read
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import judge_item
from utils.errors import InputError

JUDGED = "judged_pairs.jsonl"
BLIND = ROOT / "benchmarks" / "blind"
NEAR_MISSES = ROOT / "tests" / "evaluation" / "judge" / "near_misses.jsonl"


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A prediction and whether it is correct: to an LLM judge, or as it was invented.

    `kind` is the question's type, or that of a near miss.
    """

    item: Item
    correct: bool
    kind: str


Counts = Counter[tuple[bool, Verdict]]  # pairs by whether they are correct and the rules' verdict


def load(file: Path) -> list[JudgedPair]:
    """The pairs of `file`. Raises InputError where it is absent or malformed.

    A row says whether the prediction is `correct`, or which `verdicts` are accepted.
    """
    pairs: list[JudgedPair] = []
    for number, row in enumerate(rows_of(file), 1):
        try:
            golds = row["golds"] if "golds" in row else [str(row["ground_truth"])]
            item = Item(str(number), row["query"], tuple(golds), str(row["prediction"]))
            right = row["correct"] if "correct" in row else Verdict.CORRECT in row["verdicts"]
            pairs.append(JudgedPair(item, right, row.get("kind") or row["question_type"]))
        except KeyError as error:
            raise InputError(f"{file}, line {number}: {error} is missing") from error
    return pairs


def mismatched(pairs: Sequence[JudgedPair]) -> list[JudgedPair]:
    """Every prediction with the question and gold of every other pair of its type."""
    return [
        JudgedPair(Item(f"{a.id}-{b.id}", b.query, b.golds, a.prediction), False, one.kind)
        for one in pairs
        for other in pairs
        if one.kind == other.kind and (a := one.item).query != (b := other.item).query
        if read(a.golds[0]).words != read(b.golds[0]).words
    ]


def count(pairs: Sequence[JudgedPair]) -> Counts:
    return Counter((pair.correct, judge_item(pair.item).verdict) for pair in pairs)


def share(counts: Counts, right: bool, verdict: Verdict) -> float:
    """The share of the right, or of the wrong, predictions that get `verdict`."""
    return counts[right, verdict] / max(1, sum(counts[right, each] for each in Verdict))


def coverage(counts: Counts) -> float:
    """The share of pairs that get a verdict."""
    open_ones = counts[True, Verdict.UNSCORED] + counts[False, Verdict.UNSCORED]
    return 1 - open_ones / max(1, counts.total())


def agreement(counts: Counts) -> float:
    """The share of the verdicts that are the LLM judge's. Missing is not correct."""
    given = {key: n for key, n in counts.items() if key[1] is not Verdict.UNSCORED}
    agreed = sum(n for key, n in given.items() if agrees(*key))
    return agreed / max(1, sum(given.values()))


def agrees(right: bool, verdict: Verdict) -> bool:
    return right == (verdict is Verdict.CORRECT)


def _show_disagreements(pairs: Sequence[JudgedPair]) -> None:
    console = Console()
    for pair in pairs:
        judgement = judge_item(pair.item)
        if judgement.verdict is Verdict.UNSCORED or agrees(pair.correct, judgement.verdict):
            continue
        said = "correct" if pair.correct else "not correct"
        console.rule(f"{pair.item.id}: LLM judge {said}, rules {judgement.verdict}")
        for name, text in (
            ("question", pair.item.query),
            ("gold", pair.item.golds[0]),
            ("prediction", pair.item.prediction),
            ("reason", judgement.reason),
        ):
            console.print(f"{name}: {text}", markup=False, highlight=False)


def measure(
    data: Data = CRAG_DATA,
    json_file: Json = None,
    disagreements: Annotated[bool, typer.Option("--show", help="list the disagreements")] = False,
) -> int:
    pairs = load(data / JUDGED)
    counts = count(pairs)
    others = mismatched(pairs)
    lenient = share(count(others), False, Verdict.CORRECT)
    near = count(load(NEAR_MISSES))
    wrong, right = (share(near, which, Verdict.CORRECT) for which in (False, True))
    figures = [  # name, share, target, whether it is met
        ("coverage", coverage(counts), ">= 75%", coverage(counts) >= 0.75),
        ("agreement", agreement(counts), ">= 97%", agreement(counts) >= 0.97),
        ("leniency", lenient, "<= 0.2%", lenient <= 0.002),
        ("near misses called correct", wrong, "<= 3%", wrong <= 0.03),
        ("right ones called correct", right, ">= 85%", right >= 0.85),
    ]
    show(
        f"Rules judge against an LLM judge: {len(pairs)} pairs, {len(others)} mismatched",
        ("figure", "value", "target"),
        [(name, f"{value:.2%}", target) for name, value, target, _ in figures],
    )
    by_type = {}
    for kind in sorted({pair.kind for pair in pairs}):
        some = count([pair for pair in pairs if pair.kind == kind])
        by_type[kind] = {"coverage": coverage(some), "agreement": agreement(some)}
    show(
        "By type",
        ("", "coverage", "agreement"),
        [(kind, *(f"{part:.1%}" for part in row.values())) for kind, row in by_type.items()],
    )
    blind = {}
    for file in sorted(BLIND.glob("judge_*.jsonl")):
        some = count(load(file))
        blind[file.stem] = {
            f"{'right' if right else 'wrong'} called {verdict}": share(some, right, verdict)
            for right in (True, False)
            for verdict in (Verdict.CORRECT, Verdict.WRONG, Verdict.UNSCORED)
        }
        rows = [(what, f"{part:.1%}") for what, part in blind[file.stem].items()]
        show(f"Blind: {file.stem}", ("", "share"), rows)
    if disagreements:
        _show_disagreements(pairs)
    out = {name: value for name, value, *_ in figures} | {"by_type": by_type, "blind": blind}
    write(json_file, out)
    return 0 if all(met for *_, met in figures) else 1


main = main_of(measure)

if __name__ == "__main__":
    sys.exit(main())
