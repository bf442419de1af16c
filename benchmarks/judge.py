"""How well the rules judge does against an LLM judge: coverage, agreement, leniency.

It reads judged_pairs.jsonl. Leniency is the share of predictions called correct when paired with
another question's answer of the same type. The two sets of `benchmarks/judge_pairs.jsonl` hold
adversarial answers by people who had not seen the rules; docs/LOG.md says which were read since.
What the authors of the rules have read gives training scores. The status is 1 where a target is
missed.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from benchmarks._command import Data, Json, command, rows_of, show, write
from evaluation.judge.protocol import Item, Verdict
from evaluation.judge.rules import judge_item
from evaluation.judge.text import tokenize
from utils.errors import InputError

JUDGED = "judged_pairs.jsonl"
ADVERSARIAL = Path(__file__).with_name("judge_pairs.jsonl")


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """A prediction and whether it is correct: to an LLM judge, or as it was invented.

    Attributes:
        kind: the question's type, or of an adversarial answer how it deceives.
        group: the set of an adversarial answer, such as "judge_1".
    """

    item: Item
    correct: bool
    kind: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured share, and whether it meets its target."""

    name: str
    share: float
    target: str
    met: bool


# The number of pairs by whether they are correct and the rules' verdict.
VerdictCounts = Counter[tuple[bool, Verdict]]


def load(file: Path) -> list[JudgedPair]:
    """The pairs of `file`.

    Raises:
        InputError: the file is absent or malformed.
    """
    pairs: list[JudgedPair] = []
    for number, row in enumerate(rows_of(file), 1):
        try:
            golds = row["golds"] if "golds" in row else [str(row["ground_truth"])]
            item = Item(str(number), row["query"], tuple(golds), str(row["prediction"]))
            kind = row.get("kind") or row["question_type"]
            group = f"judge_{row['set']}" if "set" in row else ""
            pairs.append(JudgedPair(item, row["correct"], kind, group))
        except KeyError as error:
            raise InputError(f"{file}, line {number}: {error} is missing") from error
    return pairs


def mismatched(pairs: Sequence[JudgedPair]) -> Iterator[JudgedPair]:
    """Every prediction with the question and gold of every other pair of its type."""
    for pair in pairs:
        for other in pairs:
            if pair.kind != other.kind or pair.item.query == other.item.query:
                continue
            if tokenize(pair.item.golds[0]).words == tokenize(other.item.golds[0]).words:
                continue
            id = f"{pair.item.id}-{other.item.id}"
            item = Item(id, other.item.query, other.item.golds, pair.item.prediction)
            yield JudgedPair(item, False, pair.kind)


def count(pairs: Iterable[JudgedPair]) -> VerdictCounts:
    """The pairs by whether they are correct, and by the rules' verdict."""
    return Counter((pair.correct, judge_item(pair.item).verdict) for pair in pairs)


def share(counts: VerdictCounts, right: bool, verdict: Verdict) -> float:
    """The share of the right, or of the wrong, predictions that get `verdict`."""
    total = sum(counts[right, each] for each in Verdict)
    return counts[right, verdict] / max(1, total)


def coverage_and_agreement(counts: VerdictCounts) -> tuple[float, float]:
    """The share of pairs that get a verdict, and of these the share as the LLM judge has them."""
    scored = 0
    agreed = 0
    for (right, verdict), number in counts.items():
        if verdict is Verdict.UNSCORED:
            continue
        scored += number
        if agrees(right, verdict):
            agreed += number
    return scored / max(1, counts.total()), agreed / max(1, scored)


def agrees(right: bool, verdict: Verdict) -> bool:
    """Whether the rules agree with the LLM judge. Missing is not correct."""
    return right == (verdict is Verdict.CORRECT)


def verdict_shares(counts_by_group: Mapping[str, VerdictCounts]) -> dict[str, float]:
    """What share of each set's right and wrong answers gets each verdict."""
    shares = {}
    for group, counts in counts_by_group.items():
        for right in (True, False):
            truth = "right" if right else "wrong"
            for verdict in (Verdict.CORRECT, Verdict.WRONG, Verdict.UNSCORED):
                shares[f"{group}: {truth} called {verdict}"] = share(counts, right, verdict)
    return shares


def _counts_by_group(pairs: Iterable[JudgedPair]) -> dict[str, VerdictCounts]:
    groups: dict[str, list[JudgedPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group].append(pair)
    return {group: count(groups[group]) for group in sorted(groups)}


def _show_disagreements(pairs: Sequence[JudgedPair]) -> None:
    for pair in pairs:
        item = pair.item
        judgement = judge_item(item)
        if judgement.verdict is Verdict.UNSCORED or agrees(pair.correct, judgement.verdict):
            continue
        print(f"{item.id}: {item.query}\n  gold: {item.golds[0]}\n  prediction: {item.prediction}")
        llm_verdict = "correct" if pair.correct else "not correct"
        print(f"  LLM judge: {llm_verdict}; rules: {judgement.verdict}, {judgement.reason}")


@command
def main(
    data: Data,
    json_file: Json = None,
    disagreements: Annotated[bool, typer.Option("--show", help="list the disagreements")] = False,
) -> int:
    pairs = load(data / JUDGED)
    coverage, agreement = coverage_and_agreement(count(pairs))
    mismatched_counts = count(mismatched(pairs))
    leniency = share(mismatched_counts, False, Verdict.CORRECT)
    adversarial = _counts_by_group(load(ADVERSARIAL))
    figures = [
        Figure("coverage", coverage, ">= 75%", coverage >= 0.75),
        Figure("agreement", agreement, ">= 98.5%", agreement >= 0.985),
        Figure("leniency", leniency, "<= 0.2%", leniency <= 0.002),
    ]
    for group, counts in adversarial.items():
        fooled = share(counts, False, Verdict.CORRECT)
        name = f"{group}: wrong called correct"
        figures.append(Figure(name, fooled, "<= 1.5%", fooled <= 0.015))
    show(
        f"Rules judge against an LLM judge: {len(pairs)} pairs, "
        f"{mismatched_counts.total()} mismatched",
        ("figure", "value", "target"),
        [(figure.name, f"{figure.share:.2%}", figure.target) for figure in figures],
    )
    shares = verdict_shares(adversarial)
    show(
        "Adversarial answers",
        ("", "share"),
        [(name, f"{part:.1%}") for name, part in shares.items()],
    )
    if disagreements:
        _show_disagreements(pairs)
    write(json_file, {figure.name: figure.share for figure in figures} | {"adversarial": shares})
    return 0 if all(figure.met for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
