"""How well the rules judge does against an LLM judge: coverage, agreement, leniency.

It reads judged_pairs.jsonl. Leniency is the share of predictions called correct when paired with
another question's answer of the same type. Blind sets (benchmarks/blind/judge_*.jsonl) hold
adversarial answers by people who had not seen the rules; docs/LOG.md says which were read since.
What the authors of the rules have read gives training scores. The status is 1 where a target is
missed.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import CRAG_DATA, ROOT, Data, Json, command, rows_of, show, write
from evaluation.judge.normalize import tokenize
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import judge_item
from utils.errors import InputError

JUDGED = "judged_pairs.jsonl"
BLIND = ROOT / "benchmarks" / "blind"


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A prediction and whether it is correct: to an LLM judge, or as it was invented.

    `kind` is the question's type, or in a blind set how the answer deceives.
    """

    item: Item
    correct: bool
    kind: str


Counts = Counter[tuple[bool, Verdict]]  # pairs by whether they are correct and the rules' verdict


def load(file: Path) -> list[JudgedPair]:
    """The pairs of `file`. Raises InputError where it is absent or malformed."""
    pairs: list[JudgedPair] = []
    for number, row in enumerate(rows_of(file), 1):
        try:
            golds = row["golds"] if "golds" in row else [str(row["ground_truth"])]
            item = Item(str(number), row["query"], tuple(golds), str(row["prediction"]))
            kind = row.get("kind") or row["question_type"]
            pairs.append(JudgedPair(item, row["correct"], kind))
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
        if tokenize(a.golds[0]).words != tokenize(b.golds[0]).words
    ]


def count(pairs: Sequence[JudgedPair]) -> Counts:
    return Counter((pair.correct, judge_item(pair.item).verdict) for pair in pairs)


def share(counts: Counts, right: bool, verdict: Verdict) -> float:
    """The share of the right, or of the wrong, predictions that get `verdict`."""
    return counts[right, verdict] / max(1, sum(counts[right, each] for each in Verdict))


def coverage_and_agreement(counts: Counts) -> tuple[float, float]:
    """The share of pairs that get a verdict, and of these the share as the LLM judge has them."""
    given = Counter({key: n for key, n in counts.items() if key[1] is not Verdict.UNSCORED})
    agreed = sum(n for key, n in given.items() if agrees(*key))
    return given.total() / max(1, counts.total()), agreed / max(1, given.total())


def agrees(right: bool, verdict: Verdict) -> bool:
    """Whether the rules agree with the LLM judge. Missing is not correct."""
    return right == (verdict is Verdict.CORRECT)


def _show_disagreements(pairs: Sequence[JudgedPair]) -> None:
    for pair in pairs:
        item, judgement = pair.item, judge_item(pair.item)
        if judgement.verdict is Verdict.UNSCORED or agrees(pair.correct, judgement.verdict):
            continue
        print(f"{item.id}: {item.query}\n  gold: {item.golds[0]}\n  prediction: {item.prediction}")
        said = "correct" if pair.correct else "not correct"
        print(f"  LLM judge: {said}; rules: {judgement.verdict}, {judgement.reason}")


@command
def main(
    data: Data = CRAG_DATA,
    json_file: Json = None,
    disagreements: Annotated[bool, typer.Option("--show", help="list the disagreements")] = False,
) -> int:
    pairs = load(data / JUDGED)
    coverage, agreement = coverage_and_agreement(count(pairs))
    others = mismatched(pairs)
    lenient = share(count(others), False, Verdict.CORRECT)
    blind = {file.stem: count(load(file)) for file in sorted(BLIND.glob("judge_*.jsonl"))}
    fooled = {
        f"{name}: wrong called correct": share(some, False, Verdict.CORRECT)
        for name, some in blind.items()
    }
    figures = [  # name, share, target, whether it is met
        ("coverage", coverage, ">= 75%", coverage >= 0.75),
        ("agreement", agreement, ">= 97%", agreement >= 0.97),
        ("leniency", lenient, "<= 0.2%", lenient <= 0.002),
        *((name, part, "<= 2.5%", part <= 0.025) for name, part in fooled.items()),
    ]
    show(
        f"Rules judge against an LLM judge: {len(pairs)} pairs, {len(others)} mismatched",
        ("figure", "value", "target"),
        [(name, f"{value:.2%}", target) for name, value, target, _ in figures],
    )
    verdicts = {
        f"{name}: {'right' if right else 'wrong'} called {verdict}": share(some, right, verdict)
        for name, some in blind.items()
        for right in (True, False)
        for verdict in (Verdict.CORRECT, Verdict.WRONG, Verdict.UNSCORED)
    }
    show("Blind sets", ("", "share"), [(what, f"{part:.1%}") for what, part in verdicts.items()])
    if disagreements:
        _show_disagreements(pairs)
    write(json_file, {name: value for name, value, *_ in figures} | {"blind": verdicts})
    return 0 if all(met for *_, met in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
